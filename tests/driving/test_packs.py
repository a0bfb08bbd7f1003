"""Packs: what is installed is what the manifest says, and nothing else gets out of an archive."""

import hashlib
import io
import json
import os
import re
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldproof.cli import main
from fieldproof.driving.agents import find_agent
from fieldproof.driving.loading import canonical_tags, load_scenario, load_suite
from fieldproof.driving.packs import (
    PackError,
    find_packs,
    install_pack,
    named_pack,
    pack_hashes,
    read_pack,
    unpack,
    verify_pack,
    write_hashes,
)
from fieldproof.driving.packs import _archive as archive_limits
from fieldproof.driving.suite import SuiteOptions, run_suite_into
from fieldproof.model import ScenarioError

from .builders import EXAMPLES, ROOT, SUITES, merged, scenario_data

PACKS = ROOT / "packs"
SHIPPED = sorted(path.name for path in find_packs(PACKS))


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def made(folder, *, name="mine", ids=("one", "two"), **changes):
    """A sound pack in a folder."""
    root = folder / name
    (root / "scenarios").mkdir(parents=True)
    entries = []
    for scenario in ids:
        path = root / "scenarios" / f"{scenario}.yaml"
        data = scenario_data(id=scenario, environment={"marketplace_pack": "mine"})
        path.write_text(yaml.safe_dump(data), "utf-8")
        entry = {"id": scenario, "file": f"scenarios/{scenario}.yaml", "tags": ["tag"]}
        entries.append({**entry, "sha256": sha256(path)})
    manifest = {
        "id": "mine",
        "name": "Mine",
        "version": "1.0.0",
        "domain": "urban",
        "task_type": "driving",
        "scenarios": entries,
    }
    (root / "pack.yaml").write_text(yaml.safe_dump(merged(manifest, changes)), "utf-8")
    return root


def zipped(folder, root, *, inside="mine/", name="mine.zip"):
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(root.rglob("*")):
            if file.is_file():
                archive.write(file, inside + file.relative_to(root).as_posix())
    return path


def tarred(folder, root, *, inside="mine/", name="mine.tar.gz"):
    path = folder / name
    mode = {"gz": "w:gz", "xz": "w:xz"}.get(name.rsplit(".", 1)[-1], "w")
    with tarfile.open(path, mode) as archive:
        for file in sorted(root.rglob("*")):
            archive.add(file, inside + file.relative_to(root).as_posix(), recursive=False)
    return path


def installed(source, folder, **options):
    return install_pack(source, folder / "packs", **{"sha256": None, "replace": False, **options})


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_a_pack_here_is_as_its_manifest_says_and_has_enough_scenarios(name):
    pack = named_pack(PACKS, name)
    assert pack.id == name
    assert verify_pack(pack) == []
    assert len(pack.manifest.scenarios) >= 6


def test_there_are_packs_for_cars_drones_and_manipulators():
    assert {"urban_driving", "drones", "manipulators"} <= set(SHIPPED)
    kinds = {named_pack(PACKS, name).manifest.task_type for name in SHIPPED}
    assert {"driving", "drone", "manipulator"} <= kinds


@pytest.mark.parametrize("name", SHIPPED)
def test_the_rule_based_agent_passes_every_pack_here(name, tmp_path):
    suite = load_suite(SUITES / f"{name}.yaml")
    how = SuiteOptions(find_agent(str(EXAMPLES / "rule_based_agent.py")), host=os.environ, jobs=1)
    finished = run_suite_into(suite, how, tmp_path / "run")
    assert finished.summary["reason"] == (
        f"{len(suite.scenarios)} of {len(suite.scenarios)} scenarios succeeded, safety score 100"
    )


@pytest.mark.parametrize("name", SHIPPED)
def test_the_reckless_agent_fails_every_pack_here(name, tmp_path):
    suite = load_suite(SUITES / f"{name}.yaml")
    how = SuiteOptions(find_agent(str(EXAMPLES / "reckless_agent.py")), host=os.environ, jobs=1)
    assert not run_suite_into(suite, how, tmp_path / "run").passed


