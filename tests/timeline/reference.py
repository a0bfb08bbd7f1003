"""The rules of a timeline, worked out anew at each moment from the whole history."""

import math


class Reference:
    """Time is counted in whole ticks; everything is derived from `history` on each question."""

    def __init__(self, entries):
        self.entries = {entry["label"]: entry for entry in entries}
        self.history = []  # [label, number, started, ended, status]
        self.samples = []  # (t, x)
        self.now = -1
        self.over = False
        self.stopped = 0  # when what is not passive stopped, None while it goes on

    def of(self, label):
        return [run for run in self.history if run[0] == label]

    def fired(self, entry):
        """The moment the entry's trigger fired, None while it has not, "never" if it cannot."""
        if entry.get("after"):
            ends = []
            for label in entry["after"]:
                verdict = self.outcome(self.entries[label])
                if verdict is None:
                    return self._any_never(entry)
                if verdict[0] != "ok":
                    return "never"
                ends.append(verdict[1])
            return max(ends)
        if entry.get("limit") is not None:
            within = math.inf if entry.get("within") is None else entry["within"]
            for t, x in self.samples:
                if x > entry["limit"] and t <= within:
                    return t
            return "never" if self.now > within else None
        return 0

    def _any_never(self, entry):
        verdicts = [self.outcome(self.entries[label]) for label in entry["after"]]
        return "never" if any(v is not None and v[0] != "ok" for v in verdicts) else None

    def outcome(self, entry):
        """(status, moment) of an entry that is over, None for one that is not."""
        runs = self.of(entry["label"])
        if entry.get("every") is None and runs:
            _, _, _, ended, status = runs[0]
            return None if ended is None else (status, ended)
        if not runs and self.due(entry) == "never":
            return ("skipped", self.now)
        return None

    def due(self, entry):
        """When the next occurrence is due; None while unknown, "never" if there is none."""
        fired = self.fired(entry)
        if fired in (None, "never"):
            return fired
        due = fired + entry["at"]
        until = math.inf if entry.get("until") is None else entry["until"]
        runs = self.of(entry["label"])
        if due > until:
            return "never"
        for run in runs:
            if entry.get("every") is None or run[1] == entry.get("count") or run[3] is None:
                return "never" if run[3] is not None else None
            due = max(due + entry["every"], run[3])
            if due > until:
                return "never"
        return due

    def to_start(self):
        if self.over:
            return []
        self.look()
        found = [
            (due, place, label)
            for place, (label, entry) in enumerate(self.entries.items())
            if isinstance(due := self.due(entry), int) and due <= self.now and self.may(entry, due)
        ]
        return [label for _, _, label in sorted(found)]

    def start(self, label):
        number = len(self.of(label)) + 1
        self.history.append([label, number, self.now, None, "running"])
        return label if number == 1 else f"{label}#{number}"

    def end(self, name, status):
        label, _, number = name.partition("#")
        run = next(run for run in self.of(label) if run[1] == int(number or 1))
        run[3], run[4] = self.now, status
        self.over = self.over or status == "failed"

    def may(self, entry, due):
        if not passive(entry) or self.stopped is None:
            return True
        return due <= self.stopped and not self.of(entry["label"])

    def look(self):
        active = [entry for entry in self.entries.values() if not passive(entry)]
        goes_on = any(self.keeps_going(entry) for entry in active)
        self.stopped = None if goes_on else self.now if self.stopped is None else self.stopped

    def keeps_going(self, entry):
        if any(run[3] is None for run in self.of(entry["label"])):
            return True
        due = self.due(entry)
        if due is None:
            return entry.get("limit") is not None and entry.get("within") is not None
        return due != "never"

    def finished(self):
        self.look()
        if self.over:
            return True
        if self.stopped is None or any(run[3] is None for run in self.history):
            return False
        dues = [(entry, self.due(entry)) for entry in self.entries.values() if passive(entry)]
        return not any(isinstance(due, int) and self.may(entry, due) for entry, due in dues)


def passive(entry):
    bounds = entry.get("count"), entry.get("until")
    return entry.get("every") is not None and bounds == (None, None)
