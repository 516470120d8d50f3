"""A replay of nights: each judged as `leadline watch` does, with and without confirmation."""

from copy import copy, deepcopy
from typing import NamedTuple, Protocol

import numpy as np

from leadline.analysis.compare.confirming import choose, measured_again, spell_free, wanted
from leadline.analysis.compare.nights import Follower, Key, Night, Verdict
from leadline.analysis.stats.statistics import Array

# What a launch takes beside its points, in points.
_AROUND = 1.0


class Source(Protocol):
    """Where launches come from: a model, or launches that were measured."""

    figures: int
    random: np.random.Generator

    def begin(self) -> None:
        """Begin a night."""

    def launch(self) -> Array:
        """Return the logarithms of the figures' medians in one more launch, shape (figures,)."""


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
    found: dict[float, tuple[int, int, int]]


class Replay:
    """Replays nights of `launches` launches from a source."""

    def __init__(self, source: Source, launches: int, *, confirm: bool) -> None:
        self.source, self.launches, self.confirm = source, launches, confirm
        self.spent = 0.0

    def night(self, follower: Follower, name: str, step: Array) -> tuple[Night, Verdict]:
        """Measure a night with every figure `step` higher, and return what is said of it."""
        self.source.begin()
        rows = np.array([self.source.launch() + step for _ in range(self.launches)])
        launches: dict[Key, Array] = {index: rows[:, index] for index in range(rows.shape[1])}
        night = Night(name, launches, dict.fromkeys(launches, 0))
        if not self.confirm:
            return night, follower.judge(night)
        night = night._replace(fresh=self._again(follower.judge(night), night, step))
        return night, follower.judge(night)

    def _again(self, verdict: Verdict, night: Night, step: Array) -> dict[Key, Array]:
        again = choose(verdict, night)
        rows: dict[Key, list[float]] = {key: [] for key in (*again.suspects, *again.witnesses)}
        made = 0
        while True:
            every = {key: np.array(values) for key, values in rows.items()}
            fresh = spell_free(verdict, night, again, every)
            still, rounds = wanted(verdict, again, fresh, made)
            if not rounds:
                return fresh
            for _ in range(rounds):
                drawn: dict[Key, float] = dict(enumerate(self.source.launch() + step))
                together = measured_again(again, still, night)
                for key in together:
                    rows[key].append(float(drawn[key]))
                self.spent += len(together) + _AROUND
            made += rounds


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
    cost = 0.0
    found = {step: [0, 0, 0] for step in steps}
    for number in range(warm_up + nights):
        if number >= warm_up:
            for step in steps:
                first, second = _with_step(run, follower, number, step)
                found[step] = [
                    a + b for a, b in zip(found[step], (1, first, first or second), strict=True)
                ]
        run.spent = 0.0
        night, verdict = run.night(follower, str(number), nothing)
        follower.add(night)
        if number >= warm_up:
            alarms += bool(verdict.alarms)
            machine += verdict.machine.moved
            suspects += len(verdict.suspects)
            cost += run.spent
    whole = nights * launches * (source.figures + _AROUND)
    return Replayed(
        nights,
        alarms,
        machine,
        suspects,
        cost / whole,
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