@pytest.mark.parametrize("name", SHIPPED)
def test_scenarios_without_tags_get_the_canonical_ones_of_their_pack(name):
    pack = named_pack(PACKS, name)
    for one in pack.manifest.scenarios:
        scenario = load_scenario(pack.path / one.file)
        assert scenario.file.tags is None
        assert scenario.tags == tuple(one.tags) == canonical_tags(name, one.id)


def test_tags_of_its_own_come_first_and_unknown_packs_have_none(tmp_path):
    data = scenario_data(id="cut_in_ahead", environment={"marketplace_pack": "urban_driving"})
    path = tmp_path / "s.yaml"
    path.write_text(yaml.safe_dump({**data, "tags": ["own"]}), "utf-8")
    assert load_scenario(path).tags == ("own",)
    path.write_text(yaml.safe_dump({**data, "tags": []}), "utf-8")
    assert load_scenario(path).tags == ()
    assert canonical_tags("nobody", "s") == canonical_tags("urban_driving", "s") == ()


def test_a_scenario_of_any_pack_without_tags_has_those_of_the_manifest(tmp_path):
    pack = installed(made(tmp_path, ids=("one",)), tmp_path / "packs")
    path = pack.path / "scenarios" / "one.yaml"
    assert load_scenario(path).tags == ("tag",)
    assert load_scenario(path).read == (path, pack.path / "pack.yaml")
    (tmp_path / "link.yaml").symlink_to(path)
    assert load_scenario(tmp_path / "link.yaml").tags == ("tag",)
    manifest = pack.path / "pack.yaml"
    manifest.write_text(manifest.read_text("utf-8").replace("- tag", "- other-tag"), "utf-8")
    assert load_scenario(path).tags == ("other-tag",)


def test_the_manifest_of_the_pack_comes_before_what_is_known_of_one_of_that_id(tmp_path):
    root = made(tmp_path, ids=("cut_in_ahead",), id="urban_driving")
    path = root / "scenarios" / "cut_in_ahead.yaml"
    data = scenario_data(id="cut_in_ahead", environment={"marketplace_pack": "urban_driving"})
    path.write_text(yaml.safe_dump(data), "utf-8")
    assert load_scenario(path).tags == ("tag",)


def test_a_scenario_that_lies_in_a_pack_and_is_not_of_it_has_no_tags_of_it(tmp_path):
    path = made(tmp_path) / "scenarios" / "one.yaml"
    data = scenario_data(id="one", environment={"marketplace_pack": "other"})
    path.write_text(yaml.safe_dump(data), "utf-8")
    assert load_scenario(path).tags == ()
    path.write_text(yaml.safe_dump(scenario_data(id="three")), "utf-8")
    assert load_scenario(path).tags == ()


def test_a_manifest_that_is_not_sound_refuses_the_scenarios_that_need_its_tags(tmp_path):
    root = made(tmp_path, version="new")
    path = root / "scenarios" / "one.yaml"
    with pytest.raises(ScenarioError, match=r"pack.yaml:\d+:\d+: version: must be a version"):
        load_scenario(path)
    path.write_text(yaml.safe_dump({**scenario_data(id="one"), "tags": ["own"]}), "utf-8")
    assert load_scenario(path).tags == ("own",)


MAKERS = [
    pytest.param(lambda folder, root: root, id="folder"),
    pytest.param(zipped, id="zip"),
    pytest.param(lambda folder, root: zipped(folder, root, inside=""), id="zip_without_a_folder"),
    pytest.param(tarred, id="tar_gz"),
    pytest.param(lambda folder, root: tarred(folder, root, name="m.tar"), id="tar"),
    pytest.param(lambda folder, root: tarred(folder, root, name="m.tar.xz"), id="tar_xz"),
]


@pytest.mark.parametrize("source_of", MAKERS)
def test_a_pack_is_installed_from_a_folder_or_an_archive(tmp_path, source_of):
    root = made(tmp_path)
    pack = installed(source_of(tmp_path, root), tmp_path)
    assert pack.path == tmp_path / "packs" / "mine"
    assert files(pack.path) == files(root)
    assert [path.name for path in (tmp_path / "packs").iterdir()] == ["mine"]
    assert verify_pack(pack) == []


