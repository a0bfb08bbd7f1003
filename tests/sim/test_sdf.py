import math
import os

import pytest

from fieldproof_sim.sdf import SdfError, parse_model_file, parse_world
from fieldproof_sim.shapes import Box, Cylinder, Heightmap, Mesh, Plane, Sphere

BOX = "<geometry><box><size>1 2 3</size></box></geometry>"


@pytest.fixture
def parse(tmp_path):
    def parse_text(body, *, version="1.11"):
        path = tmp_path / "world.sdf"
        path.write_text(f'<sdf version="{version}"><world name="w">\n{body}\n</world></sdf>')
        return parse_world(path)

    return parse_text


@pytest.fixture
def problems(parse, tmp_path):
    """Returns what is wrong with a world, each as line: what."""

    def problems_of(body, **options):
        with pytest.raises(SdfError) as caught:
            parse(body, **options)
        prefix = f"{tmp_path / 'world.sdf'}:"
        return [str(problem).removeprefix(prefix) for problem in caught.value.problems]

    return problems_of


def model(inner, name="m"):
    return f'<model name="{name}"><static>true</static>{inner}</model>'


def collision(inner):
    return model(f'<link name="l"><collision name="c">{inner}</collision></link>')


def only_collision(world):
    return world.models[0].links[0].collisions[0]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("<box><size>1 2 3</size></box>", Box((1, 2, 3))),
        ("<cylinder><radius>.5</radius><length>2</length></cylinder>", Cylinder(0.5, 2)),
        ("<sphere><radius>.5</radius></sphere>", Sphere(0.5)),
        (
            "<plane><normal>0 1 0</normal><size>2 3</size></plane>",
            Plane((0, 1, 0), (2, 3)),
        ),
        ("<plane/>", Plane((0, 0, 1), (1, 1))),
    ],
    ids=["box", "cylinder", "sphere", "plane", "plane by default"],
)
def test_shapes_are_read(parse, text, shape):
    world = parse(collision(f"<geometry>{text}</geometry>"))
    assert only_collision(world).shape == shape


def test_meshes_and_heightmaps_are_found_beside_the_file_and_in_models(parse, tmp_path):
    (tmp_path / "rock.obj").touch()
    (tmp_path / "models/hill").mkdir(parents=True)
    (tmp_path / "models/hill/hill.png").touch()
    mesh = parse(
        collision("<geometry><mesh><uri>rock.obj</uri><scale>2 2 2</scale></mesh></geometry>")
    )
    assert only_collision(mesh).shape == Mesh(tmp_path / "rock.obj", (2, 2, 2))
    hill = parse(
        collision(
            "<geometry><heightmap><uri>model://hill/hill.png</uri><size>9 9 2</size></heightmap>"
            "</geometry>"
        )
    )
    assert only_collision(hill).shape == Heightmap(tmp_path / "models/hill/hill.png", (9, 9, 2))


def test_poses_friction_inertia_and_colours_are_read(parse):
    world = parse(
        '<model name="m"><pose>1 2 3 0 0 1.5707963267948966</pose><link name="l">'
        '<pose degrees="true">0 0 1 90 0 0</pose><inertial><mass>4</mass><inertia><ixx>.1</ixx>'
        "<iyy>.2</iyy><izz>.25</izz><ixy>.01</ixy></inertia></inertial>"
        f'<collision name="c">{BOX}<surface><friction><ode><mu>.3</mu></ode></friction></surface>'
        f'</collision><visual name="v">{BOX}<material><diffuse>1 0 0 1</diffuse></material>'
        "<transparency>.25</transparency></visual><gravity>0</gravity></link></model>"
    )
    m = world.models[0]
    link = m.links[0]
    half = math.sqrt(0.5)
    assert m.pose.rotation == pytest.approx((half, 0, 0, half))
    assert link.pose.rotation == pytest.approx((half, half, 0, 0))
    assert (m.static, link.gravity) == (False, False)
    assert link.inertial.mass == 4
    assert link.inertial.inertia == (0.1, 0.2, 0.25, 0.01, 0, 0)
    assert link.collisions[0].friction == 0.3
    assert link.visuals[0].rgba == (1, 0, 0, 0.75)


def test_quaternions_are_read_and_normalised(parse):
    world = parse(
        '<model name="m"><pose rotation_format="quat_xyzw">0 0 0 0 0 2 0</pose>'
        f'<link name="l"><collision name="c">{BOX}</collision></link></model>'
    )
    assert world.models[0].pose.rotation == (0, 0, 0, 1)


def test_nested_models_become_links_with_scoped_names_and_composed_poses(parse):
    inner = f'<model name="in"><pose>1 0 0 0 0 1.5707963267948966</pose><link name="l"><pose>1 0 0 0 0 0</pose><collision name="c">{BOX}</collision></link></model>'
    world = parse(model(inner))
    link = world.models[0].links[0]
    assert link.name == "in::l"
    assert link.pose.position == pytest.approx((1, 1, 0))


def test_included_models_take_the_name_pose_and_stillness_they_are_given(parse, tmp_path):
    folder = tmp_path / "models/crate"
    folder.mkdir(parents=True)
    (folder / "model.config").write_text("<model><sdf version='1.11'>crate.sdf</sdf></model>")
    (folder / "crate.sdf").write_text(
        f'<sdf version="1.11"><model name="crate"><link name="l"><collision name="c">{BOX}'
        "</collision></link></model></sdf>"
    )
    world = parse(
        "<include><uri>model://crate</uri></include>"
        "<include><uri>models/crate</uri><name>second</name><pose>1 2 3 0 0 0</pose>"
        "<static>true</static></include>"
    )
    first, second = world.models
    assert (first.name, first.static) == ("crate", False)
    assert (second.name, second.static, second.pose.position) == ("second", True, (1, 2, 3))
    assert first == parse_model_file(folder / "crate.sdf")[0]


