from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from fieldproof.events._context import EventContext
from fieldproof.events._event import Event
from fieldproof.events._held import Held, seconds
from fieldproof.events._record import ActionRecord
from fieldproof.events._running import Over, Running
from fieldproof.model import Name, PositiveDuration, Problem, TimelineBase, TopicName, faults
from fieldproof.plan import PlanContext
from fieldproof.timeline import OK

Offset = Annotated[float, Field(ge=-1e6, le=1e6)]
Bias = Annotated[list[Annotated[float, Field(ge=-1e4, le=1e4)]], Field(min_length=3, max_length=3)]
Deviation = Annotated[float, Field(gt=0.0, le=1e4)]
Probability = Annotated[float, Field(gt=0.0, le=1.0)]
Limit = Annotated[float, Field(ge=0.0, le=1e3)]

_NOISES: dict[str, tuple[str, ...]] = {
    "lidar": ("range_m",),
    "imu": ("gyro_radps", "accel_mps2"),
    "gnss": ("horizontal_m", "vertical_m"),
    "odometry": ("linear_mps", "angular_radps"),
}


class Fault(TimelineBase):
    """What every fault has."""

    vehicle: Name = Field(description="The vehicle that has the fault.")
    duration_s: PositiveDuration | None = Field(
        default=None, description="Lift it after this long; absent, it stays."
    )

    def sensor_name(self) -> str | None:
        """What the entry names as the thing that is faulty; None for the only one that fits."""
        return getattr(self, "sensor", None)

    def parameters(self) -> dict[str, Any]:
        """Return the injector's parameters."""
        return {}


class FaultEvent(Event):
    """What the faults share: an injector of the vehicle's bridge is set, and later lifted.

    The injector is found when the scenario is validated. With a duration the entry lasts that long
    and lifts the fault, and so does one that is cancelled; without, it is over at once and the
    fault stays for the rest of the run. What other entries hold on the route it leaves alone.
    """

    fault: ClassVar[str]
    doing: ClassVar[str]
    """What is wrong while it lasts, for people."""

    def words(self, entry: Any) -> str:  # noqa: ARG002
        """Return what is wrong while it lasts, for people."""
        return self.doing

    def plan(self, entry: Any, context: PlanContext) -> dict[str, Any]:
        """Return the injector's route, its topic and its parameters."""
        vehicle = context.vehicle(entry.vehicle)
        route = context.injector(vehicle, entry.sensor_name(), self.fault)
        return {
            "route": route.name,
            "topic": route.topic,
            "fault": self.fault,
            "parameters": entry.parameters(),
        }

    def start(
        self,
        entry: Any,
        resolved: Mapping[str, Any],
        context: EventContext,
        record: ActionRecord,
    ) -> Running:
        """Set the fault; what is returned is over when it is lifted."""
        vehicle = context.vehicle(entry.vehicle)
        route, fault = resolved["route"], resolved["fault"]
        doing = self.words(entry)
        where = {"vehicle": vehicle.name, "route": route, "fault": fault}
        acts_from_s = context.set_fault(vehicle, route, fault, resolved["parameters"])
        record.status = OK
        record.detail = f"{route} {doing} from {seconds(acts_from_s)} of simulation time"
        context.log(
            "fault.injected",
            f"{vehicle.name} {route} {doing}",
            **where,
            parameters=dict(resolved["parameters"]),
            acts_from_s=acts_from_s,
        )
        if entry.duration_s is None:
            return Over()

        def lift() -> None:
            lifted_s = context.set_fault(vehicle, route, fault, None)
            what = f"{vehicle.name} {route} {doing}: lifted"
            context.log("fault.lifted", what, **where, acts_until_s=lifted_s)

        lasted = entry.duration_s.seconds
        detail = f"{route} {doing} for {seconds(lasted)}, lifted"
        return Held(context.clock, lasted, lift, record, detail)


class _SensorFault(Fault):
    sensor: TopicName = Field(
        description="A sensor of the manifest, odometry, joint_states, command, battery, or the "
        "topic of one of them."
    )


class GpsDeny(Fault):
    """No fix: jamming, a tunnel, a roof."""

    action: Literal["gps.deny"]
    sensor: TopicName | None = Field(
        default=None, description="The GNSS sensor; the only one when absent."
    )


