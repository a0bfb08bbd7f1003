import copy
import json
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldproof_reports import (
    RecordVersionError,
    render_all,
    render_json,
    render_markdown,
    render_terminal,
    report_of,
    verdict_word,
)

from .conftest import RECORDS, compose, outcome, verdict
from .schemas import SCHEMAS, faults

each_record = pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS.keys())
UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def cells(line):
    """Split a table row where GitHub's parser does: at bars that no backslash comes before."""
    found, current, rest = [], "", line.strip()
    while rest:
        if rest[0] == "\\" and len(rest) > 1 and rest[1] in "\\`*_{}[]()#+-.!|~$<>&\"',/:;=?@^%":
            current, rest = current + rest[:2], rest[2:]
        elif rest[0] == "|":
            found.append(current)
            current, rest = "", rest[1:]
        else:
            current, rest = current + rest[0], rest[1:]
    return found[1:]


def assert_no_markup(line):
    """Outside code spans there is no bare angle bracket."""
    at = 0
    while at < len(line):
        if line[at] == "\\":
            at += 2
        elif line[at] == "`":
            fence = re.match("`+", line[at:]).group()
            closing = re.search(f"(?<!`){fence}(?!`)", line[at + len(fence) :])
            assert closing, line
            at += len(fence) + closing.end()
        else:
            assert line[at] not in "<>", line
            at += 1


def check_markdown(text):
    """Every table has as many cells in each row as its header, and every block is closed."""
    width, fence = None, None
    for line in text.split("\n"):
        opening = re.match(r"(`{3,})(text)?$", line)
        if fence:
            fence = None if line == fence else fence
        elif opening:
            fence = opening.group(1)
        elif line.startswith("|"):
            width = width or len(cells(line))
            assert_no_markup(line)
            assert len(cells(line)) == width, line
        else:
            width = None
            assert_no_markup(line)
            assert line == "" or re.match(
                r"#{1,3} \S|\*\*Reason:\*\*|Complete\.|Incomplete\.", line
            )
    assert fence is None


@each_record
def test_rendering_changes_nothing_and_repeats_to_the_byte(record):
    before = copy.deepcopy(record)
    assert render_all(record) == render_all(copy.deepcopy(record))
    assert record == before


@each_record
def test_a_record_that_went_through_a_file_gives_the_same_reports(record):
    assert render_all(json.loads(json.dumps(record, sort_keys=True))) == render_all(record)


@each_record
def test_markdown_is_well_formed(record):
    check_markdown(render_markdown(record))


@each_record
def test_the_verdict_stands_at_the_top_of_every_form(record):
    word = verdict_word(record["status"])
    assert render_markdown(record).startswith(f"# {word}: ugv_nav_to_goal\n")
    assert render_terminal(record).startswith(f"{word}  ugv_nav_to_goal: ")
    assert json.loads(render_json(record))["verdict"] == word


def test_the_reports_of_one_record_have_the_names_that_a_run_directory_has():
    assert list(render_all(RECORDS["passed"])) == ["report.json", "report.md", "junit.xml"]


def test_a_failed_assertion_has_its_excerpt_under_the_table():
    text = render_markdown(RECORDS["failed"])
    section = text.split("### arrived_in_time")[1].split("## KPIs")[0]
    assert '  {"event": "running", "sim_s": 1.5, "t_s": 1.0}' in section
    assert "### reached_goal" not in text


def test_a_report_counts_verdicts():
    counts = report_of(RECORDS["failed"])["counts"]
    assert counts == {"assertions": {"failed": 1, "passed": 2}, "timeline": {"ok": 1}}


def test_lost_messages_are_told_per_topic():
    text = render_markdown(RECORDS["inconclusive"])
    assert "| `/ugv1/scan` | 123 | 2 |" in text
    assert "/ugv1/scan: 2 messages lost" in text


def test_the_recording_is_the_first_artefact_with_its_size():
    lines = render_markdown(RECORDS["passed"]).split("## Artefacts\n\n")[1].splitlines()
    assert lines[2] == "| `recording/recording_0.mcap` | recording | 1.5 MiB |"


