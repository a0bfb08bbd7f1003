"""The documentation names everything that there is, its links lead somewhere, its scenarios run."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import click
import pytest
import yaml
from pydantic import BaseModel

from fieldproof.assertions import assertion_types
from fieldproof.cli import main
from fieldproof.engine.resolve import resolve
from fieldproof.events import event_types
from fieldproof.kpis import kpi_types
from fieldproof.model import TimelineBase, VehicleManifest, World, validated
from fieldproof.model._manifest import Lockstep
from fieldproof.model._settings import ScenarioFile, VehicleSettings
from fieldproof.model._signals import When

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCES = ("lib", "sim", "bridge", "robots", "reports")
BUILT = {"build", "runs", "result", "node_modules"}
PAGES = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part in BUILT or part.startswith(".") for part in path.relative_to(ROOT).parts)
)
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


def prose(path):
    return FENCE.sub("", path.read_text("utf-8"))


def section(page, heading):
    """The text from a heading to the next one of its level or above."""
    text = prose(DOCS / page)
    match = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    assert match, f"{page} has no heading {heading!r}"
    rest = text[match.end() :]
    following = re.search(rf"^#{{1,{len(match[1])}}} ", rest, re.MULTILINE)
    return rest[: following.start()] if following else rest


def anchors(path):
    """The fragments that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}


def names_of(text):
    """Every word that stands in code quotes, with the parts of dotted ones."""
    quoted = " ".join(re.findall(r"`([^`\n]+)`", FENCE.sub("", text)))
    return set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", quoted))


def keys_of(model, seen=()):
    """The keys of a model and of every model inside it, as (model, key)."""
    for key, field in model.model_fields.items():
        yield model.__name__, key
        for inner in models_in(field.annotation):
            if inner not in seen:
                yield from keys_of(inner, (*seen, model))


def models_in(annotation):
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from models_in(argument)


def commands(group, path=()):
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


COMMANDS = dict(commands(main))
WHOLE = pytest.mark.skipif(
    not (ROOT / "README.md").is_file(),
    reason="no README here: what it and the commands' pages say stays unproved",
)
ASSERTIONS = assertion_types()
EVENTS = event_types()
KPIS = kpi_types()
MODELS = [
    pytest.param(ScenarioFile, "scenarios.md", id="scenario"),
    pytest.param(VehicleSettings, "scenarios.md", id="vehicle"),
    pytest.param(When, "scenarios.md", id="when"),
    pytest.param(VehicleManifest, "robots.md", id="manifest"),
    pytest.param(World, "worlds.md", id="world"),
]


@pytest.mark.parametrize(("model", "page"), MODELS)
def test_every_key_of_a_file_is_documented(model, page):
    known = names_of((DOCS / page).read_text("utf-8"))
    assert [f"{owner}.{key}" for owner, key in keys_of(model) if key not in known] == []


@pytest.mark.parametrize("name", sorted(ASSERTIONS))
def test_every_assertion_type_has_a_section_with_its_keys_metrics_and_rules(name):
    kind = ASSERTIONS[name]
    text = section("assertions.md", name)
    common = names_of(section("assertions.md", "Assertions").split("\n## ")[0])
    wanted = [key for key in kind.Spec.model_fields if key not in {"name", "type", "on_fail"}]
    assert {"name", "type", "on_fail"} <= common
    assert [key for key in [*wanted, *kind.metrics] if key not in names_of(text)] == []
    rules = ("Passes", "Fails", "No data", "NaN", "Evidence", "Metrics")
    assert [rule for rule in rules if f"**{rule}**" not in text] == []


@pytest.mark.parametrize("name", sorted(KPIS))
def test_every_collector_has_a_row_with_its_keys_and_metrics(name):
    (row,) = [
        line for line in section("assertions.md", "KPIs").splitlines()
        if line.startswith(f"| `{name}` |")
    ]  # fmt: skip
    wanted = [key for key in KPIS[name].Spec.model_fields if key not in {"name", "type"}]
    assert [key for key in [*wanted, *KPIS[name].metrics] if key not in names_of(row)] == []


def test_every_metric_of_a_signal_is_documented():
    annotation = When.model_fields["metric"].annotation
    literal = next(one for one in get_args(annotation) if one is not type(None))
    assert set(get_args(literal)) <= names_of(section("scenarios.md", "Conditions"))


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_every_event_is_documented_with_its_keys(name):
    common = names_of(section("scenarios.md", "timeline"))
    assert [key for key in TimelineBase.model_fields if key not in common] == []
    rows = [
        line for line in prose(DOCS / "events.md").splitlines() if line.startswith(f"| `{name}` |")
    ]
    own = EVENTS[name].Entry.model_fields.keys() - TimelineBase.model_fields.keys()
    radio_links = prose(DOCS / "events.md").split("## Radio links")[1].split("##")[0]
    if name.startswith("link."):
        rows = [radio_links] if f"`{name}`" in radio_links else []
    assert rows, f"events.md says nothing of {name}"
    assert [key for key in sorted(own) if key not in names_of(rows[0])] == []


@WHOLE
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_and_option_is_documented(name):
    text = "\n".join(path.read_text("utf-8") for path in [ROOT / "README.md", *DOCS.glob("*.md")])
    assert re.search(rf"\bfieldproof {name}\b|`{name}\b", text), name
    options = [
        option
        for parameter in COMMANDS[name].params
        if isinstance(parameter, click.Option)
        for option in parameter.opts
        if option.startswith("--")
    ]
    assert [one for one in options if not re.search(rf"(?<![\w-]){one}(?![\w-])", text)] == []


