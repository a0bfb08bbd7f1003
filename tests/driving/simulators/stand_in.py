"""What the adapter uses of CARLA's client package, without a server; not CARLA's physics."""

import math
from types import SimpleNamespace


class Record(SimpleNamespace):
    """Anything that only has fields."""


class Blueprint(Record):
    def set_attribute(self, key, value):
        assert isinstance(value, str)  # as the client's own binding has it
        self.attributes[key] = value


class Spawned:
    """An actor or a sensor that moves as it was told at first."""

    def __init__(self, world, blueprint, transform, attach_to):
        self.world, self.blueprint, self.attach_to = world, blueprint, attach_to
        self.transform, self.velocity = transform, Record(x=0.0, y=0.0, z=0.0)
        self.heard, self.controls, self.state = None, [], "spawned"

    def set_target_velocity(self, velocity):
        self.velocity = velocity

    def apply_control(self, control):
        self.controls.append(control)

    def get_transform(self):
        return self.transform

    def get_velocity(self):
        return self.velocity

    def is_at_traffic_light(self):
        return self.world.frame in self.world.red_frames

    def get_traffic_light_state(self):
        return "Red"

    def get_traffic_light(self):
        return Record(id=17)

    def listen(self, heard):
        self.heard = heard

    def stop(self):
        self.heard = None

    def destroy(self):
        assert self.heard is None, "a sensor that listens is not destroyed"
        self.world.actors.remove(self)

    def measure(self, frame):
        size = self.blueprint.attributes
        about = {"frame": frame, "timestamp": frame * self.world.settings.fixed_delta_seconds}
        if "image_size_x" in size:
            return Record(
                **about, width=int(size["image_size_x"]), height=int(size["image_size_y"])
            )
        return Record(**about, raw_data=bytes(16 * 5))


class World:
    def __init__(self):
        self.frame, self.actors, self.red_frames, self.silent = 100, [], (), False
        self.weather, self.weathers = "the server's own", []
        self.settings = Record(synchronous_mode=False, fixed_delta_seconds=None)

    def get_settings(self):
        return Record(**vars(self.settings))

    def apply_settings(self, settings):
        self.settings = settings

    def get_weather(self):
        return self.weather

    def set_weather(self, weather):
        self.weather = weather
        self.weathers.append(weather)

    def get_blueprint_library(self):
        return Record(find=lambda name: Blueprint(id=name, attributes={}))

    def spawn_actor(self, blueprint, transform, attach_to=None):
        self.actors.append(Spawned(self, blueprint, transform, attach_to))
        return self.actors[-1]

    def tick(self):
        self.frame += 1
        dt = self.settings.fixed_delta_seconds
        for actor in self.actors:
            actor.transform.location.x += actor.velocity.x * dt
            actor.transform.location.y += actor.velocity.y * dt
            if actor.heard is not None and not self.silent:
                actor.heard(actor.measure(self.frame))
        return self.frame

    def wait_for_tick(self):
        self.tick()

    def of(self, kind):
        """What of a kind is there."""
        return [one for one in self.actors if one.blueprint.id.startswith(kind)]


class Weather:
    ClearNoon, MidRainyNoon, ClearNight = "ClearNoon", "MidRainyNoon", "ClearNight"


def client_of(world):
    """A module like the client package whose server has a world."""

    def vector(x=0.0, y=0.0, z=0.0):
        assert all(math.isfinite(one) for one in (x, y, z))
        return Record(x=x, y=y, z=z)

    return Record(
        Client=lambda _host, _port: Record(
            set_timeout=lambda _seconds: None,
            get_world=lambda: world,
            load_world=lambda name: setattr(world, "map", name) or world,
        ),
        Location=vector,
        Vector3D=vector,
        Rotation=lambda yaw=0.0: Record(yaw=yaw),
        Transform=lambda location, rotation: Record(location=location, rotation=rotation),
        VehicleControl=Record,
        WeatherParameters=Weather,
        TrafficLightState=Record(Red="Red"),
    )