@pytest.mark.parametrize("name", ["evil.sh", "scenarios/three.yaml", "scenarios/.git/x", "a/b/c"])
@pytest.mark.parametrize("source_of", MAKERS[:3])
def test_what_the_manifest_does_not_name_is_refused_by_name(tmp_path, name, source_of):
    root = made(tmp_path)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("x", "utf-8")
    with pytest.raises(PackError) as caught:
        installed(source_of(tmp_path, root), tmp_path)
    said = "is not installed: these are not in its pack.yaml; name them there, or take them out:"
    first, second = str(caught.value).splitlines()
    assert first.endswith(said)
    assert second.endswith(name)
    assert list((tmp_path / "packs").iterdir()) == []


def test_what_stands_beside_the_folder_of_an_archive_is_refused_by_name(tmp_path):
    archive = zipped(tmp_path, made(tmp_path))
    with zipfile.ZipFile(archive, "a") as opened:
        opened.writestr("__MACOSX/README", "x")
    with pytest.raises(PackError, match=r"or take them out:\n__MACOSX/README$"):
        installed(archive, tmp_path)


def test_a_link_to_a_folder_that_the_manifest_does_not_name_is_refused_by_name(tmp_path):
    root = made(tmp_path)
    (root / "more").symlink_to(tmp_path)
    with pytest.raises(PackError, match=r"or take them out:\nmore$"):
        installed(root, tmp_path)


def test_many_files_that_the_manifest_does_not_name_are_counted(tmp_path):
    root = made(tmp_path)
    for number in range(14):
        (root / f"{number:02}").write_text("x", "utf-8")
    with pytest.raises(PackError, match=r"\n00\n(.*\n){9}and 4 more$"):
        installed(root, tmp_path)


def test_what_is_said_about_a_pack_may_stand_in_it_and_is_not_installed(tmp_path):
    root = made(tmp_path)
    for name in ("README.md", "LICENSE", ".gitignore", ".git/config"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x", "utf-8")
    pack = installed(root, tmp_path)
    assert {path.name for path in pack.path.iterdir()} == {"pack.yaml", "scenarios"}
    (pack.path / "README.md").write_text("x", "utf-8")
    assert verify_pack(pack) == []


def test_a_folder_of_packs_that_is_a_file_is_named_with_what_to_do(tmp_path):
    (tmp_path / "packs").write_text("", "utf-8")
    with pytest.raises(
        PackError, match="cannot hold packs: File exists; give a folder with --packs"
    ):
        installed(made(tmp_path), tmp_path)


def test_an_installed_pack_stays_unless_it_is_to_be_replaced(tmp_path):
    root = made(tmp_path)
    installed(root, tmp_path)
    with pytest.raises(PackError, match="the pack mine is installed already; give --replace"):
        installed(root, tmp_path)
    newer = made(tmp_path / "newer", version="2.0.0")
    assert installed(newer, tmp_path, replace=True).manifest.version == "2.0.0"
    assert [path.name for path in (tmp_path / "packs").iterdir()] == ["mine"]


def test_the_hash_of_an_archive_or_a_pack_is_asked_for(tmp_path):
    root = made(tmp_path)
    archive = zipped(tmp_path, root)
    with pytest.raises(PackError, match=r"has the SHA-256 .*: it is not installed"):
        installed(archive, tmp_path, sha256="0" * 64)
    with pytest.raises(PackError, match="it is not installed"):
        installed(root, tmp_path, sha256="0" * 64)
    assert not (tmp_path / "packs" / "mine").exists()
    installed(archive, tmp_path, sha256=sha256(archive).upper())
    installed(root, tmp_path, sha256=read_pack(root).digest, replace=True)


def changed_file(root):
    path = root / "scenarios" / "one.yaml"
    path.write_text(path.read_text("utf-8") + "# more\n", "utf-8")


def missing_file(root):
    (root / "scenarios" / "two.yaml").unlink()


def unsound(root):
    path = root / "scenarios" / "one.yaml"
    path.write_text("id: one\n", "utf-8")
    rehash(root)


def other_id(root):
    path = root / "scenarios" / "one.yaml"
    path.write_text(path.read_text("utf-8").replace("id: one", "id: three"), "utf-8")
    rehash(root)


def other_pack(root):
    path = root / "scenarios" / "one.yaml"
    path.write_text(path.read_text("utf-8").replace("_pack: mine", "_pack: theirs"), "utf-8")
    rehash(root)


def rehash(root):
    manifest = yaml.safe_load((root / "pack.yaml").read_text("utf-8"))
    for one in manifest["scenarios"]:
        one["sha256"] = sha256(root / one["file"])
    (root / "pack.yaml").write_text(yaml.safe_dump(manifest), "utf-8")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (changed_file, "scenarios/one.yaml is not what the manifest says: its SHA-256 is"),
        (missing_file, "scenarios/two.yaml is missing"),
        (unsound, "name: is missing"),
        (other_id, "has the id three, the manifest says one"),
        (other_pack, "says that it is of the pack theirs, not of mine"),
    ],
)
@pytest.mark.parametrize("source_of", MAKERS[:2])
def test_a_pack_that_is_not_what_it_says_is_refused_and_leaves_nothing(
    tmp_path, damage, said, source_of
):
    root = made(tmp_path)
    damage(root)
    with pytest.raises(PackError) as caught:
        installed(source_of(tmp_path, root), tmp_path)
    assert said in str(caught.value)
    assert list((tmp_path / "packs").iterdir()) == []