@WHOLE
def test_the_readme_names_only_commands_that_exist():
    text = (ROOT / "README.md").read_text("utf-8")
    table = re.findall(
        r"`(?:\./fieldproof )?([a-z]+(?: [a-z]+)?)\b[^`|]*`", section_of_commands(text)
    )
    called = re.findall(r"\./fieldproof ([a-z]+(?: (?:list|verify))?)", text)
    known = set(COMMANDS) | {name.split()[0] for name in COMMANDS}
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = {f"make {name}" for name in re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE)}
    assert called
    assert [one for one in called if one not in known] == []
    assert [one for one in table if one not in known | targets | {"make"}] == []


def section_of_commands(text):
    return text.split("\n## Commands\n")[1].split("\n## ")[0]


@WHOLE
def test_every_make_target_in_the_documentation_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for page in PAGES:
        for target in re.findall(
            r"(?:`|^)make ([a-z][a-z-]*)", page.read_text("utf-8"), re.MULTILINE
        ):
            assert target in targets, f"{page.relative_to(ROOT)}: make {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_to_a_file_and_a_heading(page):
    broken = []
    for target in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        path = (page.parent / name).resolve() if name else page
        if not path.exists() or (fragment and fragment not in anchors(path)):
            broken.append(target)
    assert broken == []


def yaml_blocks():
    for page in PAGES:
        for number, (language, text) in enumerate(FENCE.findall(page.read_text("utf-8"))):
            if language == "yaml":
                yield pytest.param(text, id=f"{page.relative_to(ROOT)}:{number}")


@pytest.fixture
def shelf(tmp_path):
    """A project's worlds and robots, with those that the documentation builds."""
    for name in ("worlds", "robots"):
        (tmp_path / name).mkdir()
        for folder in (ROOT / name).iterdir():
            if folder.is_dir():
                (tmp_path / name / folder.name).symlink_to(folder)
    mini = tmp_path / "robots" / "mini"
    stack = tmp_path / "robots" / "mini_stack"
    for folder in (mini, stack):
        folder.mkdir()
    urdf = (ROOT / "robots" / "ugv_ref" / "ugv_ref.urdf").read_text("utf-8")
    (mini / "mini.urdf").write_text(urdf, "utf-8")
    (mini / "robot.yaml").write_text(block_of("robots.md", "kind: Vehicle"), "utf-8")
    (stack / "__init__.py").touch()
    (stack / "driver.py").write_text(block_of("robots.md", "import rclpy"), "utf-8")
    return tmp_path


def block_of(page, words):
    blocks = [text for _, text in FENCE.findall((DOCS / page).read_text("utf-8")) if words in text]
    assert len(blocks) == 1, f"{page}: {len(blocks)} blocks with {words!r}"
    return blocks[0]


def completed(fragment):
    """A scenario around a part of one, on vehicles and an entry of the usual names."""
    places = {"ugv1": "spawn_dock", "ugv2": "spawn_dock_west", "ugv3": "spawn_dock_east"}
    drive = {"name": "drive_ahead", "action": "navigate_to_pose", "vehicle": "ugv1"}
    scenario = {
        "apiVersion": "fieldproof.dev/v0alpha1",
        "kind": "Scenario",
        "name": "fragment",
        "world": "dock_yard",
        "vehicles": [
            {"name": name, "manifest": "ugv_ref", "spawn": {"frame": frame}}
            for name, frame in places.items()
        ],
        "timeline": [{**drive, "goal": {"frame": "yard_goal"}}],
    }
    return {**scenario, **({"assertions": fragment} if isinstance(fragment, list) else fragment)}


@pytest.mark.parametrize("text", list(yaml_blocks()))
def test_every_yaml_example_validates_or_is_a_fragment_of_something_that_does(text, shelf):
    data = yaml.safe_load(text)
    is_fragment = text.startswith("# fragment")
    if isinstance(data, dict) and data.get("kind") == "World":
        assert validated(World, data).name
        return
    if isinstance(data, dict) and data.get("kind") == "Vehicle":
        assert validated(VehicleManifest, data).name == data["name"]
        return
    if isinstance(data, dict) and "lockstep" in data:
        assert is_fragment
        assert validated(Lockstep, data["lockstep"])
        return
    scenario = shelf / "scenario.yaml"
    scenario.write_text(yaml.safe_dump(completed(data)) if is_fragment else text, "utf-8")
    assert resolve(scenario, shelf / "worlds", shelf / "robots").scenario.name


def test_every_python_example_compiles():
    for page in PAGES:
        for language, text in FENCE.findall(page.read_text("utf-8")):
            if language == "python":
                compile(text, str(page), "exec")


@pytest.mark.ros
@pytest.mark.parametrize("page", ["scenarios.md", "robots.md"])
def test_the_examples_that_are_said_to_run_pass_and_are_exact(page, shelf):
    scenario = shelf / "scenario.yaml"
    scenario.write_text(block_of(page, "kind: Scenario"), "utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "-m", "fieldproof.cli", "run", "--quiet", "scenario.yaml"],
        cwd=shelf,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / name) for name in SOURCES)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    record = json.loads((shelf / "runs" / "latest" / "run.json").read_text("utf-8"))
    assert (record["status"], record["determinism"]) == ("passed", "exact")
