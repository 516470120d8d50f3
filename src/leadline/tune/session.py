"""The measurements of a tuning: rounds of a race, then the proof, each a run that is kept."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.analysis.results.states import like_with_like
from leadline.core.errors import UserError
from leadline.model.placement import Placement
from leadline.model.plan import Plan, Stopping
from leadline.model.profile import LIBRARY
from leadline.model.progress import Observer
from leadline.model.run import Launch, PointResult, Run
from leadline.model.summary import PointSummary
from leadline.model.tuning import Trial
from leadline.tune.candidates import Candidates, Cell, Part, calls
from leadline.tune.contest import survivors
from leadline.tune.proof import FEWEST_LAUNCHES
from leadline.tune.subjects import Subject

# Launches of a round: the first has enough for an interval.
_FIRST, _MORE = 3, 2
# The proof's launches on each side. With fewer, chance alone makes some of many sizes as clear.
_FEWEST, _MOST = 7, 20
# The part of the time in which the race must end; the rest is for the proof.
_RACE = 0.6
# A point's time in a launch, and what starting a launch takes, as long as nothing is measured.
_POINT_S = (0.02, 0.3)
_LAUNCH_S = 1.0
# A point of the proof: what is sure comes from many launches, not from long ones.
_PROOF_POINT_S = 0.03
_FEWEST_CALLS = 10
# The calls of a point that is only tried out.
_TRIED = 2
# The knob that puts choices into force for the proof.
PROOF = "variables"

Times = dict[Cell, dict[str, list[float]]]


class Interrupted(Exception):
    """The user ended a run. `trials` are those of the proof that it could not finish."""

    def __init__(self, trials: Sequence[Trial] = ()) -> None:
        super().__init__()
        self.trials = trials


class Measurement(NamedTuple):
    """A run that ended and its figures."""

    run: Run
    figures: Sequence[PointSummary]

    @property
    def interrupted(self) -> bool:
        """Whether the user ended it: its figures are those of what it had finished."""
        return self.run.outcome.state == "interrupted"


# Carries a plan out.
Measure = Callable[[Plan], Measurement]


class Session:
    """Measurements within a budget of seconds.

    `plan` has all but what is measured; `measure` carries a plan out, and `try_out` one that may
    well fail. Runs are called after `plan`.
    `library` is what the library said of itself, where earlier runs have asked it.
    """

    def __init__(
        self,
        plan: Plan,
        measure: Measure,
        observer: Observer,
        budget_s: float,
        now: Callable[[], float] = time.monotonic,
        library: str = "",
        try_out: Measure | None = None,
    ) -> None:
        self.runs: list[Run] = []
        # Those whose points took as long as those to come.
        self._timed: list[Run] = []
        self._plan = plan
        self._measure = measure
        self._try_out = try_out or measure
        self._observer = observer
        self._now = now
        self._end = now() + budget_s
        self._point_s = _POINT_S[1]
        self._launch_s = _LAUNCH_S
        self.library = library

    @property
    def left_s(self) -> float:
        """The seconds that are left of the budget."""
        return self._end - self._now()

    @property
    def run_names(self) -> list[str]:
        """The names of the runs until now."""
        return [run.run for run in self.runs]

    def race(
        self,
        subjects: Sequence[Subject],
        placement: Placement,
        cells: Sequence[Cell],
        candidates: Candidates,
        share: float,
        times: Times,
    ) -> None:
        """Measure until all cells are decided or the time is over; `times` takes what comes.

        Where the time is not enough for all that are undecided, the first of the `cells` are
        measured further. `share` is the part of what is left of the budget. `times` may hold what
        was measured before. Raises `Interrupted`.
        """
        named = {each.collective: each for each in subjects}
        end = self._now() + self.left_s * share * _RACE
        everything = {cell: candidates.names(named[cell.collective]) for cell in cells}
        first = {cell: all_ways for cell, all_ways in everything.items() if cell not in times}
        if first:
            count = sum(map(len, first.values()))
            self._point_s = _within((end - self._now()) / 2 / _FIRST / count, *_POINT_S)
            self._round(named, candidates.parts(named, first), placement, _FIRST, candidates, times)
        while left := {
            cell: alive for cell in cells if (alive := survivors(times.get(cell, {}), LIBRARY))
        }:
            parts = self._fitting(named, left, candidates, end - self._now())
            if not parts:
                self._observer.doing(f"{len(left)} of {len(cells)} sizes stay undecided")
                break
            self._observer.doing(
                f"{placement}: {len(left)} of {len(cells)} sizes are undecided; "
                f"{max(0, self.left_s):.0f} s left"
            )
            self._round(named, parts, placement, _MORE, candidates, times)

    def _fitting(
        self,
        named: Mapping[str, Subject],
        left: Mapping[Cell, tuple[str, ...]],
        candidates: Candidates,
        seconds: float,
    ) -> list[Part]:
        """Return what measures the first of the cells `left`, as many as there is time for."""
        cells = list(left)
        for count in range(len(cells), 0, -1):
            first = {cell: left[cell] for cell in cells[:count]}
            parts = list(candidates.parts(named, first))
            if self.estimate(parts, _MORE, self.seconds_of_a_point()) <= seconds:
                return parts
        return []

    def prove(
        self,
        subjects: Sequence[Subject],
        placement: Placement,
        chosen: Mapping[Cell, str],
        variables: Path,
        share: float,
    ) -> list[Trial]:
        """Measure the `chosen` cells again, without and with the variables of a file.

        The program's own calls are measured. Their number is fixed before the first one, by what
        is left of the budget; it is never too small for a proof. Raises `Interrupted` with what
        came until then.
        """
        named = {each.collective: each for each in subjects}
        part = Part(calls(named, chosen), {PROOF: f"default,{variables}"})
        one = self.estimate([part], 1, self._seconds_of_a_proof(placement))
        launches = int(_within(self.left_s * share / one, _FEWEST, _MOST))
        self._observer.doing(
            f"{placement}: {len(chosen)} choices are measured again, with and without, in "
            f"{launches} fresh launches each: about {one * launches:.0f} s"
        )
        found = self.run(part, placement, launches, _PROOF_POINT_S)
        trials = _trials(chosen, named, placement, found.figures)
        if found.interrupted:
            raise Interrupted(trials)
        return trials

    def _round(
        self,
        named: Mapping[str, Subject],
        parts: Iterable[Part],
        placement: Placement,
        launches: int,
        candidates: Candidates,
        times: Times,
    ) -> None:
        for part in parts:
            found = self.run(part, placement, launches, self._point_s)
            add_launches(times, found.figures, named.values(), candidates)
            if found.interrupted:
                raise Interrupted

    def run(self, part: Part, placement: Placement, launches: int, point_s: float) -> Measurement:
        """Measure a part in so many launches of each combination of its knobs.

        A point ends after `point_s` seconds. Raises `UserError` where nothing could be measured.
        """
        began = self._now()
        stopping = Stopping(seconds=point_s, minimum=_FEWEST_CALLS)
        found = self._carry_out(part, placement, launches, stopping, self._measure)
        points = sum(record.wall_s for record in _records([found.run]))
        if found.run.launches:
            # What is built before the first launch is built once.
            spent = _span_s(found.run.launches) or self._now() - began
            around = (spent - points) / len(found.run.launches)
            self._launch_s = max(0.1, around)
        if found.run.outcome.state == "failed":
            raise UserError(f"run {found.run.run} failed: {found.run.outcome.message}")
        self._timed.append(found.run)
        self.library = next((one.library for one in found.run.launches if one.library), "")
        return found

    def try_out(self, part: Part, placement: Placement) -> Measurement:
        """Call what a part measures twice, verified, in one launch of each combination.

        What could not be called has no figure.
        """
        stopping = Stopping(minimum=_TRIED, maximum=_TRIED)
        return self._carry_out(part, placement, 1, stopping, self._try_out)

    def _carry_out(
        self,
        part: Part,
        placement: Placement,
        launches: int,
        stopping: Stopping,
        measure: Measure,
    ) -> Measurement:
        plan = msgspec.structs.replace(
            self._plan,
            entries=part.entries,
            knobs=part.knobs,
            placements=(placement,),
            launches=launches,
            stopping=stopping,
        )
        found = measure(plan)
        self.runs.append(found.run)
        return found

    def estimate(self, parts: Sequence[Part], launches: int, point_s: float) -> float:
        """Return about how many seconds it takes to measure the parts."""
        total = 0.0
        for part in parts:
            groups = 1
            for values in part.knobs.values():
                groups *= len(values.split(","))
            points = sum(
                math.prod(len(values.split(",")) for values in each.axes.values())
                for each in part.entries
            )
            total += groups * (self._launch_s + points * point_s)
        return launches * total

    def seconds_of_a_point(self) -> float:
        """Return what a point took in the last run, all included."""
        spent = [record.wall_s for record in _records(self._timed[-1:])]
        return _mean(spent) or self._point_s

    def _seconds_of_a_proof(self, placement: Placement) -> float:
        """Return what the points of the placement would have taken, stopped as early."""
        runs = [run for run in self._timed if run.plan.placements == (placement,)]
        spent = [
            min(one.wall_s, max(_PROOF_POINT_S, one.wall_s * _FEWEST_CALLS / one.repetitions))
            for one in _records(runs)
            if one.repetitions
        ]
        return _mean(spent) or _PROOF_POINT_S


def add_launches(
    times: Times,
    figures: Sequence[PointSummary],
    subjects: Iterable[Subject],
    candidates: Candidates,
) -> None:
    """Add the launches of the figures to `times`, as far as they are of the `subjects`.

    A candidate that delivers wrong bytes is in none.
    """
    there = list(subjects)
    for figure in figures:
        for subject in there:
            if not subject.measured_by(figure):
                continue
            of_cell = times.setdefault(Cell(subject.collective, figure.bytes or 0), {})
            if figure.verified:
                of_cell.setdefault(candidates.name_of(figure), []).extend(figure.launch_medians_s)
            else:
                of_cell.pop(candidates.name_of(figure), None)


def _trials(
    chosen: Mapping[Cell, str],
    named: Mapping[str, Subject],
    placement: Placement,
    figures: Sequence[PointSummary],
) -> list[Trial]:
    sides: dict[Cell, dict[bool, list[PointSummary]]] = {}
    for cell in chosen:
        both = sides[cell] = {False: [], True: []}
        for figure in figures:
            if named[cell.collective].measured_by(figure) and (figure.bytes or 0) == cell.bytes:
                both[figure.knobs[PROOF] != "default"].append(figure)
    times = like_times(sides)
    return [
        Trial(
            collective=cell.collective,
            nodes=placement.nodes,
            processes=placement.processes,
            bytes=cell.bytes,
            choice=choice,
            without_s=times[cell][0],
            with_s=times[cell][1],
            verified=all(one.verified for of_side in sides[cell].values() for one in of_side),
        )
        for cell, choice in chosen.items()
    ]


def like_times(
    sides: Mapping[Cell, Mapping[bool, Sequence[PointSummary]]],
) -> dict[Cell, tuple[tuple[float, ...], tuple[float, ...]]]:
    """Return the launches without the choice and with it, in seconds, that may be compared.

    Those of one state of the machine; none where no state is on both sides.
    """
    single = [cell for cell, both in sides.items() if all(len(side) == 1 for side in both.values())]
    pairs = [(sides[cell][False][0], sides[cell][True][0]) for cell in single]
    found = {}
    for cell, both in sides.items():
        without_s, with_s = (
            tuple(time for one in both[on] for time in one.launch_medians_s) for on in (False, True)
        )
        found[cell] = without_s, with_s
    for cell, like in zip(single, like_with_like(pairs, FEWEST_LAUNCHES), strict=True):
        apart = like.states is not None and like.states.apart
        found[cell] = (
            ((), ()) if apart else (like.base.launch_medians_s, like.other.launch_medians_s)
        )
    return found


def _span_s(launches: Sequence[Launch]) -> float:
    """Return the seconds from the first launch's begin to the last one's end; 0 if not known."""
    try:
        began = datetime.fromisoformat(launches[0].started)
        return (datetime.fromisoformat(launches[-1].ended) - began).total_seconds()
    except ValueError:
        return 0.0


def _records(runs: Iterable[Run]) -> Iterator[PointResult]:
    return (record for run in runs for launch in run.launches for record in launch.points)


def _mean(seconds: Sequence[float]) -> float:
    return sum(seconds) / len(seconds) if seconds else 0.0


def _within(value: float, low: float, high: float) -> float:
    return max(low, min(high, value))
