"""A rule-based agent for cars, drones and manipulators: careful, and with nothing learnt.

It drives towards its goal, slows down for whoever is near or will be, passes what stands in its
lane where there is room, and waits at red lights.
"""

import math

version = "1.0.0"

BRAKING_MPS2 = 4.0
CRUISE_MPS = 10.0
CREEP_MPS = 1.5
PEOPLE = ("pedestrian", "cyclist", "person", "worker", "animal")
KEEP_M = 11.0  # from people, at more than a creep
PASS_M = 4.5  # beside what stands
GAP_M = 9.0  # behind what drives


class Agent:
    """Drives by rules.

    `reset(scenario)` is called once, `act(observation)` for each step; metres, degrees, seconds.
    """

    def __init__(self):
        """Know nothing yet."""
        self.version = version
        self.scenario = {}

    def reset(self, scenario):
        """Take the scenario that begins: its task, ego, speed limit and timestep."""
        self.scenario = scenario
        limit = scenario.get("speed_limit")
        self.cruise = min(CRUISE_MPS, limit / 3.6) if limit else CRUISE_MPS

    def act(self, observation):
        """Return the action for an observation."""
        task = self.scenario.get("task_type", "driving")
        if task == "drone":
            return self._fly(observation)
        if task == "manipulator":
            return self._reach(observation)
        return self._drive(observation)

    def predict(self, sample):
        """Return what is expected of a sample of a dataset: the candidate path, and a control."""
        prediction = {"control": {"steer": 0.0, "throttle": 0.4, "brake": 0.0}}
        if "candidate_trajectory" in sample:
            prediction["trajectory"] = sample["candidate_trajectory"]
        for key in ("occupancy_grid", "detections"):
            if key in sample:
                prediction[key] = sample[key]
        return prediction

    def _drive(self, seen):
        ego = seen["ego"]
        target = self._passing(seen, self._goal())
        wanted = min(self.cruise, self._for_actors(seen), self._for_lights(seen))
        if self._goal() is None and not self.scenario["ego"]["route"]:
            target = None
        return {**speed_up(ego["speed"], wanted, self._dt()), "steer": steer(ego, target)}

    def _goal(self):
        goal = self.scenario["ego"].get("goal")
        return None if goal is None else (goal["x"], goal["y"])

    def _dt(self):
        return self.scenario["timestep_seconds"]

    def _lane(self, ego):
        """The line from the start to the goal: origin and heading in radians."""
        start, goal = self.scenario["ego"]["start"], self._goal()
        heading = math.radians(start["yaw"])
        if goal is not None and math.dist((start["x"], start["y"]), goal) > 1:
            heading = math.atan2(goal[1] - start["y"], goal[0] - start["x"])
        if self.scenario["ego"]["route"]:
            return (ego["x"], ego["y"]), math.radians(ego["yaw"])
        return (start["x"], start["y"]), heading

    def _for_actors(self, seen):
        """The speed that who is ahead, or will be, allows."""
        ego = seen["ego"]
        allowed = self.cruise
        for actor in seen["actors"]:
            ahead, aside = relative(ego, actor)
            away = math.hypot(ahead, aside)
            if any(word in actor["type"] for word in PEOPLE):
                if ahead > -KEEP_M and abs(aside) < KEEP_M + 2:
                    allowed = min(allowed, self._for_people(ego, actor, ahead, away))
            elif ahead > 0 and self._in_the_way(ego, actor, ahead, aside):
                along = actor["speed"] * math.cos(math.radians(actor["yaw"] - ego["yaw"]))
                gap = max(0.0, ahead - GAP_M)
                allowed = min(allowed, braking_speed(gap, max(0.0, along)))
        return allowed

    def _for_people(self, ego, actor, ahead, away):
        """Creep near people, and stand while one is about to be in the way."""
        _, aside = relative(ego, actor)
        sideways = actor["speed"] * math.sin(math.radians(actor["yaw"] - ego["yaw"]))
        later = aside + sideways * 4
        clears = abs(aside) > 3 and (aside * sideways >= 0)
        if 0 < ahead < KEEP_M and not clears and (abs(aside) < 5 or aside * later < 0):
            return 0.0
        if away < KEEP_M:
            return CREEP_MPS
        return braking_speed(max(0.0, ahead - KEEP_M - 1.0), CREEP_MPS) if ahead > 0 else CRUISE_MPS

    def _in_the_way(self, ego, actor, ahead, aside):
        if self._can_pass(actor):
            return False
        sideways = actor["speed"] * math.sin(math.radians(actor["yaw"] - ego["yaw"]))
        closing = max(0.5, ego["speed"])
        then = aside + sideways * min(4.0, ahead / closing)
        return min(abs(aside), abs(then)) < 3.5 or aside * then < 0

    def _can_pass(self, actor):
        """Whether it stands and is passed rather than waited for."""
        return actor["speed"] < 0.1 and not self.scenario["ego"]["route"]

    def _passing(self, seen, goal):
        """Where to steer: the goal, or beside what stands in the way to it."""
        ego = seen["ego"]
        (ox, oy), heading = self._lane(ego)
        cos, sin = math.cos(heading), math.sin(heading)
        along = (ego["x"] - ox) * cos + (ego["y"] - oy) * sin
        offset = 0.0
        for actor in seen["actors"]:
            dx, dy = actor["x"] - ox, actor["y"] - oy
            place, side = dx * cos + dy * sin, dy * cos - dx * sin
            if not self._can_pass(actor) or abs(side) > PASS_M or not -6 < place - along < 25:
                continue
            left = side <= 0
            offset = side + PASS_M if left else side - PASS_M
        reach = max(6.0, 1.2 * ego["speed"])
        if goal is not None and math.dist((ego["x"], ego["y"]), goal) < reach and not offset:
            return goal
        x, y = ox + (along + reach) * cos, oy + (along + reach) * sin
        return x - offset * sin, y + offset * cos

    def _for_lights(self, seen):
        """The speed with which the ego can still stand before a red or yellow light."""
        ego, allowed = seen["ego"], self.cruise
        for light in seen["traffic_lights"]:
            if light["state"] not in {"red", "yellow"}:
                continue
            line = light["stop_line"]
            middle = {axis: (line["start"][axis] + line["end"][axis]) / 2 for axis in ("x", "y")}
            ahead, aside = relative(ego, middle)
            if ahead > 0 and abs(aside) < 6:
                allowed = min(allowed, braking_speed(max(0.0, ahead - 1.5), 0.0))
        return allowed

    def _fly(self, seen):
        """Fly straight to the goal or along the route, around whoever is near."""
        ego = seen["ego"]
        route, goal = self.scenario["ego"]["route"], self.scenario["ego"].get("goal")
        target = goal or (route[-1] if route else None)
        if target is None:
            return {"vx": 0.0, "vy": 0.0, "vz": 0.0}
        height = target.get("z")
        way = [target["x"] - ego["x"], target["y"] - ego["y"]]
        way.append(0.0 if height is None else height - ego["z"])
        length = math.hypot(*way) or 1.0
        speed = min(6.0, self.cruise, max(0.4, 0.6 * length))
        velocity = [speed * one / length for one in way]
        for actor in seen["actors"]:
            gap = [ego[axis] - actor[axis] for axis in ("x", "y", "z")]
            away = math.hypot(*gap) or 1e-6
            if away < 14:
                # rise above it, and do not come closer
                velocity[2] += 3.0 * (14 - away) / 14
                toward = -sum(v * g for v, g in zip(velocity, gap, strict=True)) / away
                if toward > 0 and away < 8:
                    velocity = [v + toward * g / away for v, g in zip(velocity, gap, strict=True)]
        return dict(zip(("vx", "vy", "vz"), velocity, strict=True))

    def _reach(self, seen):
        """Move the joints down the slope of the end effector's distance to the goal."""
        goal = self.scenario["ego"].get("goal")
        joints = seen["robot"]["joint_positions"]
        if goal is None:
            return {"joint_velocities": [0.0] * len(joints)}
        base = seen["ego"]
        now = error_of(base, joints, goal)
        slope = []
        for place in range(len(joints)):
            moved = list(joints)
            moved[place] += 1e-4
            slope.append((error_of(base, moved, goal) - now) / 1e-4)
        size = math.hypot(*slope) or 1.0
        rate = min(0.7, 2.5 * now)
        return {"joint_velocities": [-rate * one / size for one in slope], "gripper": 0.0}


