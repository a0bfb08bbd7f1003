"""What the common XML schemas for JUnit reports allow, as far as these reports depend on it.

Three schemas, with what each says of the elements used here:

- `xunit`: junit-10.xsd of Jenkins' xUnit plugin, the strictest on times;
- `jenkins`: jenkins-junit.xsd, which JUnit 5 tests its own reports with, strict on order;
- `ant`: JUnit.xsd of the Ant task, strict on what must be there. It knows no attributes of
  `testsuites` and no suite without a time stamp: those two facts are left out of its table, since
  the others want counts at the root and a hermetic report has no time.
"""

import re
from dataclasses import dataclass
from xml.etree import ElementTree as ET


@dataclass(frozen=True)
class Rule:
    """What a schema says of one element.

    Attributes:
        allowed: attributes it may have.
        required: attributes it must have.
        children: regular expression over the children's names, each followed by a space.
        text: whether it may have text.
    """

    allowed: frozenset[str]
    required: frozenset[str]
    children: str = ""
    text: bool = False


def rule(allowed: str, required: str = "", children: str = "", *, text: bool = False) -> Rule:
    return Rule(frozenset(allowed.split()), frozenset(required.split()), children, text)


PROBLEM = "type message"
SUITE = "name tests failures errors time skipped timestamp hostname id package"

XUNIT = {
    "testsuites": rule("name time tests failures errors", "", "(testsuite )*"),
    "testsuite": rule(
        f"{SUITE} group file log url",
        "name tests failures errors",
        "((testsuite|properties|testcase|system-out|system-err) )*",
    ),
    "properties": rule("", "", "(property )*"),
    "property": rule("name value", "name value"),
    "testcase": rule(
        "name time classname group",
        "name",
        "((skipped|error|failure|system-out|system-err) )*",
    ),
    "failure": rule(PROBLEM, text=True),
    "error": rule(PROBLEM, text=True),
    "skipped": rule(PROBLEM, text=True),
    "system-out": rule("", text=True),
    "system-err": rule("", text=True),
}
JENKINS = {
    "testsuites": rule("name time tests failures disabled errors", "", "(testsuite )*"),
    "testsuite": rule(
        f"{SUITE} disabled",
        "name tests",
        "(properties )?(testcase )*(system-out )?(system-err )?",
    ),
    "properties": rule("", "", "(property )+"),
    "property": rule("name value", "name value"),
    "testcase": rule(
        "name assertions time classname status",
        "name",
        "(skipped )?(error )*(failure )*(system-out )*(system-err )*",
    ),
    "failure": rule(PROBLEM, text=True),
    "error": rule(PROBLEM, text=True),
    "skipped": rule("", text=True),
    "system-out": rule("", text=True),
    "system-err": rule("", text=True),
}
ANT = {
    "testsuites": rule("name time tests failures errors", "", "(testsuite )*"),
    "testsuite": rule(
        SUITE,
        "name hostname tests failures errors time package id",
        "properties (testcase )*system-out system-err ",
    ),
    "properties": rule("", "", "(property )*"),
    "property": rule("name value", "name value"),
    "testcase": rule("name classname time", "name classname time", "((skipped|error|failure) )?"),
    "failure": rule(PROBLEM, "type", text=True),
    "error": rule(PROBLEM, "type", text=True),
    "skipped": rule("", text=True),
    "system-out": rule("", text=True),
    "system-err": rule("", text=True),
}
SCHEMAS = {"xunit": XUNIT, "jenkins": JENKINS, "ant": ANT}

DECIMAL = re.compile(r"[0-9]+\.[0-9]+")
WHOLE = re.compile(r"[0-9]+")
TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}")
TOKENS = {"name", "classname", "hostname", "package"}
"""Attributes of type xs:token: one line, without white space at the ends, not empty."""


def faults(root: ET.Element, schema: dict[str, Rule]) -> list[str]:
    """Return what in a document a schema does not allow."""
    found = [] if root.tag == "testsuites" else [f"the root is {root.tag}"]
    for element in root.iter():
        rules = schema.get(element.tag)
        if rules is None:
            found.append(f"unknown element {element.tag}")
            continue
        attributes = set(element.attrib)
        found += [f"{element.tag} has {name}" for name in attributes - rules.allowed]
        found += [f"{element.tag} lacks {name}" for name in rules.required - attributes]
        children = "".join(f"{child.tag} " for child in element)
        if not re.fullmatch(rules.children, children):
            found.append(f"{element.tag} has children {children!r}")
        if not rules.text and (element.text or "").strip():
            found.append(f"{element.tag} has text")
        found += _value_faults(element)
    return found


def _value_faults(element: ET.Element) -> list[str]:
    found = []
    for name, value in element.attrib.items():
        if name == "time" and not DECIMAL.fullmatch(value):
            found.append(f"time {value!r} is no plain decimal")
        if name in {"tests", "failures", "errors", "skipped", "id"} and not WHOLE.fullmatch(value):
            found.append(f"{name} {value!r} is no number")
        if name == "timestamp" and not TIMESTAMP.fullmatch(value):
            found.append(f"timestamp {value!r}")
        if name in TOKENS and (not value or value != " ".join(value.split())):
            found.append(f"{element.tag}/@{name} {value!r} is no token")
    return found
