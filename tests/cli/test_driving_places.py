"""What the driving commands say of files and folders that are not there or are something else."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from fieldproof.cli import main
from fieldproof.runs import RunsFolder, verify
from tests.driving.builders import SMOKE

NOTHING = [
    (("suite", "run", "gone.yaml"), "gone.yaml: cannot be read: No such file or directory (give a suite's file, or its name in scenarios/suites)"),
    (("suite", "run", "empty/gone.yaml"), "empty/gone.yaml: cannot be read: No such file"),
    (("suite", "run", "file/gone.yaml"), "file/gone.yaml: cannot be read: Not a directory"),
    (("suite", "run", "empty"), "empty: is a folder"),
    (("suite", "list", "gone"), "gone holds no suites (*.yaml): name a folder that does"),
    (("suite", "list", "file"), "file holds no suites (*.yaml): name a folder that does"),
    (("suite", "list", "empty"), "empty holds no suites (*.yaml): name a folder that does"),
    (("suite", "list", "odd"), "odd/link.yaml: cannot be read: No such file or directory"),
    (("packs", "verify", "--packs", "gone"), "gone holds no packs, so that nothing was verified"),
    (("packs", "verify", "--packs", "file"), "file holds no packs, so that nothing was verified"),
    (("packs", "verify", "--packs", "empty"), "empty holds no packs, so that nothing was verified"),
    (("packs", "verify", "one", "--packs", "empty"), "unknown pack 'one' in empty"),
    (("packs", "install", "gone.zip"), "there is no gone.zip; give a folder or an archive"),
    (("baseline", "create", "new"), "run 'latest': there is no run in runs"),
    (("compare", "latest", "old"), "run 'latest': there is no run in runs"),
    (("failures", "list"), "run 'latest': there is no run in runs"),
    (("openloop", "run", "gone"), "gone: is no folder"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "said"), NOTHING, ids=lambda one: " ".join(one)[:40])
def test_what_is_not_there_is_invalid_and_is_named(tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    for folder in ("empty", "odd"):
        (tmp_path / folder).mkdir()
    (tmp_path / "file").write_text("", "utf-8")
    (tmp_path / "odd" / "link.yaml").symlink_to("nowhere")
    done = CliRunner().invoke(main, arguments)
    assert isinstance(done.exception, SystemExit)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Errno" not in done.stderr


def test_a_suite_is_judged_and_sealed_although_nobody_reads_what_it_says(tmp_path):
    command = [sys.executable, "-B", "-m", "fieldproof.cli", "suite", "run", str(SMOKE)]
    reader, writer = os.pipe()
    os.close(reader)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command += ["--runs", str(tmp_path)]
    done = subprocess.run(command, env=environment, stdout=writer, check=False)
    os.close(writer)
    assert done.returncode == 0
    assert verify(RunsFolder(tmp_path).find("latest")) == ()
