"""Launches beyond the plan, until every verdict is settled or a budget of time is spent."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from datetime import datetime

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.open_verdicts import OpenVerdict, open_verdicts
from leadline.analysis.results.summary import summarise
from leadline.core.units import count, format_seconds
from leadline.model.progress import Observer
from leadline.model.run import Launch, Run
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
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._budget_s = budget_s
        self._same_within = same_within
        self._widest = widest
        self._observer = observer
        self._now = now
        self._end: float | None = None
        self._launches = 0

    def __call__(self, run: Run, folder: RunFolder) -> tuple[Collection[int], int] | None:
        """Return the points to launch again and how often, or None where that is all.

        What stays open is noted in the run, with the reason.
        """
        if self._end is None:
            self._end = self._now() + self._budget_s
            self._launches = run.plan.launches
        run.looks = (*run.looks, self._launches)
        points = summarise(run, StoredSamples(folder))
        evidence = Evidence(run=run, points=points, sweeps=())
        found = list(open_verdicts(evidence, self._same_within, self._widest))
        left_s = self._end - self._now()
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
            launch_s(launch) - sum(result.wall_s for result in launch.points) for launch in group
        ]
        total += max(0.0, sum(around) / len(around))
        total += len(own) * sum(result.wall_s for result in walls) / len(walls)
    return total


def launch_s(launch: Launch) -> float:
    """Return how many seconds a launch took."""
    began, ended = (datetime.fromisoformat(text) for text in (launch.started, launch.ended))
    return (ended - began).total_seconds()
