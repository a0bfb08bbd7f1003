import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from fieldproof_reports import render_junit

from .conftest import RECORDS

PAGE = Path(__file__).parents[2] / "docs" / "reports.md"

pytestmark = pytest.mark.skipif(
    not PAGE.exists(), reason="the documentation is not beside the tests: it was not compared"
)


def test_the_page_lists_every_property_of_the_suite():
    paragraph = PAGE.read_text().split("Properties of the suite:")[1].split("\n\n")[0]
    listed = set(re.findall(r"`([^`]+)`", paragraph))
    written = {
        "kpi.<name>" if name.startswith("kpi.") else name
        for record in RECORDS.values()
        for name in (
            each.get("name") for each in ET.fromstring(render_junit(record)).iter("property")
        )
    }
    assert listed == written
