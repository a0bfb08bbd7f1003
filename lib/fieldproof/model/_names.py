import re
from typing import Annotated

from pydantic import AfterValidator, Field

from fieldproof.model._problems import fault, shown

_NAME = r"^[a-z][a-z0-9_]{0,62}$"
_LABEL = r"^[A-Za-z][A-Za-z0-9_.]*(@[0-9.e+-]+s)?$"
_TOPIC = r"^/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*$"
_TYPE = r"^[A-Za-z][A-Za-z0-9_]*/(msg/)?[A-Za-z][A-Za-z0-9]*$"
_FIELD = r"^[A-Za-z_][A-Za-z0-9_]*(\[[0-9]{1,9}\])*(\.[A-Za-z_][A-Za-z0-9_]*(\[[0-9]{1,9}\])*)*$"
_FILE = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"
_NAMESPACE = r"^[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*$"
_LONGEST = 255


def _matching(pattern: str, what: str) -> AfterValidator:
    compiled = re.compile(pattern.removesuffix("$") + r"\Z", re.ASCII)

    def check(text: str) -> str:
        if len(text) > _LONGEST or not compiled.match(text):
            raise fault(f"must be {what} (got {shown(text)})")
        return text

    return AfterValidator(check)


def _type_name(text: str) -> str:
    package, _, name = text.partition("/")
    return text if name.startswith("msg/") else f"{package}/msg/{name}"


Name = Annotated[
    str,
    _matching(_NAME, "lower-case letters, digits and underscores, a letter first, at most 63"),
    Field(json_schema_extra={"pattern": _NAME}),
]
"""The name of a vehicle, an entry, an assertion, a world, a robot or a frame."""

Label = Annotated[
    str,
    _matching(_LABEL, "the name of a timeline entry, or <action>@<at>s of one without a name"),
    Field(json_schema_extra={"pattern": _LABEL}),
]
"""What a timeline entry is called in the record: its name, or `<action>@<at>s`."""

TopicName = Annotated[
    str,
    _matching(_TOPIC, "a ROS name such as odom, gps/fix or /clock"),
    Field(json_schema_extra={"pattern": _TOPIC}),
]
"""A topic: under the vehicle's namespace, or absolute with a leading slash."""

MessageType = Annotated[
    str,
    _matching(_TYPE, "a message type such as nav_msgs/msg/Odometry"),
    AfterValidator(_type_name),
    Field(json_schema_extra={"pattern": _TYPE}),
]
"""A ROS message type, kept in its three-part form."""

FieldPath = Annotated[
    str,
    _matching(_FIELD, "a field path such as twist.twist.linear.x or ranges[0]"),
    Field(json_schema_extra={"pattern": _FIELD}),
]
"""A field inside a message: names joined by dots, with indices in brackets."""

FileName = Annotated[
    str,
    _matching(_FILE, "a file name in the same folder"),
    Field(json_schema_extra={"pattern": _FILE}),
]
"""A file beside the one that names it."""

Namespace = Annotated[
    str,
    _matching(_NAMESPACE, "lower-case words joined by slashes, such as ugv1 or fleet/ugv1"),
    Field(json_schema_extra={"pattern": _NAMESPACE}),
]
"""A ROS namespace without slashes around it."""
