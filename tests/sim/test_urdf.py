from pathlib import Path

import pytest

from fieldproof_sim.shapes import Box
from fieldproof_sim.urdf import UrdfError, parse_robot

ROOT = Path(__file__).parents[2]
LINKS = '<link name="a"/><link name="b"/>'


@pytest.fixture
def parse(tmp_path):
    def parse_text(body):
        path = tmp_path / "robot.urdf"
        path.write_text(f'<robot name="r">\n{body}\n</robot>')
        return parse_robot(path)

    return parse_text


def joint(inner="", kind="fixed", parent="a", child="b", name="j"):
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"{inner}</joint>"
    )


def test_links_joints_and_their_tree_are_read(parse):
    robot = parse(
        LINKS
        + joint('<origin xyz="1 2 3"/><axis xyz="0 2 0"/><dynamics damping="0.5"/>', "continuous")
    )
    assert robot.root == "a"
    wheel = robot.joint("j")
    assert (wheel.parent, wheel.child, wheel.kind) == ("a", "b", "continuous")
    assert wheel.origin.position == (1, 2, 3)
    assert wheel.axis == (0, 1, 0)
    assert wheel.damping == 0.5


def test_collisions_take_friction_from_the_gazebo_tag_and_a_name_by_default(parse):
    shape = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    robot = parse(
        f'<link name="a">{shape}{shape}</link>'
        '<gazebo reference="a"><mu1>0.25</mu1><mu2>0.25</mu2></gazebo>'
    )
    first, second = robot.links[0].collisions
    assert (first.name, second.name) == ("a_collision", "a_collision_1")
    assert (first.shape, first.friction) == (Box((1, 1, 1)), 0.25)


def test_colours_are_found_by_name(parse):
    robot = parse(
        '<material name="red"><color rgba="1 0 0 1"/></material><link name="a"><visual>'
        '<geometry><sphere radius="1"/></geometry><material name="red"/></visual></link>'
    )
    assert robot.links[0].visuals[0].rgba == (1, 0, 0, 1)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (LINKS + joint(kind="prismatic"), "2: the joint type must be fixed or continuous"),
        (LINKS + joint(child="c"), "2: the joint j names no link: c"),
        (LINKS, "1: exactly one link must have no parent (got a, b)"),
        (LINKS + joint() + joint(name="k"), "2: the link b already has a parent"),
        (
            LINKS + '<link name="c"/>' + joint() + joint(parent="b", child="b", name="k"),
            "already has a parent",
        ),
        (
            LINKS + '<link name="c"/>' + joint(parent="b", child="c") + joint(parent="c", child="b", name="k"),
            "the link b does not hang on a",
        ),
        (LINKS + joint('<mimic joint="x"/>'), "<mimic> in <joint> is not supported"),
        (LINKS + joint('<axis xyz="0 0 0"/>', "continuous"), "the axis of j must not be zero"),
        ('<link name="a"/>\n<link name="a"/>', "3: the name a is taken (line 2)"),
        (
            '<link name="a"><inertial><mass value="1"/></inertial></link>',
            "<inertial> needs <mass> and <inertia>",
        ),
        (
            (
                '<link name="a"><collision><geometry><mesh filename="package://p/m.stl"/>'
                "</geometry></collision></link>"
            ),
            "package://p/m.stl does not exist",
        ),
        ('<xacro:include filename="x"/><link name="a"/><lnk/>', "did you mean <link>?"),
    ],
)  # fmt: skip
def test_what_cannot_be_simulated_is_an_error_with_its_line(parse, body, expected):
    with pytest.raises(UrdfError) as caught:
        parse(body)
    assert expected in str(caught.value)


def test_the_reference_vehicle_has_what_its_manifest_names(manifest):
    robot = parse_robot(ROOT / "robots/ugv_ref" / manifest["model"]["urdf"])
    assert robot.warnings == ()
    assert robot.root == manifest["model"]["base_link"]
    for name in (*manifest["drive"]["left_joints"], *manifest["drive"]["right_joints"]):
        assert robot.joint(name).kind == "continuous"
    left, right = (
        robot.joint(manifest["drive"][f"{side}_joints"][0]) for side in ("left", "right")
    )
    separation = left.origin.position[1] - right.origin.position[1]
    assert separation == pytest.approx(manifest["drive"]["wheel_separation_m"])
    wheel = robot.link(left.child).collisions[0].shape
    assert wheel.radius == manifest["drive"]["wheel_radius_m"]
    height = manifest["model"]["spawn_height_m"]
    assert left.origin.position[2] - wheel.radius == pytest.approx(-height)
    for sensor in manifest["sensors"]:
        assert robot.link(sensor["link"]) is not None
    casters = [link for link in robot.links if "caster" in link.name]
    assert len(casters) == 2
    assert all(c.friction == 0 for link in casters for c in link.collisions)


def test_links_ask_for_wind_in_the_gazebo_tag(parse):
    robot = parse(
        LINKS + joint() + '<link name="c"/>' + joint(child="c", name="k") + "<gazebo><enable_wind>1"
        '</enable_wind></gazebo><gazebo reference="b"><enable_wind>0</enable_wind></gazebo>'
    )
    assert [link.wind for link in robot.links] == [True, False, True]
    assert robot.warnings == ()


def test_a_gazebo_tag_that_changes_physics_must_name_a_link(parse):
    with pytest.raises(UrdfError, match=r"robot\.urdf:2: <gazebo> refers to no link: base"):
        parse('<link name="a"/><gazebo reference="base"><enable_wind>1</enable_wind></gazebo>')


def test_what_else_a_gazebo_tag_without_a_reference_says_is_left_out(parse):
    robot = parse('<link name="a"/><gazebo><plugin name="p" filename="f"/></gazebo>')
    (warning,) = robot.warnings
    assert "<plugin> in <gazebo> without a reference is left out" in str(warning)
