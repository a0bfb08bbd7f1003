"""The lock and the import: what is missing or wrong is named, and nothing half-done stays."""

import json
import re
import subprocess
import sys

import pytest

from .conftest import ROOT

pytestmark = pytest.mark.nix

_WHEEL = "annotated-types"


def _change_lock(checkout, change):
    path = checkout.root / "nix/lock.json"
    lock = json.loads(path.read_text())
    change(lock)
    path.write_text(json.dumps(lock))
    return lock["wheels"][_WHEEL]


def _other_hash(lock):
    lock["wheels"][_WHEEL]["sha256"] = "0" * 64


def test_make_exports_the_settings_line_by_line(checkout):
    recipe = 'show: ; @printf "%s" "$$NIX_CONFIG"'
    # these tests may themselves be run by make, which then says where it goes
    show = checkout.run("make", "--no-print-directory", "--eval", recipe, "show")
    assert show.text == checkout.settings["NIX_CONFIG"]


def test_the_import_does_nothing_when_the_store_has_everything(checkout):
    again = checkout.run(sys.executable, "-B", "nix/import_inputs.py")
    assert (again.code, again.text) == (0, "")


def test_a_file_with_another_hash_is_named_and_not_added(checkout):
    wheel = _change_lock(checkout, _other_hash)
    done = checkout.run("python3", "-B", "nix/import_inputs.py")
    assert done.code == 1
    assert wheel["file"] in done.text
    assert "sha256" in done.text
    assert not list((checkout.root / "build/inputs").glob(f"*{wheel['file']}*"))


def test_a_missing_input_is_named_with_the_command_that_brings_it(checkout):
    wheel = _change_lock(checkout, _other_hash)
    done = checkout.build("env")
    assert done.code != 0
    assert f"{wheel['file']} is not in the Nix store; run: make nix-import" in done.text


def test_a_missing_seed_is_named_with_the_command_that_brings_it(checkout):
    _change_lock(checkout, lambda lock: lock["seed"].update(narSha256="0" * 64))
    done = checkout.build("inputs")
    assert done.code != 0
    assert "make nix-import" in done.text


def test_store_paths_are_those_that_nix_computes(checkout):
    lock = json.loads((ROOT / "nix/lock.json").read_text())
    wheel = lock["wheels"][_WHEEL]
    program = (
        "import sys; sys.path.insert(0, 'nix'); import _store; "
        f"print(_store.flat_path({wheel['file']!r}, {wheel['sha256']!r})); "
        f"print(_store.tree_path({lock['seed']['name']!r}, {lock['seed']['narSha256']!r}))"
    )
    ours = checkout.run(sys.executable, "-B", "-c", program).text.split()
    fixed = ["nix-store", "--print-fixed-path"]
    theirs = [
        checkout.run(*fixed, "sha256", wheel["sha256"], wheel["file"]).text.strip(),
        checkout.run(
            *fixed, "--recursive", "sha256", lock["seed"]["narSha256"], lock["seed"]["name"]
        ).text.strip(),
    ]
    assert ours == theirs


def test_the_lock_has_every_package_that_the_project_names():
    program = "import tomllib, json; print(json.dumps(tomllib.load(open('pyproject.toml', 'rb'))))"
    project = json.loads(
        subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    )
    lock = json.loads((ROOT / "nix/lock.json").read_text())
    wanted = project["project"]["dependencies"] + project["dependency-groups"]["ros"]
    names = {re.sub(r"[-_.]+", "-", re.split(r"[<>=!~ ]", each)[0]).lower() for each in wanted}
    assert names <= set(lock["wheelSets"]["env"])
    assert set(lock["wheelSets"]["env"]).isdisjoint(lock["wheelSets"]["dev"])


def test_the_lock_names_no_place_that_files_come_from():
    text = (ROOT / "nix/lock.json").read_text()
    assert "://" not in text
    assert not re.search(r"\b[a-z0-9-]+\.(org|com|net|io)\b", text)


@pytest.mark.slow
@pytest.mark.parametrize("output", ["env", "dev-env"])
def test_an_environment_built_again_is_the_same_to_the_bit(checkout, output):
    done = checkout.build(output, "--rebuild")
    assert done.code == 0, done.text


def test_an_environment_carries_no_build_tools(checkout):
    closure = checkout.run("nix-store", "-qR", str(checkout.path("env").resolve())).text
    names = sorted(re.findall(r"/nix/store/[a-z0-9]{32}-(\S+)", closure))
    assert names == ["python-3.11", "python-base", "python-env", "ros-interfaces"]
