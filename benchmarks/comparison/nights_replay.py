"""A replay of nights: each judged as `leadline watch` does, with and without confirmation."""

from copy import copy, deepcopy
from typing import NamedTuple, Protocol

import numpy as np

from leadline.analysis.compare.confirming import (
    Fresh,
    choose,
    measured_again,
    met_spell,
    spell_free,
    wanted,
)
from leadline.analysis.compare.nights import Follower, Key, Night, Verdict
from leadline.analysis.stats.statistics import Array, Mask

# What a launch takes beside its points, in points.
_AROUND = 1.0


# The share of the launches that makes a figure one of the fast state, as `library.spells_again` has
# it, and how many whole launches long a night waits for slow spells to end.
_SHARE = 1 / 3
_LONGEST = 30


class Drawn(NamedTuple):
    """One launch: the logarithms of the figures' medians, and around which the machine was slow.

    Both have shape (figures,). The latter is what yardsticks say.
    """

    values: Array
    slow: Mask


class Source(Protocol):
    """Where launches come from: a model, or launches that were measured."""

    figures: int
    random: np.random.Generator

    def begin(self) -> None:
        """Begin a night."""

    def launch(self, part: float = 1.0) -> Drawn:
        """Return one more launch, which takes such a part of the time of a whole one."""


class Replayed(NamedTuple):
    """What became of nights: of each whether there was an alarm, and what measuring again cost.

    `found` says of each step how many of the nights with one raised the alarm in the first night,
    and within two.
    """

    nights: int
    alarms: int
    machine: int
    suspects: int
    cost: float
    waited: float
    found: dict[float, tuple[int, int, int]]


class Replay:
    """Replays nights of `launches` launches from a source."""

    def __init__(self, source: Source, launches: int, *, confirm: bool) -> None:
        self.source, self.launches, self.confirm = source, launches, confirm
        self.spent = self.waited = self._left = 0.0

    def night(self, follower: Follower, name: str, step: Array) -> tuple[Night, Verdict]:
        """Measure a night with every figure `step` higher, and return what is said of it."""
        self.source.begin()
        self._left = _LONGEST * (self.source.figures + _AROUND)
        drawn = [self.source.launch() for _ in range(self.launches)]
        rows = [list(each) for each in zip(*(one.values for one in drawn), strict=True)]
        slow = [list(each) for each in zip(*(one.slow for one in drawn), strict=True)]
        if self.confirm:
            self._wait_out(rows, slow)
        # As `nights_of` has it: slow launches count where there are no others.
        launches: dict[Key, Array] = {
            index: np.array(rows[index])[np.logical_not(met) | all(met)] + step[index]
            for index, met in enumerate(slow)
        }
        night = Night(name, launches, {index: len(values) for index, values in launches.items()})
        if not self.confirm:
            return night, follower.judge(night)
        verdict = follower.judge(night)
        if not verdict.suspects:
            return night, verdict
        night = night._replace(fresh=self._again(verdict, night, step))
        return night, follower.judge(night)

    def _part(self, cost: float) -> float:
        return cost / (self.source.figures + _AROUND)

    def _wait_out(self, rows: list[list[float]], slow: list[list[bool]]) -> None:
        """Launch again the figures of a slow state, while it lasts one alone."""
        lasts, again = slow[-1][-1], 0
        while True:
            chosen = [i for i, met in enumerate(slow) if met.count(False) < _SHARE * len(met)]
            if not chosen or again == self.launches or self._left <= 0:
                return
            waits = lasts and len(chosen) > 1
            again += not waits
            chosen = chosen[:1] if waits else chosen
            one = self._launch(len(chosen) + _AROUND, waits=waits)
            lasts = bool(one.slow[-1])
            for index in chosen:
                rows[index].append(float(one.values[index]))
                slow[index].append(bool(one.slow[index]))

    def _launch(self, cost: float, *, waits: bool, pause: float = 0.0) -> Drawn:
        """Return one launch more of such a cost, after a pause."""
        if waits:
            self.waited += cost + pause
            self._left -= cost + pause
        else:
            self.spent += cost
        return self.source.launch((cost + pause) / (self.source.figures + _AROUND))

    def _again(self, verdict: Verdict, night: Night, step: Array) -> dict[Key, Array]:
        again = choose(verdict, night)
        rows: dict[Key, list[float]] = {key: [] for key in (*again.suspects, *again.witnesses)}
        slow: dict[Key, list[bool]] = {key: [] for key in rows}
        pause = _AROUND
        while True:
            every = Fresh(
                {key: np.array(values) for key, values in rows.items()},
                {key: np.array(met, dtype=bool) for key, met in slow.items()},
            )
            fresh = spell_free(verdict, night, again, every)
            still, rounds = wanted(verdict, again, fresh)
            waits = met_spell(verdict, night, again, still, every)
            if not rounds or self._left <= 0:
                return fresh
            together = measured_again(again, still, night)
            for _ in range(1 if waits else rounds):
                one = self._launch(
                    len(together) + _AROUND, waits=waits, pause=pause if waits else 0.0
                )
                for key in together:
                    assert isinstance(key, int)
                    rows[key].append(float(one.values[key] + step[key]))
                    slow[key].append(bool(one.slow[key]))
            pause = 2 * pause if waits else _AROUND


def replay(
    source: Source,
    launches: int,
    nights: int,
    steps: tuple[float, ...],
    *,
    confirm: bool,
    warm_up: int = 10,
) -> Replayed:
    """Replay `nights` nights without a change, and from each one those with a step of one figure.

    The first `warm_up` nights only begin the history.
    """
    run = Replay(source, launches, confirm=confirm)
    follower = Follower(at_once=not confirm)
    nothing = np.zeros(source.figures)
    alarms = machine = suspects = 0
    found = {step: [0, 0, 0] for step in steps}
    for number in range(warm_up + nights):
        if number == warm_up:
            run.spent = run.waited = 0.0
        if number >= warm_up:
            for step in steps:
                first, second = _with_step(run, follower, number, step)
                found[step] = [
                    a + b for a, b in zip(found[step], (1, first, first or second), strict=True)
                ]
        night, verdict = run.night(follower, str(number), nothing)
        follower.add(night)
        if number >= warm_up:
            alarms += bool(verdict.alarms)
            machine += verdict.machine.moved
            suspects += len(verdict.suspects)
    whole = nights * launches * (source.figures + _AROUND)
    return Replayed(
        nights,
        alarms,
        machine,
        suspects,
        run.spent / whole,
        run.waited / whole,
        {step: (each[0], each[1], each[2]) for step, each in found.items()},
    )


def _with_step(run: Replay, follower: Follower, number: int, step: float) -> tuple[bool, bool]:
    """Return whether a step of a random figure is found in the first night, and in the second."""
    branch = Replay(copy(run.source), run.launches, confirm=run.confirm)
    follower = deepcopy(follower)
    slower = int(run.source.random.integers(run.source.figures))
    higher = np.zeros(run.source.figures)
    higher[slower] = np.log(step)
    night, verdict = branch.night(follower, f"{number} slower", higher)
    first = slower in verdict.alarms
    follower.add(night)
    _, verdict = branch.night(follower, f"{number} slower still", higher)
    return first, slower in verdict.alarms
