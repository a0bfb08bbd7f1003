"""Sensors and weather of CARLA, through its client package."""

import queue
from collections.abc import Iterator, Mapping
from typing import Any

from fieldproof.driving.files import Camera, Lidar, Sensors
from fieldproof.driving.simulators._adapter import SimulatorFault

WEATHER: Mapping[str, str] = {
    "clear": "ClearNoon",
    "cloudy": "CloudyNoon",
    "wet": "WetNoon",
    "light_rain": "SoftRainNoon",
    "rain": "MidRainyNoon",
    "heavy_rain": "HardRainNoon",
    "night": "ClearNight",
}
"""What CARLA calls the weather that a scenario asks for."""

_CAMERAS = {
    "rgb": "sensor.camera.rgb",
    "depth": "sensor.camera.depth",
    "semantic": "sensor.camera.semantic_segmentation",
}
_LIDAR = "sensor.lidar.ray_cast"
_CAMERA_AHEAD_M, _CAMERA_UP_M, _LIDAR_UP_M = 1.5, 2.4, 2.5
_BYTES_PER_POINT = 16


class CarlaSensors:
    """The sensors on the ego: spawned, listened to, waited for, removed.

    Cameras look ahead from 1.5 m before and 2.4 m above the ego's origin; a lidar turns once a
    step 2.5 m above it.
    """

    def __init__(self, carla: Any, wanted: Sensors | None) -> None:
        """Keep what a scenario wants; `carla` is a module like the client package."""
        self._carla = carla
        self._wanted = wanted or Sensors()
        self._actors: list[Any] = []
        self._measured: dict[str, queue.SimpleQueue[Any]] = {}
        self._last: dict[str, dict[str, Any]] = {}

    def spawn(self, world: Any, ego: Any, *, step_s: float) -> None:
        """Put the sensors on the ego and listen to them.

        Args:
            world: of the client.
            ego: the vehicle.
            step_s: seconds of a step of the simulator, in which a lidar turns once.
        """
        library = world.get_blueprint_library()
        for name, kind, (ahead_m, up_m), attributes in self._kinds(step_s):
            blueprint = library.find(kind)
            for key, value in attributes.items():
                blueprint.set_attribute(key, str(value))
            place = self._carla.Transform(
                self._carla.Location(x=ahead_m, y=0.0, z=up_m), self._carla.Rotation(yaw=0.0)
            )
            actor = world.spawn_actor(blueprint, place, attach_to=ego)
            self._actors.append(actor)
            self._measured[name] = queue.SimpleQueue()
            actor.listen(self._measured[name].put)

    def seen(self, frame: int | None, *, timeout_s: float) -> dict[str, dict[str, Any]]:
        """Return of each sensor by name what it measured last, without the measured data.

        Args:
            frame: what every sensor is waited for; None to take what there is.
            timeout_s: how long each is waited for.

        Raises:
            SimulatorFault: A sensor gives nothing for the frame.
        """
        for name, measured in self._measured.items():
            while frame is not None and self._last.get(name, {}).get("frame", -1) < frame:
                try:
                    self._last[name] = _about(measured.get(timeout=timeout_s))
                except queue.Empty:
                    what = f"the sensor {name} measured nothing within {timeout_s:g} s"
                    raise SimulatorFault(f"CARLA: {what}") from None
            while frame is None and not measured.empty():
                self._last[name] = _about(measured.get())
        return dict(self._last)

    def remove(self) -> None:
        """Stop listening and take the sensors away. Doing so again does nothing."""
        actors, self._actors = self._actors, []
        for actor in actors:
            actor.stop()
            actor.destroy()

    def _kinds(
        self, step_s: float
    ) -> Iterator[tuple[str, str, tuple[float, float], dict[str, Any]]]:
        """Yield name, kind, metres ahead and up, and attributes of each sensor."""
        for one in self._wanted.all():
            if isinstance(one, Camera):
                size = {"image_size_x": one.width, "image_size_y": one.height, "fov": one.fov}
                yield one.name, _CAMERAS[one.type], (_CAMERA_AHEAD_M, _CAMERA_UP_M), size
            elif isinstance(one, Lidar):
                turns = {"channels": one.channels, "range": one.range_m}
                yield (
                    one.name,
                    _LIDAR,
                    (0.0, _LIDAR_UP_M),
                    turns | {"rotation_frequency": 1 / step_s},
                )


def _about(measured: Any) -> dict[str, Any]:
    about: dict[str, Any] = {"frame": measured.frame, "timestamp": measured.timestamp}
    if hasattr(measured, "width"):
        return {**about, "width": measured.width, "height": measured.height}
    return {**about, "points": len(measured.raw_data) // _BYTES_PER_POINT}
