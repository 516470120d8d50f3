"""Fresh launches of what looks slower than its own past, until it is sure or the budget ends."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from leadline.analysis.compare.confirming import (
    Again,
    Fresh,
    choose,
    fresh_of,
    measured_again,
    met_spell,
    spell_free,
    wanted,
)
from leadline.analysis.compare.history import Dated
from leadline.analysis.compare.nights import Key
from leadline.analysis.results.summary import summarise
from leadline.analysis.stats.alarms import LOOKS
from leadline.core.units import count
from leadline.library.nights import Followed
from leadline.library.until_sure import Budget, More
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
        found: Followed,
        again: Again,
        points: dict[Key, frozenset[int]],
        budget: Budget,
        observer: Observer,
    ) -> None:
        self._found, self._again, self._points, self._observer = found, again, points, observer
        self._budget = budget
        self._made = LOOKS[0]

    def __call__(self, run: Run, folder: RunFolder) -> More | None:
        """Return the points to launch again and how often, or None where that is all.

        While a slow spell of the machine lasts it waits, longer and longer.
        """
        run.looks = (*run.looks, self._made)
        found, again = self._found, self._again
        every = launches_again(run, folder, found)
        still, rounds = wanted(
            found.verdict, again, spell_free(found.verdict, found.night, again, every)
        )
        chosen = self.points_of(measured_again(again, still, found.night))
        if met_spell(found.verdict, found.night, again, still, every):
            line = "a slow spell of the machine: waiting until it ends"
            rounds = int(self._budget.wait(run, chosen, lambda: self._observer.doing(line)))
        else:
            rounds = self._budget.rounds(run, chosen, rounds)
        if rounds < 1:
            return None
        self._made += rounds
        return chosen, rounds

    def points_of(self, keys: Collection[Key]) -> frozenset[int]:
        """Return the points of these figures in the run that measures again."""
        return frozenset[int]().union(*(self._points[key] for key in keys))


def launches_again(run: Run, folder: RunFolder, found: Followed) -> Fresh:
    """Return the launches that a run has measured again, with the software of the night."""
    own = {point.mpi for point in found.new.points}
    points = [each for each in summarise(run, StoredSamples(folder)) if each.mpi in own]
    return fresh_of(points, found.new, found.yardsticks)


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
    found: Followed,
    budget_s: float,
    runs: Path,
    observer: Observer,
    old: str = "",
) -> tuple[RunFolder, Run] | None:
    """Measure again what is suspected, in a run of its own; None where nothing can be.

    With the name of an `old` MPI each round launches both, one after the other. Raises `UserError`
    where the plan cannot be measured any more.
    """
    new = found.new
    again = choose(found.verdict, found.night)
    if not again.suspects:
        return None
    names = tuple(dict.fromkeys(point.mpi for point in newest.points))
    name = f"{plan.name}-again" if plan.name else "again"
    both = msgspec.structs.replace(plan, mpi=(*names, old) if old else names, name=name)
    prepared = prepare(both, observer.doing)
    points = {
        key: _same_points(prepared, newest, new, key, old)
        for key in (*again.suspects, *again.witnesses)
    }
    confirming = Confirming(found, again, points, Budget(budget_s), observer)
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


def _same_points(prepared: Prepared, newest: Run, new: Dated, key: Key, old: str) -> frozenset[int]:
    assert isinstance(key, int)
    index = new.points[key].point
    own = next((point for point in newest.points if point.index == index), None)
    return frozenset(
        point.index
        for point in prepared.points
        if own and point.mpi in (own.mpi, old) and _what(point) == _what(own)
    )


def _what(point: Point) -> tuple[object, ...]:
    # Values as text: those of a run that was read and of a plan differ in type.
    values = {**point.axes, **point.settings}
    texts = sorted((name, str(value)) for name, value in values.items())
    return (point.benchmark, texts, str(point.placement), sorted(point.knobs.items()))
