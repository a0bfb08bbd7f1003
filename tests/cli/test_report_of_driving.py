"""`fieldproof report` of a driving run, whose reports show more than its record holds."""

import pytest
from click.testing import CliRunner

from fieldproof.cli import main
from fieldproof.runs import RunsFolder, verify
from tests.driving.builders import SMOKE


@pytest.fixture(scope="module")
def driven(tmp_path_factory):
    """The folder of a suite's run among others."""
    runs = tmp_path_factory.mktemp("driven")
    arguments = ["suite", "run", str(SMOKE), "--runs", str(runs), "--quiet"]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    return runs


@pytest.mark.parametrize(("form", "name"), [("md", "report.md"), ("junit", "junit.xml")])
def test_the_report_is_the_one_that_the_run_wrote(driven, form, name):
    done = CliRunner().invoke(main, ["report", "--format", form, "--runs", str(driven)])
    assert done.exit_code == 0
    written = (RunsFolder(driven).find("latest").path / name).read_text("utf-8")
    assert done.stdout == written + "\n"


def test_it_is_not_written_anew_from_the_record_alone(driven):
    done = CliRunner().invoke(main, ["report", "--write", "--runs", str(driven)])
    assert done.exit_code == 1
    assert "written with its figures; leave --write out" in done.stderr
    assert verify(RunsFolder(driven).find("latest")) == ()
