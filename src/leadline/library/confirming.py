"""Fresh launches of what looks slower than its own past, until it is sure or the budget ends."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import msgspec

from leadline.analysis.compare.confirming import (
    Again,
    choose,
    measured_again,
    spell_free,
    wanted,
)
from leadline.analysis.compare.dated_nights import fresh_of
from leadline.analysis.compare.history import Dated
from leadline.analysis.compare.nights import Key, Night, Verdict
from leadline.analysis.results.summary import summarise
from leadline.analysis.stats.alarms import LOOKS
from leadline.analysis.stats.statistics import Array
from leadline.core.units import count
from leadline.library.until_sure import round_s
from leadline.measure.run.preparation import Prepared, further_launches, prepare
from leadline.measure.run.run import execute_in
from leadline.model.plan import Plan, Point
from leadline.model.progress import Observer
from leadline.model.run import Run
from leadline.site.mpi.discovery import find_installations
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples


class Confirming:
    """Asks for launches of those figures that are open, as `measure.run` wants it.

    `points` are for each figure the indices of its points in the run that measures again: one with
    the software of the night, and one with the earlier software where that is there.
    """

    def __init__(
        self,
        verdict: Verdict,
        night: Night,
        again: Again,
        new: Dated,
        points: dict[Key, frozenset[int]],
        budget_s: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._verdict, self._night, self._again = verdict, night, again
        self._new, self._points = new, points
        self._now, self._end = now, now() + budget_s
        self._made = LOOKS[0]

    def __call__(self, run: Run, folder: RunFolder) -> tuple[Collection[int], int] | None:
        """Return the points to launch again and how often, or None where that is all."""
        run.looks = (*run.looks, self._made)
        fresh = fresh_launches(run, folder, self._verdict, self._night, self._again, self._new)
        still, rounds = wanted(self._verdict, self._again, fresh, self._made)
        chosen = self.points_of(measured_again(self._again, still, self._night))
        seconds = round_s(run.launches, chosen)
        rounds = min(rounds, int((self._end - self._now()) / seconds)) if seconds else 0
        if rounds < 1:
            return None
        self._made += rounds
        return chosen, rounds

    def points_of(self, keys: Collection[Key]) -> frozenset[int]:
        """Return the points of these figures in the run that measures again."""
        return frozenset[int]().union(*(self._points[key] for key in keys))


def fresh_launches(
    run: Run, folder: RunFolder, verdict: Verdict, night: Night, again: Again, new: Dated
) -> dict[Key, Array]:
    """Return what a run that measured again is worth: launches of suspects without slow spells."""
    own = {point.mpi for point in new.points}
    points = [each for each in summarise(run, StoredSamples(folder)) if each.mpi in own]
    return spell_free(verdict, night, again, fresh_of(points, new))


def earlier_software(newest: Run, earlier: Sequence[Run]) -> str:
    """Return the MPI of the run before that the newest does not have, where it is still here."""
    if not earlier:
        return ""
    now = {each.name for each in newest.installations}
    before = [each.name for each in earlier[-1].installations if each.name not in now]
    here = {each.name for each in find_installations()}
    return next((name for name in before if name in here), "")


def measure_again(
    plan: Plan,
    newest: Run,
    new: Dated,
    verdict: Verdict,
    night: Night,
    budget_s: float,
    runs: Path,
    observer: Observer,
    old: str = "",
) -> tuple[RunFolder, Run] | None:
    """Measure again what is suspected, in a run of its own; None where nothing can be.

    With the name of an `old` MPI each round launches both, one after the other. Raises `UserError`
    where the plan cannot be measured any more.
    """
    again = choose(verdict, night)
    if not again.suspects:
        return None
    names = tuple(dict.fromkeys(point.mpi for point in newest.points))
    both = msgspec.structs.replace(plan, mpi=(*names, old) if old else names, name=_name(plan))
    prepared = prepare(both, observer.doing)
    points = {
        key: _same_points(prepared, newest, new, key, old)
        for key in (*again.suspects, *again.witnesses)
    }
    confirming = Confirming(verdict, night, again, new, points, budget_s)
    chosen = confirming.points_of(points)
    if not all(points[key] for key in again.suspects):
        return None
    observer.doing(f"{count(len(again.suspects), 'figure')} to measure again")
    reduced = msgspec.structs.replace(
        prepared,
        points=[point for point in prepared.points if point.index in chosen],
        launches=further_launches(prepared, chosen, LOOKS[0], 0),
        confirms=newest.run,
    )

    return execute_in(runs, reduced, observer, [], confirming)


def _name(plan: Plan) -> str:
    return f"{plan.name}-again" if plan.name else "again"


def _same_points(prepared: Prepared, newest: Run, new: Dated, key: Key, old: str) -> frozenset[int]:
    assert isinstance(key, int)
    index = new.points[key].point
    own = next((point for point in newest.points if point.index == index), None)
    if own is None:
        return frozenset()
    names = {own.mpi, old}
    return frozenset(
        point.index
        for point in prepared.points
        if point.mpi in names and _what(point) == _what(own)
    )


def _what(point: Point) -> tuple[object, ...]:
    return (
        point.benchmark,
        tuple(sorted((name, str(value)) for name, value in point.axes.items())),
        tuple(sorted((name, str(value)) for name, value in point.settings.items())),
        str(point.placement),
        tuple(sorted(point.knobs.items())),
    )