class GpsDenyEvent(FaultEvent):
    """The receiver says that it has no fix, with NaN for the place and unknown covariance."""

    action: ClassVar[str] = "gps.deny"
    Entry: ClassVar[type[TimelineBase]] = GpsDeny
    summary: ClassVar[str] = "Deny the GNSS receiver its fix."
    fault: ClassVar[str] = "deny"
    doing: ClassVar[str] = "fix denied"


class GpsOffset(Fault):
    """A fix in the wrong place: multipath, spoofing."""

    action: Literal["gps.offset"]
    sensor: TopicName | None = Field(
        default=None, description="The GNSS sensor; the only one when absent."
    )
    east_m: Offset = Field(default=0.0, description="Metres east.")
    north_m: Offset = Field(default=0.0, description="Metres north.")
    up_m: Offset = Field(default=0.0, description="Metres up.")

    def parameters(self) -> dict[str, Any]:
        """Return the offset."""
        return {"east_m": self.east_m, "north_m": self.north_m, "up_m": self.up_m}

    @model_validator(mode="after")
    def _some_offset(self) -> "GpsOffset":
        if not any(self.parameters().values()):
            raise faults("GpsOffset", [Problem("needs east_m, north_m or up_m other than 0")])
        return self


class GpsOffsetEvent(FaultEvent):
    """Moves every fix by metres east, north and up at its latitude."""

    action: ClassVar[str] = "gps.offset"
    Entry: ClassVar[type[TimelineBase]] = GpsOffset
    summary: ClassVar[str] = "Move the GNSS receiver's fix."
    fault: ClassVar[str] = "offset"
    doing: ClassVar[str] = "fix moved"


class ImuBias(Fault):
    """An IMU that drifts."""

    action: Literal["imu.bias"]
    sensor: TopicName | None = Field(default=None, description="The IMU; the only one when absent.")
    gyro_radps: Bias = Field(
        default_factory=lambda: [0.0, 0.0, 0.0], description="Added to the rates [x, y, z], rad/s."
    )
    accel_mps2: Bias = Field(
        default_factory=lambda: [0.0, 0.0, 0.0],
        description="Added to the accelerations [x, y, z], m/s2.",
    )

    def parameters(self) -> dict[str, Any]:
        """Return the biases."""
        return {"gyro_radps": list(self.gyro_radps), "accel_mps2": list(self.accel_mps2)}

    @model_validator(mode="after")
    def _some_bias(self) -> "ImuBias":
        if not any([*self.gyro_radps, *self.accel_mps2]):
            what = "needs gyro_radps or accel_mps2 with a number other than 0"
            raise faults("ImuBias", [Problem(what)])
        return self


class ImuBiasEvent(FaultEvent):
    """Adds a bias to the angular velocity and linear acceleration of every message."""

    action: ClassVar[str] = "imu.bias"
    Entry: ClassVar[type[TimelineBase]] = ImuBias
    summary: ClassVar[str] = "Bias the IMU's rates and accelerations."
    fault: ClassVar[str] = "bias"
    doing: ClassVar[str] = "biased"


class SensorDropout(_SensorFault):
    """A sensor that falls silent, wholly or now and then."""

    action: Literal["sensor.dropout"]
    probability: Probability = Field(
        default=1.0, description="The share of messages that is lost, drawn from the run's seed."
    )

    def parameters(self) -> dict[str, Any]:
        """Return the share."""
        return {"probability": self.probability}


class SensorDropoutEvent(FaultEvent):
    """Keeps messages of a sensor, or commands to the drive, from getting through."""

    action: ClassVar[str] = "sensor.dropout"
    Entry: ClassVar[type[TimelineBase]] = SensorDropout
    summary: ClassVar[str] = "Silence a sensor, wholly or in part."
    fault: ClassVar[str] = "dropout"
    doing: ClassVar[str] = "silent"

    def words(self, entry: SensorDropout) -> str:
        """Return how much of it is lost."""
        share = entry.probability
        return self.doing if share >= 1.0 else f"losing {100.0 * share:g} % of its messages"


class SensorFreeze(_SensorFault):
    """A sensor that hangs."""

    action: Literal["sensor.freeze"]


class SensorFreezeEvent(FaultEvent):
    """Repeats a sensor's last message, stamp included, as a hung driver does."""

    action: ClassVar[str] = "sensor.freeze"
    Entry: ClassVar[type[TimelineBase]] = SensorFreeze
    summary: ClassVar[str] = "Let a sensor repeat its last message."
    fault: ClassVar[str] = "freeze"
    doing: ClassVar[str] = "frozen"


