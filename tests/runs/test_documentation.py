import re
from pathlib import Path

import pytest

from fieldproof.runs import EVIDENCE_FILES, Status

PAGE = Path(__file__).parents[2] / "docs" / "run-directory.md"

pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="the documentation is not beside the tests: it was not compared"
)


def test_the_page_lists_every_status_with_its_exit_code():
    rows = re.findall(r"^\| (\w+) \| (\d+) \|", PAGE.read_text(), re.MULTILINE)
    assert [(name, int(code)) for name, code in rows] == [
        (status.value, status.exit_code) for status in Status
    ]


def test_the_page_marks_exactly_the_evidence_as_evidence():
    rows = re.findall(r"^\| `([^`]+)` \| evidence \|", PAGE.read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(EVIDENCE_FILES)