def test_the_terminal_names_each_assertion_and_the_reports():
    text = render_terminal(RECORDS["failed"], reports=["runs/x/report.md"])
    assert text.splitlines() == [
        (
            "FAIL  ugv_nav_to_goal: assertion arrived_in_time failed: drive_ahead has not"
            " completed 1 s after its start"
        ),
        "  PASS  reached_goal     0.48 m from the target (at 9.450 s)",
        "  FAIL  arrived_in_time  drive_ahead has not completed 1 s after its start (at 1.000 s)",
        "  PASS  clear            no contact (at 12.000 s)",
        "  runs/x/report.md",
    ]


@pytest.mark.parametrize("render", [render_json, render_markdown, render_terminal])
@pytest.mark.parametrize("version", [2, None, "1"])
def test_a_record_of_another_version_is_refused(render, version):
    with pytest.raises(RecordVersionError) as caught:
        render(RECORDS["passed"] | {"schema_version": version})
    assert caught.value.version == version


@pytest.mark.parametrize(
    "text",
    [
        "|",
        "\\|",
        "a\\",
        "`",
        "``` \n```",
        "<script>alert(1)</script>",
        "# x",
        "- x",
        "]]>",
        "&amp;",
        "\x1b[31mred\x1b[0m",
        "a\u202egnp.exe",
        "\ud800",
        "\x00",
        "\r\n",
        "x\x0cy",
        "1. x",
        "<!--",
        "$x$",
        "~~x~~",
        "__x__",
        "\uffff",
        "\U0001fffe",
        "<![CDATA[",
        "%s{}",
        "=====",
        "\u2028",
    ],
)
def test_awkward_texts_break_no_report(text):
    check_all(hostile(text))


def hostile(text):
    """A record with a text wherever people or processes can put one."""
    entry = {
        "name": text,
        "action": text,
        "vehicle": text,
        "status": text,
        "detail": text,
        "params": {text: text},
        "t_s": 0.0,
        "duration_s": 1.0,
    }
    bad = verdict(text, text, "failed", text, excerpt=[{text: text}, text]) | {"source": text}
    record = compose(
        outcome(
            "error",
            text,
            gaps=[{"what": text}, {"topic": text, "lost": 1}],
            complete=False,
            topics={text: {"messages": 1, "lost": 0}},
            phases=[{"name": text, "status": text}],
        ),
        timeline=[entry, entry],
        assertions=[bad, verdict(text, text, text, text)],
        kpis=[
            {"name": text, "status": text},
            {"kind": "kpis", "kpis": {text: {"value": text, "unit": text, "source": text}}},
        ],
        artefacts=[{"path": text, "kind": text, "size": 1}],
    )
    return record | {
        "problems": [text],
        "run_id": text,
        "host": text,
        "world": text,
        "recovered": text,
        "started_at": text,
        "determinism": text,
        "engine_version": text,
        "scenario": {"name": text, "path": text, "sha256": text},
        "vehicles": [{"name": text, "namespace": text, "robot": text}],
    }


def check_all(record):
    texts = render_all(record)
    json.loads(texts["report.json"])
    root = ET.fromstring(texts["junit.xml"].encode())
    for schema in SCHEMAS.values():
        assert [each for each in faults(root, schema) if "timestamp" not in each] == []
    check_markdown(texts["report.md"])
    for text in (*texts.values(), render_terminal(record, reports=[record["run_id"]])):
        assert not UNWANTED.search(text)
        text.encode()


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text(max_size=40) | st.text("|\\`<>&*_#[]~$\"'\n\r\t \x00\ud800-=.1", max_size=30))
def test_no_text_breaks_a_report(text):
    check_all(hostile(text))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=8,
    )
)
def test_no_evidence_breaks_a_report(value):
    bad = verdict("reached_goal", "demo", "failed", "no", value=value, excerpt=[value])
    record = compose(
        outcome(),
        assertions=[bad],
        kpis=[{"kind": "kpis", "kpis": {"a.b": {"value": value, "unit": "m", "source": "x"}}}],
    )
    check_all(record | {"run_id": "x"})
