"""Tonight against earlier nights: what looks slower, whether the machine is, and what is sure.

A figure that looks slower is a suspect; what was measured of it so far was chosen by its own
chance, so only launches made afterwards may confirm it. These are held against the earlier nights
at `NIGHT_CHANCE` over all figures, not over the suspects alone: whichever figures were chosen, and
for whatever reason, the bound then holds. Looks share it (a spending function as of Lan & DeMets,
"Discrete Sequential Boundaries for Clinical Trials", Biometrika 70, 1983), later ones most, as
O'Brien and Fleming's do ("A Multiple Testing Procedure for Clinical Trials", Biometrics 35, 1979).
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from leadline.analysis.stats.nightly import (
    NIGHT_CHANCE,
    SELECTED,
    SUSPICION,
    Level,
    Usual,
    level_of,
)
from leadline.analysis.stats.permutation import Mask
from leadline.analysis.stats.statistics import Array

Certainty = Literal["confirmed", "noise", "open"]

# After so many fresh launches it is looked at what is sure, and each look may spend such a part of
# the chance. Few launches are enough for a large step, which needs no chance; a small one needs it.
LOOKS = (3, 5, 8, 12, 18)
_SPENT = (1 / 16, 1 / 16, 1 / 8, 1 / 4, 1 / 4)

# What is left is for two nights together, both of which looked slower.
_TWO_NIGHTS = 1 - sum(_SPENT)

# In a night of a slow machine figures are hardly known, and one of ten is measured again.
_SUSPICION_WHEN_SLOW = 0.1

# A launch in which figures take so many times their usual time is in a slow spell.
SPELL = 1.15

# A night in which so large a part of the figures moved alike is one of the machine.
_MOST = 0.6
_ALIKE = 1.05

# Launches without number.
_ANY = 10**6

# Fewer figures do not tell the machine from themselves.
FIGURES = 5


class Machine(NamedTuple):
    """How many times as long most figures took tonight, and how far they differ in that.

    `factor` is 1 where figures did not move alike. `spread` is a standard deviation of logarithms.
    """

    factor: float
    spread: float = 0.0
    slow_launches: int = 0

    @property
    def moved(self) -> bool:
        """Whether most figures moved alike."""
        return self.factor != 1.0


class Suspect(NamedTuple):
    """How a figure became one: with what probability by chance, from how many launches."""

    selected: float
    launches: int


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


def suspicion_of(machine: Machine, judged: Judged) -> Suspect:
    """Return how a figure became a suspect in a night of such a machine."""
    chance = _SUSPICION_WHEN_SLOW if machine.factor > 1 else SELECTED
    return Suspect(chance, judged.level.launches)


def judge_night(
    usual: Sequence[Usual], tonight: Sequence[Array], groups: Sequence[object]
) -> tuple[list[Judged], Machine]:
    """Return what is to be thought of each figure, and of the machine.

    `tonight` are the logarithms of the launches' medians of each figure. Figures of one group share
    their launches: those of a group have as many each.
    """
    away = [each - past.level for each, past in zip(tonight, usual, strict=True)]
    kept, slow = _steady_launches(away, groups)
    levels = [level_of(each + past.level) for each, past in zip(kept, usual, strict=True)]
    machine = _machine(usual, levels)._replace(slow_launches=slow)
    judged = [
        _judge(past, level, machine, len(usual)) for past, level in zip(usual, levels, strict=True)
    ]
    return judged, machine


def look(usual: Usual, fresh: Array, figures: int, number: int, suspect: Suspect) -> Certainty:
    """Return what fresh launches, the logarithms of whose medians are given, say of a suspect.

    `figures` are those of the night, `number` counts the looks from 0. A false alarm takes a figure
    that is a suspect by chance, and fresh launches that say the same by chance: the probability of
    both is held against what the look may spend. It is noise where it would hardly be sure however
    many launches there were.
    """
    level = level_of(fresh)
    spent = NIGHT_CHANCE * _SPENT[number] / figures
    if _useful(usual, level) and _both(usual, suspect, level) <= spent:
        return "confirmed"
    error = math.sqrt(usual.within / level.launches) / 2
    best = Level(level.value + error, _ANY)
    most = NIGHT_CHANCE * max(_SPENT) / figures
    hopeful = _useful(usual, best) and _both(usual, suspect, best) <= most
    return "open" if hopeful else "noise"


def _useful(usual: Usual, level: Level) -> bool:
    return level.value - usual.level >= math.log(_ALIKE)


def _both(usual: Usual, suspect: Suspect, level: Level) -> float:
    return usual.chance_of_both(suspect.selected, suspect.launches, level)


def look_at_two_nights(usual: Usual, fresh: tuple[Array, Array], figures: int) -> bool:
    """Whether the fresh launches of two nights in turn, both suspected, are slower together."""
    if not all(len(each) for each in fresh):
        return False
    levels = [level_of(each) for each in fresh]
    above = sum(level.value for level in levels) / 2 - usual.level
    chance = usual.chance_of_two(levels[0], levels[1])
    return above >= math.log(_ALIKE) and chance <= NIGHT_CHANCE * _TWO_NIGHTS / figures


def in_spell(witnesses: Sequence[tuple[Usual, Array]]) -> Mask:
    """Return for each fresh launch whether most witnesses took longer than usual in it.

    `witnesses` are figures that are not suspected, with the logarithms of their launches' medians,
    shape (launches,) each. Without any, no launch is.
    """
    if not witnesses:
        return np.zeros(0, dtype=bool)
    away = np.array([fresh - past.level for past, fresh in witnesses])
    return np.asarray(np.median(away, axis=0) > math.log(SPELL))


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


def _machine(usual: Sequence[Usual], levels: Sequence[Level]) -> Machine:
    if len(usual) < FIGURES:
        return Machine(1.0)
    away = np.array([level.value - past.level for level, past in zip(levels, usual, strict=True)])
    common = float(np.median(away))
    alike = away * np.sign(common) > abs(common) / 2
    if abs(common) < math.log(_ALIKE) or alike.mean() < _MOST:
        return Machine(1.0)
    spread = 1.4826 * float(np.median(np.abs(away - common)))
    return Machine(math.exp(common), spread)


def _judge(usual: Usual, level: Level, machine: Machine, figures: int) -> Judged:
    own = level._replace(value=level.value - math.log(machine.factor))
    ratio = math.exp(own.value - usual.level)
    slower = usual.chance(own, machine.spread**2)
    chance = min(slower, 1 - slower)
    useful = abs(math.log(ratio)) >= math.log(_ALIKE)
    suspicion = _SUSPICION_WHEN_SLOW if machine.factor > 1 else SUSPICION
    return Judged(
        ratio=ratio,
        chance=chance,
        suspect=ratio > 1 and slower <= suspicion,
        alarm=useful and chance <= NIGHT_CHANCE / figures,
        level=own,
    )
