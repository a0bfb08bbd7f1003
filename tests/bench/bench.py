"""Takes the measurements, in an order that lets them share what is slow."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from fieldproof.runs import evidence_digest
from fieldproof_sim.bench import measure_loop
from tests.bench.builds import measure_limit, measure_noop
from tests.bench.checkout import ROOT, SCENARIO, Checkout, MeasurementError
from tests.bench.driving import measure_openloop, measure_smoke, measure_suite
from tests.bench.evaluation import measure_against_rtamt, measure_evaluation
from tests.bench.figures import FIGURES, Figure, Result, judge, judge_equality, not_measured
from tests.bench.live import LiveRun, keep_differing, run_once
from tests.bench.machine import Watch
from tests.bench.recorded import measure_recording
from tests.bench.spawn import measure_spawn
from tests.bench.timeline import measure_schedule
from tests.bench.validation import measure_validation

_LIVE = ("rtf", "start", "evidence")
_HERE = frozenset(
    {"loop", "validate", "schedule", "evaluate", "recorded", "spawn", "smoke", "suite", "openloop"}
)  # need no checkout of their own


@dataclass(frozen=True, slots=True)
class Effort:
    """How often each thing is measured.

    Attributes:
        live: live runs.
        noop: builds that change nothing.
        limit: builds after a changed limit.
        loop: runs of the MuJoCo loop; each live run has one beside it, too.
        loop_sim_s: simulation seconds of each.
        desk: of what takes place in this process, and of spawns.
    """

    live: int
    noop: int = 9
    limit: int = 5
    loop: int = 9
    loop_sim_s: float = 10.0
    desk: int = 9


class Bench:
    """Takes the measurements that are asked for, each group apart from the others.

    Args:
        names: of the figures that are wanted.
        effort: how often.
        say: told of what is being done.
        copy: makes the scratch copy, from a repository and a folder that is not there yet.
        run_loop: as `measure_loop`.

    Attributes:
        results: by the figure's name.
        details: what else was measured, by name.
    """

    def __init__(
        self,
        names: Sequence[str],
        effort: Effort,
        say: Callable[[str], None],
        *,
        copy: Callable[[Path, Path], Checkout] = Checkout.copy,
        run_loop: Callable[..., dict[str, float]] = measure_loop,
    ) -> None:
        self._figures = {figure.name: figure for figure in FIGURES if figure.name in names}
        self._effort = effort
        self._say = say
        self._copy = copy
        self._run_loop = run_loop
        self._loops: list[tuple[dict[str, float], Watch]] = []
        self.results: dict[str, Result] = {}
        self.details: dict[str, float] = {}

    def measure(self) -> None:
        """Take all of them; what fails is a result that says so."""
        with tempfile.TemporaryDirectory(prefix="fieldproof-bench-") as scratch:
            self._attempt(["validate"], lambda: self._validate(Path(scratch)))
            self._attempt(["schedule"], self._schedule)
            self._attempt(["evaluate"], self._evaluate)
            self._attempt(["recorded"], lambda: self._recorded(Path(scratch)))
            self._attempt(["spawn"], self._spawn)
            self._attempt(["smoke"], lambda: self._smoke(Path(scratch) / "smoke"))
            self._attempt(["suite"], lambda: self._suite(Path(scratch) / "suite"))
            self._attempt(["openloop"], self._openloop)
            if self._figures.keys() <= _HERE:
                self._attempt(["loop"], self._loop)
                return
            copies: list[Checkout] = []
            self._attempt(
                list(self._figures),
                lambda: copies.append(self._copy(ROOT, Path(scratch) / "checkout")),
            )
            for checkout in copies:
                self._attempt(["noop"], lambda checkout=checkout: self._noop(checkout))
                # the edited limit is the last that happens to the copy
                self._attempt(
                    _LIVE,
                    lambda checkout=checkout: self._live(checkout, Path(scratch) / "runs"),
                )
                self._attempt(["loop"], self._loop)
                self._attempt(["limit"], lambda checkout=checkout: self._limit(checkout))

    def _attempt(self, names: Sequence[str], measurement: Callable[[], None]) -> None:
        wanted = [figure for name, figure in self._figures.items() if name in names]
        if not wanted:
            return
        try:
            measurement()
        except (MeasurementError, OSError) as error:
            for figure in wanted:
                if figure.name not in self.results:
                    self.results[figure.name] = not_measured(figure, str(error))

    def _keep(self, name: str, samples: Sequence[float], watches: Sequence[Watch]) -> None:
        if figure := self._figures.get(name):
            self.results[name] = judge(figure, samples, others=_others(watches))

    def _noop(self, checkout: Checkout) -> None:
        watches = measure_noop(checkout, self._effort.noop, self._say)
        self._keep("noop", [watch.wall_s for watch in watches], watches)
        checkout.uncommit()
        watches = measure_noop(checkout, self._effort.noop, self._say)
        self.details["noop_uncommitted_s"] = statistics.median(watch.wall_s for watch in watches)

    def _limit(self, checkout: Checkout) -> None:
        watches = measure_limit(checkout, self._effort.limit, self._say)
        self._keep("limit", [watch.wall_s for watch in watches], watches)

    def _validate(self, scratch: Path) -> None:
        self._say("validations of a long scenario")
        with Watch() as watch:
            samples = [measure_validation(scratch) for _ in range(self._effort.desk)]
        self._keep("validate", samples, [watch])

    def _schedule(self) -> None:
        self._say("a long timeline")
        with Watch() as watch:
            samples = [measure_schedule()[0] for _ in range(self._effort.desk)]
        self._keep("schedule", samples, [watch])

    def _evaluate(self) -> None:
        self._say("evaluations of a mixed stream")
        with Watch() as watch:
            samples = [measure_evaluation() for _ in range(self._effort.desk)]
        self._keep("evaluate", samples, [watch])
        ratio = measure_against_rtamt()
        if ratio is not None:
            self.details["evaluate_per_rtamt"] = ratio

    def _recorded(self, scratch: Path) -> None:
        self._say("a recording of a hundred topics")
        with Watch() as watch:
            sample = measure_recording(scratch)
        self._keep("recorded", [sample], [watch])

    def _spawn(self) -> None:
        spawns = measure_spawn(self._effort.desk, self._say)
        self._keep("spawn", spawns.scans, [spawns.watch])
        self.details |= spawns.details()

    def _smoke(self, scratch: Path) -> None:
        self._say("the smoke suite")
        with Watch() as watch:
            samples = [measure_smoke(scratch / str(turn)) for turn in range(self._effort.desk)]
        self._keep("smoke", samples, [watch])

    def _suite(self, scratch: Path) -> None:
        self._say("a suite of a thousand scenarios")
        with Watch() as watch:
            sample = measure_suite(scratch)
        self._keep("suite", [sample], [watch])

    def _openloop(self) -> None:
        self._say("predictions of trajectories")
        with Watch() as watch:
            samples = [measure_openloop() for _ in range(self._effort.desk)]
        self._keep("openloop", samples, [watch])

    def _loop(self) -> None:
        while len(self._loops) < self._effort.loop:
            self._loop_once()
        rtf = [figures["rtf"] for figures, _ in self._loops]
        self._keep("loop", rtf, [watch for _, watch in self._loops])
        self.details["loop_rtf_of_cpu_time"] = statistics.median(
            figures["cpu_rtf"] for figures, _ in self._loops
        )

    def _loop_once(self) -> dict[str, float]:
        robot = ROOT / "robots" / "ugv_ref"
        manifest = yaml.safe_load((robot / "robot.yaml").read_text(encoding="utf-8"))
        world = ROOT / "worlds" / "dock_yard" / "world.sdf"
        with Watch() as watch:
            figures = self._run_loop(
                world, robot / "ugv_ref.urdf", manifest, seconds=self._effort.loop_sim_s
            )
        self._loops.append((figures, watch))
        return figures

    def _live(self, checkout: Checkout, scratch: Path) -> None:
        hermetic = None
        if "evidence" in self._figures:
            self._say("the hermetic run")
            hermetic = checkout.path(f"{SCENARIO}.run")
        runs: list[LiveRun] = []
        ratios: list[float] = []
        try:
            for number in range(1, self._effort.live + 1):
                self._say(f"live run {number} of {self._effort.live}")
                loop = self._loop_once()  # close in time, so that both meet the same machine
                run = run_once(checkout, scratch / f"{number:03}")
                runs.append(run)
                ratios.append(loop["rtf"] / run.rtf)
        finally:
            if runs:
                self._keep_live(runs, ratios)
        if hermetic is not None:
            figure = self._figures["evidence"]
            self.results["evidence"] = _compare(figure, runs, hermetic)

    def _keep_live(self, runs: Sequence[LiveRun], ratios: Sequence[float]) -> None:
        watches = [run.watch for run in runs]
        self._keep("rtf", [run.rtf for run in runs], watches)
        self._keep("start", [run.start_s for run in runs], watches)
        median = statistics.median
        self.details["stack_tick_ms"] = 1e3 * median(run.tick_s for run in runs)
        self.details["stack_wall_per_loop_wall"] = median(ratios)
        self.details["live_run_cpu_s"] = median(watch.cpu_s for watch in watches)
        self.details["live_run_wall_s"] = median(watch.wall_s for watch in watches)
        for part in runs[0].parts:
            self.details[f"start_s.{part}"] = median(run.parts[part] for run in runs)


def _compare(figure: Figure, runs: Sequence[LiveRun], hermetic: Path) -> Result:
    digest = evidence_digest(hermetic)
    others = _others([run.watch for run in runs])
    result = judge_equality(figure, [run.digest for run in runs], digest, others=others)
    kept = keep_differing(runs, hermetic, digest, ROOT / "build" / "bench-differing")
    note = "; ".join(filter(None, (result.note, kept)))
    return Result(figure, result.verdict, result.value, result.samples, others, note)


def _others(watches: Sequence[Watch]) -> float:
    return statistics.median(watch.others for watch in watches)
