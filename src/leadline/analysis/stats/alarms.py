"""Tonight against earlier nights: what looks slower, whether the machine is, and what is sure.

A figure that looks slower is a suspect, and is launched again. All its launches of the night are
held against the earlier nights together, at `NIGHT_CHANCE` over all figures and not over the
suspects alone: had every figure been launched again the bound would hold, and where most are not it
holds the better. Looks share it (a spending function as of Lan & DeMets, "Discrete Sequential
Boundaries for Clinical Trials", Biometrika 70, 1983), later ones most, as O'Brien and Fleming's do
("A Multiple Testing Procedure for Clinical Trials", Biometrics 35, 1979).
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from leadline.analysis.stats.nightly import NIGHT_CHANCE, SUSPICION, Level, Usual, level_of
from leadline.analysis.stats.statistics import Array, Mask

Certainty = Literal["confirmed", "noise", "open"]

# After so many fresh launches it is looked at what is sure, and each look may spend such a part of
# the chance. Few launches are enough for a large step, which needs no chance; a small one needs it.
# One launch alone is never sure, but tells most of what was chance.
LOOKS = (1, 3, 5, 8, 12)
_SPENT = (0, 1 / 16, 1 / 16, 1 / 8, 3 / 4)

# Half of it is for tonight alone, half for tonight and the night before together.
_TONIGHT = 1 / 2

# In a night of a slow machine figures are hardly known, and one of ten is measured again.
_SUSPICION_WHEN_SLOW = 0.1

# A launch in which figures take so many times their usual time is in a slow spell.
SPELL = 1.15

# A night in which so large a part of the figures moved alike is one of the machine, where it is by
# so many times what nights usually do.
_MOST = 0.6
_ALIKE = 1.05
_UNUSUAL = 3.0

# Launches without number.
_ANY = 10**6

# Fewer figures do not tell the machine from themselves.
FIGURES = 5


class Machine(NamedTuple):
    """How many times as long most figures took tonight, and how far they differ in that.

    `factor` is 1 where figures did not move alike. `spread` is a standard deviation of logarithms.
    `common` is the logarithm by which the median figure moved in any case, None where figures are
    too few to tell.
    """

    factor: float
    spread: float = 0.0
    slow_launches: int = 0
    common: float | None = None

    @property
    def moved(self) -> bool:
        """Whether most figures moved alike."""
        return self.factor != 1.0


class Suspect(NamedTuple):
    """What is known of a figure before it is launched again.

    `launches` are logarithms of its launches' medians tonight; none in a night of a slow machine,
    which tells nothing of the figure. `before` is its level of the night before, where that counts.
    `slowest` is the slowest level of the nights before these, infinite for a figure that has no
    usual level.
    """

    launches: Array
    before: Level | None = None
    slowest: float = -math.inf


class Judged(NamedTuple):
    """A figure tonight: how many times its usual time it takes, and by how much chance.

    `ratio` is without what the whole machine took longer. `chance` is that of so much slower where
    nothing changed, of this figure alone; of so much faster where `ratio` is below 1.
    """

    ratio: float
    chance: float
    suspect: bool
    alarm: bool
    level: Level
    launches: Array


def judge_night(
    usual: Sequence[Usual],
    tonight: Sequence[Array],
    groups: Sequence[object],
    before: Sequence[Machine] = (),
) -> tuple[list[Judged], Machine]:
    """Return what is to be thought of each figure, and of the machine.

    `tonight` are the logarithms of the launches' medians of each figure. Figures of one group share
    their launches: those of a group have as many each. `before` is the machine in earlier nights.
    """
    away = [each - past.level for each, past in zip(tonight, usual, strict=True)]
    kept, slow = _steady_launches(away, groups)
    steady = [each + past.level for each, past in zip(kept, usual, strict=True)]
    machine = _machine(usual, [level_of(each) for each in steady], before)
    machine = machine._replace(slow_launches=slow)
    judged = [
        _judge(past, launches, machine, len(usual))
        for past, launches in zip(usual, steady, strict=True)
    ]
    return judged, machine


def look(usual: Usual, fresh: Array, figures: int, number: int, suspect: Suspect) -> Certainty:
    """Return what fresh launches, the logarithms of whose medians are given, say of a suspect.

    `figures` are those of the night, `number` counts the looks from 0. It is noise where it would
    hardly be sure however many launches there were, or where the figure was as slow in an earlier
    night: one of 20 nights is more than a hundredth of them. No fresh launch tells nothing.
    """
    if not len(fresh):
        return "open"
    level = tonight(usual, suspect, fresh)
    chance = NIGHT_CHANCE / figures
    if _is_slower(usual, level, suspect, chance * _SPENT[number]):
        return "confirmed"
    error = math.sqrt(usual.within / level.launches) / 2
    best = Level(level.value + error, _ANY)
    return "open" if _is_slower(usual, best, suspect, chance * max(_SPENT)) else "noise"


def tonight(usual: Usual, suspect: Suspect, fresh: Array) -> Level:
    """Return the level of all launches of a suspect.

    It is no more than a standard error above that of the fresh ones: what disturbed a figure and
    has ended is not there any more.
    """
    alone = level_of(fresh)
    level = level_of(np.concatenate([suspect.launches, fresh]))
    if not alone.launches:
        return level
    most = alone.value + math.sqrt(usual.within / alone.launches)
    return level._replace(value=min(level.value, most))


def _is_slower(usual: Usual, level: Level, suspect: Suspect, chance: float) -> bool:
    if level.value < max(usual.level + math.log(_ALIKE), suspect.slowest):
        return False
    if usual.chance(level) <= _TONIGHT * chance:
        return True
    if suspect.before is None:
        return False
    # One night that was disturbed does not make two.
    most = level.value + usual.error(level.launches)
    before = suspect.before._replace(value=min(suspect.before.value, most))
    return usual.chance_of_two(before, level) <= (1 - _TONIGHT) * chance


def in_spell(witnesses: Sequence[tuple[Usual, Array]]) -> Mask:
    """Return for each fresh launch whether more than half of the witnesses took longer in it.

    `witnesses` are figures that are not suspected, with the logarithms of their launches' medians,
    shape (launches,) each. Without any, no launch is.
    """
    if not witnesses:
        return np.zeros(0, dtype=bool)
    away = np.array([fresh - past.level for past, fresh in witnesses])
    return np.asarray((away > math.log(SPELL)).mean(axis=0) > 1 / 2)


def _steady_launches(away: Sequence[Array], groups: Sequence[object]) -> tuple[list[Array], int]:
    """Return the figures' launches without those that a slow spell met, and how many these are."""
    kept = list(away)
    slow_launches = 0
    for group in dict.fromkeys(groups):
        indices = [index for index, each in enumerate(groups) if each == group]
        if len(indices) < FIGURES:
            continue
        common = np.median(np.array([away[index] for index in indices]), axis=0)
        slow = common > math.log(SPELL)
        if slow.any() and not slow.all():
            slow_launches += int(slow.sum())
            for index in indices:
                kept[index] = away[index][~slow]
    return kept, slow_launches