class SensorNoise(_SensorFault):
    """A sensor that is noisier than its manifest says."""

    action: Literal["sensor.noise"]
    range_m: Deviation | None = Field(default=None, description="Of a lidar's ranges, metres.")
    gyro_radps: Deviation | None = Field(default=None, description="Of an IMU's rates, rad/s.")
    accel_mps2: Deviation | None = Field(
        default=None, description="Of an IMU's accelerations, m/s2."
    )
    horizontal_m: Deviation | None = Field(
        default=None, description="Of a fix, east and north each, metres."
    )
    vertical_m: Deviation | None = Field(default=None, description="Of a fix's height, metres.")
    linear_mps: Deviation | None = Field(default=None, description="Of the odometry's speed, m/s.")
    angular_radps: Deviation | None = Field(
        default=None, description="Of the odometry's turn rate, rad/s."
    )

    def parameters(self) -> dict[str, Any]:
        """Return the standard deviations that are given."""
        keys = [key for kind in _NOISES.values() for key in kind]
        return {key: getattr(self, key) for key in keys if getattr(self, key) is not None}

    @model_validator(mode="after")
    def _some_noise(self) -> "SensorNoise":
        if not self.parameters():
            what = "needs a standard deviation"
            raise faults("SensorNoise", [Problem(what, (), "such as range_m for a lidar")])
        return self


class SensorNoiseEvent(FaultEvent):
    """Adds seeded Gaussian noise to what a sensor measures."""

    action: ClassVar[str] = "sensor.noise"
    Entry: ClassVar[type[TimelineBase]] = SensorNoise
    summary: ClassVar[str] = "Add noise to a sensor."
    fault: ClassVar[str] = "noise"
    doing: ClassVar[str] = "noisy"

    def plan(self, entry: SensorNoise, context: PlanContext) -> dict[str, Any]:
        """Refuse deviations of what the sensor does not measure."""
        resolved = super().plan(entry, context)
        route = context.injector(context.vehicle(entry.vehicle), entry.sensor, self.fault)
        known = _NOISES.get(route.kind, ())
        for key in resolved["parameters"]:
            if key not in known:
                hint = f"its noise is {' and '.join(known)}" if known else ""
                raise context.refusal(f"is not what {route.name} measures", at=key, hint=hint)
        return resolved


class ActuatorLimit(Fault):
    """A drive that delivers less: a derated motor controller, a slipping wheel."""

    action: Literal["actuator.limit"]
    max_linear_mps: Limit | None = Field(default=None, description="Speed at most, m/s.")
    max_angular_radps: Limit | None = Field(default=None, description="Turn rate at most, rad/s.")

    def sensor_name(self) -> str:
        """The drive's command."""
        return "command"

    def parameters(self) -> dict[str, Any]:
        """Return the limits that are given."""
        limits = {
            "max_linear_mps": self.max_linear_mps,
            "max_angular_radps": self.max_angular_radps,
        }
        return {key: value for key, value in limits.items() if value is not None}

    @model_validator(mode="after")
    def _some_limit(self) -> "ActuatorLimit":
        if not self.parameters():
            what = "needs max_linear_mps or max_angular_radps"
            raise faults("ActuatorLimit", [Problem(what)])
        return self


class ActuatorLimitEvent(FaultEvent):
    """Clamps the drive's command on its way to the simulator."""

    action: ClassVar[str] = "actuator.limit"
    Entry: ClassVar[type[TimelineBase]] = ActuatorLimit
    summary: ClassVar[str] = "Limit what the drive delivers."
    fault: ClassVar[str] = "limit"
    doing: ClassVar[str] = "limited"

    def plan(self, entry: ActuatorLimit, context: PlanContext) -> dict[str, Any]:
        """Refuse a limit that the drive has of its own."""
        resolved = super().plan(entry, context)
        drive = context.vehicle(entry.vehicle).manifest.drive
        own = {"max_linear_mps": drive.max_linear_mps, "max_angular_radps": drive.max_angular_radps}
        for key, limit in entry.parameters().items():
            if limit >= own[key]:
                what = f"limits nothing: the drive has {own[key]:g} at most (got {limit:g})"
                raise context.refusal(what, at=key, hint="give less")
        return resolved
