"""Launches beyond the plan: until every verdict is settled, or of points that met a slow state."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from leadline.analysis.findings.conclude import judge_pairs
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.open_verdicts import OpenVerdict, open_verdicts
from leadline.analysis.results.states import States, all_readings, readings_by_point, usual_state
from leadline.analysis.results.summary import summarise
from leadline.core.processes import stop_requests
from leadline.core.units import count, format_seconds, times
from leadline.model.progress import Observer
from leadline.model.run import Launch, Run
from leadline.model.summary import LaunchReadings
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples

# Each look comes after so many times the launches of the one before: few looks, each worth it.
_GROWTH = 1.5


class UntilSure:
    """Asks for launches of those points whose verdicts are open, as `measure.run` wants it.

    The `budget_s` counts from the first question, when all that was planned is measured.
    """

    def __init__(
        self,
        budget_s: float,
        same_within: float,
        widest: float | None,
        observer: Observer,
    ) -> None:
        self._budget_s = budget_s
        self._same_within = same_within
        self._widest = widest
        self._observer = observer
        self._end: float | None = None
        self._launches = 0

    def __call__(self, run: Run, folder: RunFolder) -> tuple[Collection[int], int] | None:
        """Return the points to launch again and how often, or None where that is all.

        What stays open is noted in the run, with the reason.
        """
        if self._end is None:
            self._end = time.monotonic() + self._budget_s
            self._launches = run.plan.launches
        run.looks = (*run.looks, self._launches)
        points = summarise(run, StoredSamples(folder))
        evidence = Evidence(run=run, points=points, sweeps=())
        found = list(
            open_verdicts(evidence, judge_pairs(evidence), self._same_within, self._widest)
        )
        left_s = self._end - time.monotonic()
        near = [
            each
            for each in found
            if (each.launches - self._launches) * round_s(run.launches, each.points) <= left_s
        ]
        chosen = frozenset[int]().union(*(each.points for each in near))
        wanted = max(1, round(self._launches * (_GROWTH - 1)))
        seconds = round_s(run.launches, chosen)
        rounds = min(wanted, int(left_s / seconds)) if seconds else 0
        if not near or rounds < 1:
            self._tell_end(run, found, near)
            return None
        self._observer.doing(
            f"{count(len(found), 'verdict')} open after {self._launches} launches, "
            f"{len(near)} near: {rounds} more of {count(len(chosen), 'point')}, "
            f"{format_seconds(left_s)} left"
        )
        self._launches += rounds
        # So it stays where an interrupt ends what follows.
        run.undecided = tuple(f"{each.text}; it was not looked at to the end" for each in found)
        return chosen, rounds

    def _tell_end(
        self, run: Run, found: Sequence[OpenVerdict], near: Sequence[OpenVerdict]
    ) -> None:
        run.undecided = tuple(
            f"{each.text}; some {each.launches} launches would tell, "
            + ("and the budget ended first" if each in near else "more than the budget allows")
            for each in found
        )
        if not found:
            self._observer.doing(f"every verdict is settled after {self._launches} launches")
        for line in run.undecided:
            self._observer.warn(f"still open: {line}")


def round_s(launches: Sequence[Launch], points: Collection[int]) -> float:
    """Return about how many seconds a launch more of each of these points takes."""
    total = 0.0
    groups: dict[object, list[Launch]] = {}
    for launch in launches:
        key = (launch.mpi, launch.api, launch.nodes, launch.processes_per_node)
        groups.setdefault((*key, tuple(launch.knobs.items())), []).append(launch)
    for group in groups.values():
        walls = [result for launch in group for result in launch.points if result.point in points]
        if not walls:
            continue
        own = {result.point for result in walls}
        around = [
            launch.seconds - sum(result.wall_s for result in launch.points) for launch in group
        ]
        total += max(0.0, sum(around) / len(around))
        total += len(own) * sum(result.wall_s for result in walls) / len(walls)
    return total


# What all of it may take, of the time that the plan's launches took.
_SHARE = 0.5
# What a pause takes.
_SHORTEST_S, _LONGEST_S = 0.5, 30.0
# Who asks leadline to stop waits no longer than this.
_SLICE_S = 0.1
# Of the time that a limit leaves, so much is planned with.
_PLANNED = 0.8


class Slow(NamedTuple):
    """Points whose figure is of a slow state of the machine.

    Cores are `times` farther apart in the slowest of these states; `lasts` says whether the machine
    was still in one when the last launch ended.
    """

    points: frozenset[int]
    times: float = 1.0
    lasts: bool = False


def _pause(seconds: float) -> None:
    """Wait, or until somebody asks leadline to stop."""
    end = time.monotonic() + seconds
    with stop_requests() as requests:
        while not requests and (left_s := end - time.monotonic()) > 0:
            time.sleep(min(_SLICE_S, left_s))


class Pauses:
    """Waits for a slow spell of the machine to end: half a second, then twice as long each time."""

    def __init__(self, pause: Callable[[float], None] = _pause) -> None:
        self._pause = pause
        self.seconds = _SHORTEST_S

    def __call__(self) -> None:
        """Wait."""
        self._pause(self.seconds)
        self.seconds = min(2 * self.seconds, _LONGEST_S)


class SpellsAgain:
    """Asks for launches of points whose figures are of a slow state, as `measure.run` wants it.

    States are known from yardsticks alone, so who is measured again is not chosen by its figures.
    `before` are the readings of the launches of earlier runs, which tell a slow state that a run
    met from its beginning to its end. While it lasts only the quickest point is launched, after a
    pause. It ends when each figure is of the fastest state that is known, after as many launches
    more as were planned, or when `budget_s` is spent: half the time of the plan's own launches
    where it is None.
    """

    def __init__(
        self,
        observer: Observer,
        time_limit_s: float | None = None,
        now: Callable[[], float] = time.monotonic,
        before: Sequence[LaunchReadings] = (),
        budget_s: float | None = None,
        pauses: Pauses | None = None,
    ) -> None:
        self._observer = observer
        self._limit_s = time_limit_s
        self._now = now
        self._before = before
        self._own_budget_s = budget_s
        self._pauses = pauses or Pauses()
        self._end: float | None = None
        self._rounds = 0

    def __call__(self, run: Run, folder: RunFolder) -> tuple[Collection[int], int] | None:
        """Return the points to launch once more, or None where that is all."""
        if self._end is None:
            self._end = self._now() + self._budget_s(run)
        slow = slow_figures(run, self._before)
        if not slow.points or self._rounds == run.plan.launches:
            return None
        chosen, pause_s = slow.points, 0.0
        waits = slow.lasts and len(chosen) > 1
        if waits:
            chosen = frozenset({min(chosen, key=lambda point: round_s(run.launches, [point]))})
            pause_s = self._pauses.seconds
        if self._now() + pause_s + round_s(run.launches, chosen) > self._end:
            return None
        points = count(len(slow.points), "point")
        self._observer.doing(
            f"{points} met the machine {times(slow.times)} slower: "
            + ("waiting until that ends" if waits else "measured again")
        )
        if waits:
            self._pauses()
        else:
            self._rounds += 1
        return chosen, 1

    def _budget_s(self, run: Run) -> float:
        taken_s = sum(launch.seconds for launch in run.launches)
        budget_s = _SHARE * taken_s if self._own_budget_s is None else self._own_budget_s
        if self._limit_s is None:
            return budget_s
        return min(budget_s, _PLANNED * (self._limit_s - taken_s))


def slow_figures(run: Run, before: Sequence[LaunchReadings] = ()) -> Slow:
    """Return the points whose figure is of a slower state than is usual.

    Usual is the fastest state that a launch of the run met, or a faster one that a third of the
    readings `before` are of. A figure of which nothing is known is not slow.
    """
    own = [all_readings(launch) for launch in run.launches]
    found = States([*own, *before])
    if not found.are_several:
        return Slow(frozenset())
    met = set[int]().union(*(found.met(each) for each in own))
    usual = min(met, default=0)
    past = _usual_before(found, before)
    if past is not None:
        usual = min(usual, past)
    by_point: dict[int, list[LaunchReadings]] = defaultdict(list)
    for launch in run.launches:
        for point, readings in readings_by_point(launch).items():
            by_point[point].append(readings)
    states = {
        point: usual_state([found.of(each) for each in readings])
        for point, readings in by_point.items()
    }
    slow = {point: state for point, state in states.items() if state and state > usual}
    factor = found.times(max(slow.values(), default=usual)) / found.times(usual)
    last = own[-1].round_trips_s[-1:]
    now = found.met(LaunchReadings(cores=own[-1].cores, round_trips_s=last))
    return Slow(frozenset(slow), factor, max(now, default=0) > usual)


def _usual_before(found: States, before: Sequence[LaunchReadings]) -> int | None:
    """Return the state that earlier runs were mostly in, None where that is not known."""
    single = [
        LaunchReadings(cores=each.cores, round_trips_s=(reading,))
        for each in before
        for reading in each.round_trips_s
    ]
    return usual_state([found.of(each) for each in single])
