"""Launches beyond the plan: until every verdict is settled, or of points that met a slow state."""

from __future__ import annotations

import math
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
from leadline.model.run import Launch, Run, by_launch_key
from leadline.model.summary import LaunchReadings
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples

# Each look comes after so many times the launches of the one before: few looks, each worth it.
_GROWTH = 1.5
# As many launches have an interval by order statistics, whatever disturbs them.
_LAUNCHES = 6
# Launches are cheap where those of the plan took no longer together.
_CHEAP_S = 1.0
# What launches in a slow state may take, of the time that the plan's launches took.
_SHARE = 0.5
# What a pause takes.
_SHORTEST_S, _LONGEST_S = 0.5, 30.0
# Who asks leadline to stop waits no longer than this.
_SLICE_S = 0.1
# Of the time that a limit leaves, so much is planned with.
_PLANNED = 0.8

More = tuple[Collection[int], int]


def _pause(seconds: float) -> None:
    """Wait, or until somebody asks leadline to stop."""
    end = time.monotonic() + seconds
    with stop_requests() as requests:
        while not requests and (left_s := end - time.monotonic()) > 0:
            time.sleep(min(_SLICE_S, left_s))


class Budget:
    """The time for launches beyond the plan, and for pauses while a slow spell lasts.

    A pause takes half a second, then twice as long each time.
    """

    def __init__(
        self,
        seconds: float,
        now: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = _pause,
    ) -> None:
        self._now, self._pause = now, pause
        self._end = now() + seconds
        self.pause_s = _SHORTEST_S

    @property
    def left_s(self) -> float:
        """The seconds that are left."""
        return self._end - self._now()

    def rounds(self, run: Run, points: Collection[int], most: int) -> int:
        """Return how many more launches of the points fit, `most` at most."""
        seconds = round_s(run.launches, points)
        return min(most, int(self.left_s / seconds)) if seconds else 0

    def wait(self, run: Run, points: Collection[int], say: Callable[[], None]) -> bool:
        """Pause, and return whether that fits before a launch of the points; first `say` so."""
        if self.pause_s + round_s(run.launches, points) > self.left_s:
            return False
        say()
        self._pause(self.pause_s)
        self.pause_s = min(2 * self.pause_s, _LONGEST_S)
        return True


class UntilSure:
    """Asks for launches of those points whose verdicts are open, as `measure.run` wants it.

    The `budget_s` counts from the first question, when all that was planned is measured.
    """

    def __init__(
        self, budget_s: float, same_within: float, widest: float | None, observer: Observer
    ) -> None:
        self._budget_s, self._same_within, self._widest = budget_s, same_within, widest
        self._observer = observer
        self._budget: Budget | None = None
        self._launches = 0

    def __call__(self, run: Run, folder: RunFolder) -> More | None:
        """Return the points to launch again and how often, or None where that is all.

        What stays open is noted in the run, with the reason.
        """
        if self._budget is None:
            self._budget = Budget(self._budget_s)
            self._launches = run.plan.launches
        run.looks = (*run.looks, self._launches)
        points = summarise(run, StoredSamples(folder))
        evidence = Evidence(run=run, points=points, sweeps=())
        verdicts = list(
            open_verdicts(evidence, judge_pairs(evidence), self._same_within, self._widest)
        )
        left_s = self._budget.left_s
        near = [
            each
            for each in verdicts
            if (each.launches - self._launches) * round_s(run.launches, each.points) <= left_s
        ]
        chosen = frozenset[int]().union(*(each.points for each in near))
        rounds = self._budget.rounds(run, chosen, max(1, round(self._launches * (_GROWTH - 1))))
        if not near or rounds < 1:
            self._tell_end(run, verdicts, near)
            return None
        self._observer.doing(
            f"{count(len(verdicts), 'verdict')} open after {self._launches} launches, "
            f"{len(near)} near: {rounds} more of {count(len(chosen), 'point')}, "
            f"{format_seconds(left_s)} left"
        )
        self._launches += rounds
        # So it stays where an interrupt ends what follows.
        run.undecided = tuple(f"{each.text}; it was not looked at to the end" for each in verdicts)
        return chosen, rounds

    def _tell_end(
        self, run: Run, verdicts: Sequence[OpenVerdict], near: Sequence[OpenVerdict]
    ) -> None:
        run.undecided = tuple(
            f"{each.text}; some {each.launches} launches would tell, "
            + ("and the budget ended first" if each in near else "more than the budget allows")
            for each in verdicts
        )
        if not verdicts:
            self._observer.doing(f"every verdict is settled after {self._launches} launches")
        for line in run.undecided:
            self._observer.warn(f"still open: {line}")