def test_a_problem_in_an_included_file_names_that_file(parse, tmp_path):
    (tmp_path / "bad.sdf").write_text(
        '<sdf version="1.11"><model name="m">\n<joint/></model></sdf>'
    )
    with pytest.raises(SdfError) as caught:
        parse("<include><uri>bad.sdf</uri></include>")
    assert f"{tmp_path / 'bad.sdf'}:2: <joint>" in str(caught.value)


def test_an_included_pipe_is_an_error_not_a_hang(problems, tmp_path):
    (tmp_path / "crate").mkdir()
    os.mkfifo(tmp_path / "crate" / "model.sdf")
    [problem] = problems("<include><uri>crate</uri></include>")
    assert problem.endswith("crate/model.sdf: is no plain file")


def test_a_file_that_includes_itself_is_an_error_not_a_hang(parse, tmp_path):
    (tmp_path / "loop.sdf").write_text(
        '<sdf version="1.11"><model name="m"><include><uri>loop.sdf</uri></include></model></sdf>'
    )
    with pytest.raises(SdfError, match="is one in itself"):
        parse("<include><uri>loop.sdf</uri></include>")


def test_the_origin_is_read(parse):
    world = parse(
        "<spherical_coordinates><latitude_deg>48.5</latitude_deg><longitude_deg>-11</longitude_deg>"
        "<elevation>3</elevation></spherical_coordinates>"
    )
    origin = world.origin
    assert (origin.latitude_deg, origin.longitude_deg, origin.altitude_m) == (48.5, -11, 3)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (model('\n<joint name="j"/><link name="l"/>'), ["3: <joint> in <model> is not supported"]),
        (
            model(f'<link name="l"><colision name="c">{BOX}</colision></link>'),
            ["2: <colision> in <link> is not supported (did you mean <collision>?)"],
        ),
        (
            collision(f"{BOX}<surface><bounce/></surface>"),
            ["2: <bounce> in <surface> is not supported"],
        ),
        (
            collision("<geometry><capsule/></geometry>"),
            ["2: <capsule> in <geometry> is not supported"],
        ),
        (collision(""), ["2: <collision> needs a <geometry>"]),
        (
            collision("<geometry><box><size>1 2</size></box></geometry>"),
            ["2: <size> needs 3 numbers (got 1 2)"],
        ),
        (
            collision("<geometry><sphere><radius>-1</radius></sphere></geometry>"),
            ["2: <radius> must be positive (got -1)"],
        ),
        (
            collision("<geometry><sphere><radius>nan</radius></sphere></geometry>"),
            ["2: <radius> needs a number (got nan)"],
        ),
        (
            collision("<geometry><mesh><uri>https://a/b.obj</uri></mesh></geometry>"),
            ["2: only local files can be used (got https://a/b.obj)"],
        ),
        (
            collision("<geometry><mesh><uri>gone.obj</uri></mesh></geometry>"),
            ["2: gone.obj does not exist"],
        ),
        (model(""), ["2: the model m has no link"]),
        (
            model('<link name="l"/>') + "\n" + model('<link name="l"/>'),
            ["3: the model name m is taken"],
        ),
        (model('<link name="l"/><link name="l"/>'), ["2: the name l is taken (line 2)"]),
        (
            model('<link name="l"><kinematic>true</kinematic></link>'),
            ["2: <kinematic> must be false"],
        ),
        (
            model('<link name="l"><inertial><mass>0</mass></inertial></link>'),
            ["2: <mass> must be positive (got 0)"],
        ),
        (
            model(
                '<link name="l"><inertial><inertia><ixx>1</ixx><iyy>1</iyy><izz>3</izz></inertia>'
                "</inertial></link>"
            ),
            ["2: <inertia>: one moment is above the sum of the other two"],
        ),
        (
            model('<pose relative_to="x">0 0 0 0 0 0</pose><link name="l"/>'),
            ["2: <pose> with relative_to is not supported: give it in the parent"],
        ),
        (
            "<spherical_coordinates><heading_deg>90</heading_deg></spherical_coordinates>",
            ["2: <heading_deg> must be 0: x points east"],
        ),
        ('<actor name="a"/>', ["2: <actor> in <world> is not supported"]),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)  # fmt: skip
def test_what_would_change_physics_is_an_error_with_its_line(problems, body, expected):
    assert problems(body) == expected


def test_all_problems_are_reported_at_once(problems):
    found = problems(model('<link name="a"><sensors/></link>\n<link><pose>1</pose></link>'))
    assert [line.split(":")[0] for line in found] == ["2", "3", "3"]


def test_what_does_not_change_physics_is_a_warning_with_its_line(parse, tmp_path):
    world = parse('<plugin name="p" filename="f"/>\n<light name="sun" type="directional"/>')
    assert [str(w) for w in world.warnings] == [
        f"{tmp_path / 'world.sdf'}:2: <plugin> in <world> is left out"
    ]


@pytest.mark.parametrize("version", ["1.12", "2.0", "1.4", "x", ""])
def test_versions_that_cannot_be_read_are_refused(problems, version):
    assert len(problems("", version=version)) >= 1


def test_broken_xml_is_an_error_with_its_line(tmp_path):
    path = tmp_path / "world.sdf"
    path.write_text("<sdf version='1.11'>\n<world></sdf>")
    with pytest.raises(SdfError, match=r"world.sdf:2: not XML: mismatched tag"):
        parse_world(path)