def _machine(usual: Sequence[Usual], levels: Sequence[Level], before: Sequence[Machine]) -> Machine:
    if len(usual) < FIGURES:
        return Machine(1.0)
    away = np.array([level.value - past.level for level, past in zip(levels, usual, strict=True)])
    common = float(np.median(away))
    alike = away * np.sign(common) > abs(common) / 2
    moves = [night.common for night in before if night.common is not None]
    least = max(math.log(_ALIKE), _UNUSUAL * _scatter(moves))
    if abs(common) < least or alike.mean() < _MOST:
        return Machine(1.0, common=common)
    return Machine(math.exp(common), _scatter(away - common), common=common)


def _scatter(values: Sequence[float] | Array) -> float:
    """Return the standard deviation about zero that the median distance has, if there is one."""
    return 1.4826 * float(np.median(np.abs(values))) if len(values) else 0.0


def _judge(usual: Usual, launches: Array, machine: Machine, figures: int) -> Judged:
    if not len(launches):
        return Judged(
            1.0, 1.0, suspect=False, alarm=False, level=level_of(launches), launches=launches
        )
    level = level_of(launches - math.log(machine.factor))
    ratio = math.exp(level.value - usual.level)
    slower = usual.chance(level, machine.spread**2)
    chance = min(slower, 1 - slower)
    useful = abs(math.log(ratio)) >= math.log(_ALIKE)
    suspicion = _SUSPICION_WHEN_SLOW if machine.factor > 1 else SUSPICION
    return Judged(
        ratio=ratio,
        chance=chance,
        suspect=ratio > 1 and slower <= suspicion,
        alarm=useful and chance <= NIGHT_CHANCE / figures,
        level=level,
        launches=launches,
    )