def round_s(launches: Sequence[Launch], points: Collection[int]) -> float:
    """Return about how many seconds a launch more of each of these points takes."""
    total = 0.0
    for group in by_launch_key(launches).values():
        walls = [result for launch in group for result in launch.points if result.point in points]
        if not walls:
            continue
        around = [
            launch.seconds - sum(result.wall_s for result in launch.points) for launch in group
        ]
        total += max(0.0, sum(around) / len(around))
        of_points = len({result.point for result in walls})
        total += of_points * sum(result.wall_s for result in walls) / len(walls)
    return total


class SixIfCheap:
    """Asks for launches up to six where the plan's were cheap, before `then` asks for others.

    Their time alone decides, so figures do not choose how often they are measured.
    """

    def __init__(self, then: Callable[[Run, RunFolder], More | None]) -> None:
        self._then, self._asked = then, False

    def __call__(self, run: Run, folder: RunFolder) -> More | None:
        """Return the points to launch again and how often, or None where that is all."""
        rounds = _LAUNCHES - run.plan.launches
        cheap = sum(launch.seconds for launch in run.launches) <= _CHEAP_S
        if not self._asked and cheap and rounds > 0:
            self._asked = True
            return frozenset(point.index for point in run.points), rounds
        self._asked = True
        return self._then(run, folder)


class Slow(NamedTuple):
    """Points whose figure is of a slow state, in which cores are `times` farther apart.

    `lasts` says whether the machine was still in one when the last launch ended.
    """

    points: frozenset[int]
    times: float = 1.0
    lasts: bool = False


class SpellsAgain:
    """Asks for launches of points whose figures are of a slow state, as `measure.run` wants it.

    States are known from yardsticks alone, so figures do not choose what is measured again.
    `before` are the readings of earlier runs' launches, for a state that lasts all the run. While
    it lasts only the quickest point is launched, after a pause. It ends when each figure is of the
    fastest known state, after as many launches more as were planned, or when `budget_s` is spent
    (None: half the time of the plan's own launches).
    """

    def __init__(
        self,
        observer: Observer,
        time_limit_s: float = math.inf,
        before: Sequence[LaunchReadings] = (),
        budget_s: float | None = None,
        make_budget: Callable[[float], Budget] = Budget,
    ) -> None:
        self._observer, self._limit_s, self._before = observer, time_limit_s, before
        self._budget_s, self._make_budget = budget_s, make_budget
        self._budget: Budget | None = None
        self._rounds = 0
        self._waits = False

    def __call__(self, run: Run, folder: RunFolder) -> More | None:
        """Return the points to launch once more, or None where that is all."""
        if self._budget is None:
            taken_s = sum(launch.seconds for launch in run.launches)
            budget_s = _SHARE * taken_s if self._budget_s is None else self._budget_s
            budget_s = min(budget_s, _PLANNED * (self._limit_s - taken_s))
            self._budget = self._make_budget(budget_s)
        slow = slow_figures(run, self._before)
        if not slow.points or self._rounds == run.plan.launches:
            return None

        met = f"machine {times(slow.times)} slower than before"
        these = f"{len(slow.points)} of {count(len(run.points), 'point')}"
        if slow.lasts and len(slow.points) > 1:
            quickest = min(slow.points, key=lambda point: round_s(run.launches, [point]))
            line = f"{met}: waiting at most {self._budget.left_s:.0f} s to repeat {these}"
            say = (lambda: None) if self._waits else (lambda: self._observer.doing(line))
            self._waits = True
            return (frozenset({quickest}), 1) if self._budget.wait(run, [quickest], say) else None
        if not self._budget.rounds(run, slow.points, 1):
            return None
        self._observer.doing(f"{met}: {these} measured again")
        self._waits = False
        self._rounds += 1
        return slow.points, 1


def slow_figures(run: Run, before: Sequence[LaunchReadings] = ()) -> Slow:
    """Return the points whose figure is of a slower state than is usual.

    Usual is the fastest state that a launch of the run met, or a faster one that a third of the
    readings `before` are of. A figure of which nothing is known is not slow.
    """
    own = [all_readings(launch) for launch in run.launches]
    states = States([*own, *before])
    if not states.are_several:
        return Slow(frozenset())
    usual = min(set[int]().union(*(states.met(each) for each in own)), default=0)
    single = [
        LaunchReadings(cores=each.cores, round_trips_s=(reading,))
        for each in before
        for reading in each.round_trips_s
    ]
    past = usual_state([states.of(each) for each in single])
    usual = usual if past is None else min(usual, past)
    by_point: dict[int, list[int | None]] = defaultdict(list)
    for launch in run.launches:
        for point, readings in readings_by_point(launch).items():
            by_point[point].append(states.of(readings))
    of_points = {point: usual_state(met) for point, met in by_point.items()}
    slow = {point: state for point, state in of_points.items() if state and state > usual}
    factor = states.times(max(slow.values(), default=usual)) / states.times(usual)
    last = LaunchReadings(cores=own[-1].cores, round_trips_s=own[-1].round_trips_s[-1:])
    return Slow(frozenset(slow), factor, max(states.met(last), default=0) > usual)