@pytest.mark.parametrize("name", ["scenarios/three.yaml", "scenarios/three.yml", "three"])
def test_an_added_file_is_found_by_verifying(tmp_path, name):
    pack = installed(made(tmp_path), tmp_path)
    shutil.copy(pack.path / "scenarios" / "one.yaml", pack.path / name)
    (problem,) = verify_pack(pack)
    assert problem.endswith(f"{name} is not in the manifest")


def link_to(name):
    info = tarfile.TarInfo(f"mine/{name}")
    info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
    return info


def hard_link():
    info = tarfile.TarInfo("mine/hard")
    info.type, info.linkname = tarfile.LNKTYPE, "../../outside"
    return info


def device():
    info = tarfile.TarInfo("mine/null")
    info.type = tarfile.CHRTYPE
    return info


OUTSIDE = [
    "../evil.yaml",
    "mine/../../evil.yaml",
    "/tmp/evil.yaml",
    "..",
    "a\\..\\..\\evil",
    "C:evil",
]


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("form", ["zip", "tar"])
def test_a_path_that_leads_out_of_the_archive_is_refused(tmp_path, name, form):
    archive = tmp_path / f"evil.{form}"
    if form == "zip":
        with zipfile.ZipFile(archive, "w") as opened:
            opened.writestr(name, "x")
    else:
        with tarfile.open(archive, "w") as opened:
            info = tarfile.TarInfo(name)
            info.size = 1
            opened.addfile(info, io.BytesIO(b"x"))
    before = files(tmp_path)
    with pytest.raises(PackError, match="which leads out of it: refused"):
        installed(archive, tmp_path)
    assert files(tmp_path) == before


@pytest.mark.parametrize(
    ("member", "what"), [(link_to("a"), "a link"), (hard_link(), "a link"), (device(), "no plain")]
)
def test_links_and_devices_are_refused(tmp_path, member, what):
    archive = tmp_path / "evil.tar"
    with tarfile.open(archive, "w") as opened:
        opened.addfile(member)
    with pytest.raises(PackError, match=f"holds {what}"):
        installed(archive, tmp_path)


def test_a_link_in_a_zip_is_refused(tmp_path):
    archive = tmp_path / "evil.zip"
    info = zipfile.ZipInfo("mine/link")
    info.external_attr = (0o120777) << 16
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr(info, "/etc/passwd")
    with pytest.raises(PackError, match="holds a link"):
        installed(archive, tmp_path)