def relative(ego, other):
    """Metres ahead and to the left of the ego."""
    yaw = math.radians(ego["yaw"])
    dx, dy = other["x"] - ego["x"], other["y"] - ego["y"]
    return dx * math.cos(yaw) + dy * math.sin(yaw), dy * math.cos(yaw) - dx * math.sin(yaw)


def braking_speed(gap, then):
    """The speed from which a gap is enough to come down to another."""
    return math.sqrt(then * then + 2 * BRAKING_MPS2 * 0.8 * gap)


def speed_up(speed, wanted, dt):
    """Throttle or brake, gently unless it has to be otherwise."""
    need = (wanted - speed) / dt
    if need >= 0:
        return {"throttle": min(1.0, need / 3.0), "brake": 0.0}
    return {"throttle": 0.0, "brake": min(1.0, min(-need, 3.8) / 8.0)}


def steer(ego, target):
    """Steer to a point: -1 to 1, positive to the left."""
    if target is None:
        return 0.0
    bearing = math.atan2(target[1] - ego["y"], target[0] - ego["x"])
    error = math.remainder(bearing - math.radians(ego["yaw"]), math.tau)
    return max(-1.0, min(1.0, error / math.radians(35)))


def error_of(base, joints, goal):
    """Metres from the end effector to the goal, by the arm's own geometry: links of 0.3 m."""
    forward = up = tilt = 0.0
    for joint in joints[1:]:
        tilt += joint
        forward += 0.3 * math.cos(tilt)
        up += 0.3 * math.sin(tilt)
    heading = math.radians(base["yaw"]) + joints[0]
    height = goal.get("z")
    dz = 0.0 if height is None else base["z"] + up - height
    dx = base["x"] + forward * math.cos(heading) - goal["x"]
    dy = base["y"] + forward * math.sin(heading) - goal["y"]
    return math.hypot(dx, dy, dz)
