from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field, model_validator

from fieldproof.model._names import MessageType, Name, TopicName
from fieldproof.model._problems import Problem, faults
from fieldproof.model._strict import Strict

Rate = Annotated[float, Field(gt=0, le=10_000)]
Spread = Annotated[float, Field(ge=0, le=1e6)]
FrameId = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_/]*$", max_length=255)]

_LIDAR_KEYS = ("rays", "angle_min_rad", "angle_max_rad", "range_min_m", "range_max_m")
_TOPIC_KEYS = ("frame_id", "topic", "ros_type")
_NOISE_KEYS = {
    "lidar": {"range_stddev_m"},
    "imu": {"orientation_stddev_rad", "gyro_stddev_radps", "accel_stddev_mps2"},
    "gnss": {"horizontal_stddev_m", "vertical_stddev_m"},
    "contact": set(),
}


class Qos(Strict):
    """How a topic is published."""

    reliability: Literal["reliable", "best_effort"] = "reliable"
    durability: Literal["volatile", "transient_local"] = "volatile"
    depth: Annotated[int, Field(ge=1, le=100_000)] = 10


class Noise(Strict):
    """Standard deviations of the noise that a sensor adds, in the unit of its measurements."""

    range_stddev_m: Spread | None = None
    orientation_stddev_rad: Spread | None = None
    gyro_stddev_radps: Spread | None = None
    accel_stddev_mps2: Spread | None = None
    horizontal_stddev_m: Spread | None = None
    vertical_stddev_m: Spread | None = None


class Sensor(Strict):
    """One sensor; a contact sensor is ground truth and has no topic of the vehicle."""

    name: Name
    type: Literal["lidar", "imu", "gnss", "contact"]
    link: FrameId
    frame_id: FrameId | None = None
    topic: TopicName | None = None
    ros_type: MessageType | None = None
    rate_hz: Rate
    qos: Qos | None = None
    noise: Noise | None = None
    rays: Annotated[int, Field(ge=1, le=100_000)] | None = None
    angle_min_rad: Annotated[float, Field(ge=-6.3, le=6.3)] | None = None
    angle_max_rad: Annotated[float, Field(ge=-6.3, le=6.3)] | None = None
    range_min_m: Annotated[float, Field(ge=0, le=1e6)] | None = None
    range_max_m: Annotated[float, Field(gt=0, le=1e6)] | None = None
    collision: str | None = Field(default=None, description="The URDF collision that is watched.")

    @model_validator(mode="after")
    def _keys_fit_the_type(self) -> "Sensor":
        found = [*self._presence(), *self._ranges()]
        if found:
            raise faults("Sensor", found)
        return self

    def _presence(self) -> Iterator[Problem]:
        required: tuple[str, ...] = ("collision",) if self.type == "contact" else _TOPIC_KEYS
        foreign: tuple[str, ...] = _TOPIC_KEYS if self.type == "contact" else ("collision",)
        if self.type == "lidar":
            required = (*required, *_LIDAR_KEYS)
        else:
            foreign = (*foreign, *_LIDAR_KEYS)
        for key in required:
            if getattr(self, key) is None:
                yield Problem("is missing", (key,), f"a {self.type} sensor has it")
        for key in foreign:
            if getattr(self, key) is not None:
                yield Problem(f"does not go with type: {self.type}", (key,))
        for key in self.noise.model_fields_set if self.noise else ():
            if key not in _NOISE_KEYS[self.type]:
                yield Problem(f"does not go with type: {self.type}", ("noise", key))

    def _ranges(self) -> Iterator[Problem]:
        for lower, upper in (("angle_min_rad", "angle_max_rad"), ("range_min_m", "range_max_m")):
            least, most = getattr(self, lower), getattr(self, upper)
            if least is not None and most is not None and least >= most:
                yield Problem(f"must be above {lower} (got {most})", (upper,))