def test_a_link_in_a_folder_that_leads_out_of_it_is_refused(tmp_path):
    root = made(tmp_path)
    secret = tmp_path / "secret.yaml"
    shutil.move(root / "scenarios" / "one.yaml", secret)
    (root / "scenarios" / "one.yaml").symlink_to(secret)
    with pytest.raises(PackError, match=r"one.yaml is missing"):
        installed(root, tmp_path)


def test_a_name_twice_and_a_file_under_a_file_are_refused(tmp_path):
    twice, under = tmp_path / "twice.zip", tmp_path / "under.zip"
    with zipfile.ZipFile(twice, "w") as opened:
        opened.writestr("mine/pack.yaml", "a")
        with pytest.warns(UserWarning, match="Duplicate name"):
            opened.writestr("mine/pack.yaml", "b")
    with zipfile.ZipFile(under, "w") as opened:
        opened.writestr("mine", "a")
        opened.writestr("mine/pack.yaml", "b")
    with pytest.raises(PackError, match=r"holds 'mine/pack.yaml' twice"):
        installed(twice, tmp_path)
    with pytest.raises(PackError, match=r"holds 'mine/pack.yaml' under a file"):
        installed(under, tmp_path)


def test_what_is_too_large_is_refused_whatever_it_claims(tmp_path, monkeypatch):
    monkeypatch.setattr(archive_limits, "LARGEST_FILE", 1000)
    monkeypatch.setattr(archive_limits, "LARGEST_PACK", 5000)
    monkeypatch.setattr(archive_limits, "MOST_FILES", 10)
    for name, sizes, said in (
        ("file", [2000], "is larger than"),
        ("all", [900] * 6, "is larger than"),
        ("many", [1] * 11, "holds more than 10 files"),
    ):
        archive = tmp_path / f"{name}.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
            for place, size in enumerate(sizes):
                opened.writestr(f"f{place}", bytes(size))
        with pytest.raises(PackError, match=said):
            installed(archive, tmp_path)
    with tarfile.open(tmp_path / "many.tar", "w") as opened:
        for place in range(11):
            opened.addfile(tarfile.TarInfo(f"f{place}"))
    with pytest.raises(PackError, match="holds more than 10 files"):
        installed(tmp_path / "many.tar", tmp_path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": "../evil"}, "id: must be lower-case letters"),
        ({"version": "new"}, "version: must be a version such as 1.0.0"),
        ({"scenarios": []}, "scenarios: must have at least 1 item"),
        ({"extra": 1}, "extra: unknown key"),
        (
            {"scenarios": [{"id": "a", "file": "../a.yaml", "tags": ["t"], "sha256": "0" * 64}]},
            "scenarios[0].file: must be a path inside the folder",
        ),
        (
            {"scenarios": [{"id": "a", "file": "a.yaml", "tags": ["T"], "sha256": "x"}]},
            "scenarios[0].tags[0]: must be a slug",
        ),
    ],
)
def test_a_manifest_that_is_not_sound_is_refused_with_its_place(tmp_path, changes, said):
    root = made(tmp_path, **changes)
    with pytest.raises(ScenarioError) as caught:
        installed(root, tmp_path)
    assert said in str(caught.value)
    assert "pack.yaml:" in str(caught.value)
    assert list((tmp_path / "packs").iterdir()) == []


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz", "x.tgz", "x.rar"])
@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(data=st.data())
def test_whatever_bytes_an_archive_holds_it_is_refused_and_nothing_is_written(tmp_path, name, data):
    head = {"zip": b"PK\x03\x04", "gz": b"\x1f\x8b\x08", "tgz": b"\x1f\x8b\x08"}
    start = data.draw(st.sampled_from([b"", head.get(name.rsplit(".", 1)[-1], b"")]))
    source = tmp_path / name
    source.write_bytes(start + data.draw(st.binary(max_size=600)))
    with pytest.raises(PackError):
        installed(source, tmp_path)
    assert set(files(tmp_path)) == {name}


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(cut=st.integers(0, 2000), flip=st.integers(0, 2000), value=st.integers(0, 255))
def test_a_damaged_archive_is_refused_or_still_what_it_says(tmp_path, cut, flip, value):
    root = tmp_path / "source" / "mine"
    if not root.exists():
        made(tmp_path / "source")
    for source in (zipped(tmp_path, root), tarred(tmp_path, root)):
        raw = bytearray(source.read_bytes())
        raw[flip % len(raw)] = value
        source.write_bytes(raw[: max(1, len(raw) - cut)])
        try:
            pack = installed(source, tmp_path, replace=True)
        except (PackError, ScenarioError):
            continue
        assert verify_pack(pack) == []


