import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.builds import check_only_judged
from tests.bench.checkout import ROOT, SCENARIO, Checkout, MeasurementError, built, tail, with_limit

needs_git = pytest.mark.skipif(
    not shutil.which("git"), reason="no git: not proved that the copy is one"
)
STORE = "/nix/store/" + "a1" * 16


@pytest.fixture
def here(tmp_path):
    return Checkout(tmp_path, dict(os.environ))


def test_a_changed_limit_changes_nothing_else():
    text = (ROOT / "scenarios" / f"{SCENARIO}.yaml").read_text()
    changed = with_limit(text, "59.5s")
    assert "max_s: 59.5s" in changed
    pairs = zip(text.splitlines(), changed.splitlines(), strict=True)
    assert sum(old != new for old, new in pairs) == 1


def test_a_scenario_without_a_limit_cannot_be_used():
    with pytest.raises(MeasurementError, match="no max_s"):
        with_limit("name: x\n", "59.5s")


def test_what_nix_built_is_read_from_what_it_prints():
    output = f"""warning: something
building '{STORE}-x-plan.drv'...
x-plan> building 'something' else
building '{STORE}-x-verdict.drv' on 'ssh://other'...
"""
    assert built(output) == ["x-plan", "x-verdict"]


def test_a_verdict_alone_is_what_a_changed_limit_may_build():
    check_only_judged([f"{SCENARIO}-plan", f"{SCENARIO}-verdict", SCENARIO])


@pytest.mark.parametrize(
    ("names", "what"),
    [
        pytest.param(["run", "verdict"], "simulated again", id="the run was built"),
        pytest.param(["plan"], "no new verdict", id="the verdict was not built"),
        pytest.param([], "no new verdict", id="nothing was built"),
    ],
)
def test_anything_else_is_no_measurement(names, what):
    with pytest.raises(MeasurementError, match=what):
        check_only_judged([f"{SCENARIO}-{name}" for name in names])


def test_a_command_that_fails_is_named_with_the_end_of_its_output(here):
    script = "print('first'); print('the reason'); raise SystemExit(3)"
    with pytest.raises(MeasurementError, match=r"exited 3: first \| the reason"):
        here.run([sys.executable, "-c", script])


def test_a_command_that_is_missing_is_named(here):
    with pytest.raises(MeasurementError, match="`no-such-program`: No such file"):
        here.run(["no-such-program"])


def test_a_command_that_takes_too_long_is_interrupted_so_that_it_can_clean_up(here):
    script = 'sleep 60 >/dev/null 2>&1 & trap "kill $!; touch cleaned; exit 1" INT; wait'
    with pytest.raises(MeasurementError, match="took over 1 s"):
        here.run(["sh", "-c", script], bound_s=1.0)
    assert (here.root / "cleaned").exists()


@needs_git
def test_the_copy_is_a_clean_clone_of_the_tracked_files_as_they_are_now(tmp_path):
    source = tmp_path / "source"
    for name, text in {"a/b.txt": "old", "nix/settings.sh": "echo cores = 1"}.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    (source / ".gitignore").write_text("/build/\n")
    subprocess.run(["git", "init", "-q", "."], cwd=source, check=True)
    subprocess.run(["git", "add", "."], cwd=source, check=True)
    (source / "a/b.txt").write_text("edited since")
    (source / "untracked").write_text("")
    (source / "build").mkdir()
    (source / "build/env").symlink_to("/nowhere")
    (source / "build/nix.env").write_text("")
    copy = Checkout.copy(source, tmp_path / "copy")
    assert (copy.root / "a/b.txt").read_text() == "edited since"
    assert not (copy.root / "untracked").exists()
    assert (copy.root / "build/env").readlink() == Path("/nowhere")
    assert copy.environment["NIX_CONFIG"] == "cores = 1\n"
    assert copy.run(["git", "status", "--porcelain"]) == ""


@needs_git
def test_a_copy_without_an_environment_says_how_to_get_one(tmp_path):
    (tmp_path / "nix").mkdir()
    (tmp_path / "nix/settings.sh").write_text("")
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    with pytest.raises(MeasurementError, match="make setup"):
        Checkout.copy(tmp_path, tmp_path / "copy")


def test_the_end_of_an_output_is_one_line():
    assert tail("\n".join(map(str, range(20))) + "\n\n") == " | ".join(map(str, range(9, 20)))
