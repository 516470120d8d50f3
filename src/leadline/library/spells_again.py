"""Launches beyond the plan, of points that met the machine in a slow state."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection

from leadline.analysis.results.states import (
    States,
    all_readings,
    readings_by_point,
    usual_state,
)
from leadline.core.units import count, times
from leadline.library.until_sure import launch_s, round_s
from leadline.model.progress import Observer
from leadline.model.run import Run
from leadline.model.summary import LaunchReadings
from leadline.store.folder import RunFolder

# What all of it may take, of the time that the plan's launches took.
_SHARE = 0.5
# Of the time that a limit leaves, so much is planned with.
_PLANNED = 0.8


class SpellsAgain:
    """Asks for launches of points whose figures are of a slow state, as `measure.run` wants it.

    States are known from yardsticks alone, so who is measured again is not chosen by its figures.
    It ends when each figure is of the fastest state that the run met, after as many launches more
    as were planned, or when half the time of the plan's own launches is spent.
    """

    def __init__(
        self,
        observer: Observer,
        time_limit_s: float | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._observer = observer
        self._limit_s = time_limit_s
        self._now = now
        self._end: float | None = None
        self._rounds = 0

    def __call__(self, run: Run, folder: RunFolder) -> tuple[Collection[int], int] | None:
        """Return the points to launch once more, or None where that is all."""
        if self._end is None:
            self._end = self._now() + self._budget_s(run)
        slow, factor = slow_figures(run)
        again_s = round_s(run.launches, slow)
        if not slow or self._rounds == run.plan.launches or self._now() + again_s > self._end:
            return None
        self._rounds += 1
        self._observer.doing(
            f"{count(len(slow), 'point')} met the machine {times(factor)} slower: measured again"
        )
        return slow, 1

    def _budget_s(self, run: Run) -> float:
        taken_s = sum(map(launch_s, run.launches))
        if self._limit_s is None:
            return _SHARE * taken_s
        return min(_SHARE * taken_s, _PLANNED * (self._limit_s - taken_s))


def slow_figures(run: Run) -> tuple[frozenset[int], float]:
    """Return the points whose figure is of a slower state than some launch of the run met.

    With them comes how many times farther apart cores are in the slowest of these states, 1 where
    there is no such point. A figure of which nothing is known is none.
    """
    found = States(all_readings(launch) for launch in run.launches)
    if not found.are_several:
        return frozenset(), 1.0
    by_point: dict[int, list[LaunchReadings]] = defaultdict(list)
    for launch in run.launches:
        for point, readings in readings_by_point(launch).items():
            by_point[point].append(readings)
    states = {
        point: usual_state([found.of(each) for each in readings])
        for point, readings in by_point.items()
    }
    slow = {point: state for point, state in states.items() if state}
    return frozenset(slow), found.times(max(slow.values(), default=0))