@pytest.mark.parametrize("name", ["mine.zip", "mine.tar", "mine.tar.gz", "mine.tar.xz"])
def test_an_archive_with_any_one_byte_changed_is_refused_or_still_what_it_says(tmp_path, name):
    root = made(tmp_path / "source", ids=("one",))
    source = (zipped if name == "mine.zip" else tarred)(tmp_path, root, name=name)
    raw = source.read_bytes()
    for place in range(0, len(raw), 1 + len(raw) // 200):
        source.write_bytes(raw[:place] + bytes([raw[place] ^ 0x41]) + raw[place + 1 :])
        try:
            pack = installed(source, tmp_path, replace=True)
        except (PackError, ScenarioError):
            continue
        assert verify_pack(pack) == []


def test_a_source_that_is_not_there_is_named(tmp_path):
    with pytest.raises(PackError, match=r"there is no .*gone; give a folder or an archive"):
        installed(tmp_path / "gone", tmp_path)
    empty = tmp_path / "empty.zip"
    zipfile.ZipFile(empty, "w").close()
    with pytest.raises(PackError, match=r"holds 0 files called pack.yaml, not one"):
        installed(empty, tmp_path)


def test_unpacking_writes_nothing_outside_its_folder(tmp_path):
    root = made(tmp_path / "source")
    (tmp_path / "out").mkdir()
    unpack(tarred(tmp_path, root), tmp_path / "out")
    assert set(files(tmp_path / "out")) == {
        "mine/pack.yaml",
        "mine/scenarios/one.yaml",
        "mine/scenarios/two.yaml",
    }


def test_the_canonical_tags_are_those_of_the_packs_here():
    table = Path(canonical_tags.__code__.co_filename).with_name("canonical_tags.json")
    assert json.loads(table.read_text("utf-8")) == {
        name: {one.id: one.tags for one in named_pack(PACKS, name).manifest.scenarios}
        for name in SHIPPED
    }


def without_hashes(root, style):
    """The manifest of a pack as somebody writes it who knows no hashes yet."""
    path = root / "pack.yaml"
    files = [f"scenarios/{one.name}" for one in sorted((root / "scenarios").iterdir())]
    entries = "".join(style.format(id=Path(one).stem, file=one) for one in files)
    head = "# mine\nid: mine\nname: Mine\nversion: 1.0.0\ndomain: urban\ntask_type: driving\n"
    path.write_text(f"{head}scenarios:\n{entries}# end\n", "utf-8")
    return path


STYLES = {
    "absent": "  - id: {id}\n    file: {file}  # here\n    tags: [tag]\n",
    "file first": "- file: {file}\n  id: {id}\n  tags: [tag]\n",
    "zeros": "  - id: {id}\n    file: {file}\n    tags: [tag]\n    sha256: 000  # to be filled in\n",
    "empty": "  - id: {id}\n    sha256:\n    file: {file}\n    tags: [tag]\n",
    "quoted": '  - "id": {id}\n    "sha256" : "abc"\n    "file": {file}\n    "tags": [tag]\n',
    "one line": "  - {{ id: {id}, file: {file}, tags: [tag] }}\n",
    "one line, wrong": "  - {{ id: {id}, sha256: no, file: {file}, tags: [tag] }}\n",
}


@pytest.mark.parametrize("style", STYLES.values(), ids=STYLES)
def test_the_hashes_of_a_manifest_are_filled_in_and_the_rest_of_it_stays(tmp_path, style):
    root = made(tmp_path)
    path = without_hashes(root, style)
    before = path.read_text("utf-8")
    assert write_hashes(root) == 2
    assert verify_pack(read_pack(root)) == []
    after = path.read_text("utf-8")
    assert [one for one in after.split() if one[0] == "#"] == [
        one for one in before.split() if one[0] == "#"
    ]
    assert write_hashes(root) == 0
    assert path.read_text("utf-8") == after


def test_the_hashes_of_a_pack_are_those_that_its_manifest_should_have(tmp_path):
    root = made(tmp_path)
    wanted = {one.file: one.sha256 for one in read_pack(root).manifest.scenarios}
    assert pack_hashes(root) == wanted


def test_hashes_are_written_into_a_sound_copy_of_every_pack_here(tmp_path):
    for name in SHIPPED:
        shutil.copytree(PACKS / name, tmp_path / name)
        path = tmp_path / name / "pack.yaml"
        right = path.read_text("utf-8")
        path.write_text(re.sub("sha256: [0-9a-f]+", "sha256: x", right), "utf-8")
        assert write_hashes(tmp_path / name)
        assert path.read_text("utf-8") == right


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id: mine\n", "names no scenarios"),
        ("scenarios: [{id: a}]\n", "pack.yaml:1: scenarios[0] names no file"),
        ("scenarios:\n- file: no.yaml\n", "pack.yaml:2: scenarios[0].file: "),
        ("scenarios:\n- file: ../out.yaml\n", "out.yaml is not in the pack"),
    ],
)
def test_hashes_of_what_is_not_there_are_refused_with_the_place(tmp_path, text, said):
    root = made(tmp_path)
    (tmp_path / "out.yaml").write_text("x", "utf-8")
    (root / "pack.yaml").write_text(text, "utf-8")
    with pytest.raises(PackError, match=re.escape(said)):
        write_hashes(root)
    assert (root / "pack.yaml").read_text("utf-8") == text


