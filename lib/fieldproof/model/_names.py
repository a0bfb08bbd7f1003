from typing import Annotated

from pydantic import AfterValidator

from fieldproof.model._text_form import TextForm


def _type_name(text: str) -> str:
    package, _, name = text.partition("/")
    return text if name.startswith("msg/") else f"{package}/msg/{name}"


Name = Annotated[
    str,
    TextForm(
        r"^[a-z][a-z0-9_]{0,62}$",
        "lower-case letters, digits and underscores, a letter first, at most 63",
    ),
]
"""The name of a vehicle, an entry, an assertion, a world, a robot or a frame."""

Label = Annotated[
    str,
    TextForm(
        r"^[A-Za-z][A-Za-z0-9_.]*(@[0-9.e+-]+s)?$",
        "the name of a timeline entry, or <action>@<at>s of one without a name",
    ),
]
"""What a timeline entry is called in the record: its name, or `<action>@<at>s`."""

TopicName = Annotated[
    str,
    TextForm(
        r"^/?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*$",
        "a ROS name such as odom, gps/fix or /clock",
    ),
]
"""A topic: under the vehicle's namespace, or absolute with a leading slash."""

MessageType = Annotated[
    str,
    TextForm(
        r"^[A-Za-z][A-Za-z0-9_]*/(msg/)?[A-Za-z][A-Za-z0-9]*$",
        "a message type such as nav_msgs/msg/Odometry",
    ),
    AfterValidator(_type_name),
]
"""A ROS message type, kept in its three-part form."""

FieldPath = Annotated[
    str,
    TextForm(
        r"^[A-Za-z_][A-Za-z0-9_]*(\[[0-9]{1,9}\])*(\.[A-Za-z_][A-Za-z0-9_]*(\[[0-9]{1,9}\])*)*$",
        "a field path such as twist.twist.linear.x or ranges[0]",
    ),
]
"""A field inside a message: names joined by dots, with indices in brackets."""

FileName = Annotated[
    str, TextForm(r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$", "a file name in the same folder")
]
"""A file beside the one that names it."""

Namespace = Annotated[
    str,
    TextForm(
        r"^[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)*$",
        "lower-case words joined by slashes, such as ugv1 or fleet/ugv1",
    ),
]
"""A ROS namespace without slashes around it."""
