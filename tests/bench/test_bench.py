import json

import pytest

from tests.bench.bench import Bench, Effort
from tests.bench.checkout import ROOT, MeasurementError
from tests.bench.command import SCHEMA_VERSION, main
from tests.bench.figures import FIGURES

DOCUMENT = (ROOT / "docs" / "bench.md").read_text()


def refuse(*_, **__):
    raise MeasurementError("git is missing")


def small(names, _effort, say, **seams):
    return Bench(names, Effort(live=1, loop=1, loop_sim_s=0.5), say, **seams)


def test_what_cannot_be_measured_is_named_figure_by_figure():
    bench = Bench(["noop", "evidence"], Effort(live=1), lambda _: None, copy=refuse)
    bench.measure()
    verdicts = {name: (each.verdict, each.note) for name, each in bench.results.items()}
    assert verdicts == dict.fromkeys(["noop", "evidence"], ("not measured", "git is missing"))


def test_the_command_prints_a_table_and_json_and_writes_the_document(tmp_path, capsys):
    assert main(["--only", "loop"], build=tmp_path / "build", prepare=small) == 0
    out = capsys.readouterr().out
    assert out.startswith("figure")
    assert json.loads(out.splitlines()[-1])["name"] == "loop"
    document = json.loads((tmp_path / "build" / "bench.json").read_text())
    [figure] = document["figures"]
    assert figure["value"] > 0
    assert document["schema_version"] == SCHEMA_VERSION
    assert document["machine"]["load_after"]


def test_json_is_the_only_output_where_it_is_asked_for(tmp_path, capsys):
    main(["--only", "loop", "--json"], build=tmp_path, prepare=small)
    document = json.loads((tmp_path / "bench.json").read_text())
    assert json.loads(capsys.readouterr().out) == document


def test_a_figure_that_could_not_be_measured_makes_the_command_fail(tmp_path, capsys):
    def broken(*arguments):
        return small(*arguments, run_loop=refuse)

    assert main(["--only", "loop"], build=tmp_path, prepare=broken) == 1
    assert "loop: git is missing" in capsys.readouterr().out
    [figure] = json.loads((tmp_path / "bench.json").read_text())["figures"]
    assert figure["holds"] is None


@pytest.mark.parametrize("options", [["--only", "speed"], ["--runs", "0"]])
def test_options_that_make_no_sense_are_refused(options, capsys):
    with pytest.raises(SystemExit) as refused:
        main(options)
    assert refused.value.code == 2
    assert options[0] in capsys.readouterr().err


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_every_figure_is_documented_with_its_marks(figure):
    rows = [line for line in DOCUMENT.splitlines() if line.startswith(f"| `{figure.name}` |")]
    cells = [cell.strip() for cell in rows[0].strip("|").split("|")]
    assert cells[2].split()[0] == f"{figure.at_least:g}"
    assert cells[3].split()[0] == f"{figure.aim:g}"