def test_packs_hash_prints_the_hashes_and_writes_them_when_asked(tmp_path):
    root = made(tmp_path)
    path = without_hashes(root, STYLES["absent"])
    before = path.read_text("utf-8")
    done = CliRunner().invoke(main, ["packs", "hash", str(root)])
    first = root / "scenarios" / "one.yaml"
    assert (done.exit_code, path.read_text("utf-8")) == (0, before)
    assert done.stdout.splitlines()[0] == f"{sha256(first)}  scenarios/one.yaml"
    done = CliRunner().invoke(main, ["packs", "hash", str(root), "--write"])
    assert done.stdout.splitlines()[-1] == f"{root}/pack.yaml: 2 hashes written"
    assert verify_pack(read_pack(root)) == []
    done = CliRunner().invoke(main, ["packs", "hash", str(tmp_path)])
    assert done.exit_code == 2
    assert "pack.yaml: there is no such file; name the folder of a pack" in done.stderr


def test_a_pack_goes_from_its_folder_to_a_run_as_documented(tmp_path, monkeypatch):
    part = (ROOT / "docs" / "driving.md").read_text("utf-8").partition("## Packs")[2]
    manifest, suite = re.findall(r"```yml\n(.*?)```", part, re.DOTALL)[:2]
    monkeypatch.chdir(tmp_path)
    for name in ("my_pack/scenarios", "scenarios/suites"):
        Path(name).mkdir(parents=True)
    Path("my_pack/pack.yaml").write_text(manifest, "utf-8")
    scenario = yaml.safe_dump(scenario_data(id="cut_in"))
    Path("my_pack/scenarios/cut_in.yaml").write_text(scenario, "utf-8")
    Path("scenarios/suites/my_suite.yaml").write_text(suite, "utf-8")
    for command in (
        "packs hash my_pack --write",
        "packs install my_pack",
        "packs verify my_pack",
        "suite run my_suite",
    ):
        done = CliRunner().invoke(main, command.split())
        assert done.exit_code == 0, done.output
        assert command in f"{part} packs verify my_pack"
    assert "PASS  my_suite: 1 of 1 scenarios succeeded" in done.output
