"""A run as events see it: a clock that the test moves, and a note-book of what was asked."""

from types import SimpleNamespace

from fieldproof.events import ActionRecord, Refused, Worker, begin, event_types
from fieldproof.model import Pose


class ScriptedContext:
    """Notes every call; what stands in `refusals` by the call's name is refused."""

    tearing_down = False

    def __init__(self, *, parameter=None, refusals=None, acts_from_s=10.0, charge=100.0):
        self.t = 0.0
        self.asked = []
        self.lines = []
        self.states = {}
        self.time = "running"
        self.parameter = parameter
        self.refusals = refusals or {}
        self.acts_from_s = acts_from_s
        self.charge = charge

    def _ask(self, what, *details):
        if what in self.refusals:
            raise Refused(self.refusals[what])
        self.asked.append((round(self.t, 9), what, *details))

    def vehicle(self, name):
        return SimpleNamespace(name=name, namespace=name, spawn=Pose(0.0, 0.0))

    def clock(self):
        return self.t

    def time_state(self):
        return self.time

    def sim_s(self):
        return self.acts_from_s + self.t

    def background(self, call, *, name):
        return Worker(call, name=name)

    def log(self, event, message, **fields):
        self.lines.append((event, message, fields))

    def pause(self, vehicle):
        self._ask("pause", vehicle.name)
        self.states[vehicle.name] = "paused"

    def resume(self, vehicle):
        self._ask("resume", vehicle.name)
        self.states[vehicle.name] = "running"

    def kill(self, vehicle, signal):
        self._ask("kill", vehicle.name, signal)
        self.states[vehicle.name] = "gone"

    def stack_state(self, vehicle):
        return self.states.get(vehicle.name, "running")

    def set_parameter(self, vehicle, node, parameter, value, *, timeout_s):
        self._ask("set_parameter", node, parameter, value)
        return self.parameter

    def simulate(self, op, **fields):
        self._ask("simulate", op, fields)
        self.time = {"pause": "paused", "resume": "running", "step": "stepped"}.get(op, self.time)
        return f"{op} done"

    def set_fault(self, vehicle, route, fault, parameters):
        self._ask("set_fault", vehicle.name, route, fault, parameters)
        return self.sim_s()

    def charge_pct(self, _vehicle):
        return self.charge


class Occurrence:
    """One occurrence of an entry, begun in a context."""

    def __init__(self, context, entry, resolved=None, *, limit_s=float("inf")):
        self.context = context
        action = entry["action"]
        self.record = ActionRecord("it", action, entry.get("vehicle"))
        params = {k: v for k, v in entry.items() if k not in ("action", "vehicle")}
        given = {**(resolved or {}), "limit_s": limit_s}
        self.running = begin(event_types()[action], params, given, context, self.record)

    def until(self, t):
        """Move the clock and ask; whether it is over."""
        self.context.t = t
        return self.running.poll()

    @property
    def end(self):
        return self.record.status, self.record.detail
