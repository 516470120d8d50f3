"""Night after night: the verdict on each figure, and which nights become its past.

Everything follows from what was measured: the verdicts of earlier nights are made again from their
launches and from those that were measured to confirm them, in the order of time. Nothing is kept
but run folders, and any two looks at the same folders say the same.
"""

import math
from collections.abc import Collection, Hashable, Mapping
from statistics import median
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.alarms import (
    FIGURES,
    LOOKS,
    SPELL,
    Certainty,
    Judged,
    Machine,
    Suspect,
    judge_night,
    look,
    tonight,
)
from leadline.analysis.stats.nightly import (
    FEWEST_NIGHTS,
    NIGHT_CHANCE,
    SUSPICION,
    Level,
    Usual,
    learn,
    level_of,
)
from leadline.analysis.stats.statistics import Array
from leadline.model.watched import WatchVerdict

Key = Hashable

# Past nights that count with what they measured.
_PAST = ("learning", "usual", "unsteady")

# A figure is still where it had gone while its usual level is so improbable.
_STILL = 0.05

# A figure has a usual level where such a part of the nights was usual.
_MOSTLY = 2 / 3

# So many launches are not all disturbed.
_SEVERAL = 3

# Two nights have the same level in common where they differ by no more than this factor.
_SAME_LEVEL = 1.15


class Night(NamedTuple):
    """What was measured in a night, by figure: the logarithms of the launches' medians.

    Figures of one of the `groups` share their launches. `fresh` are launches that were made
    afterwards of what looked slower, without those that met a slow spell; None where nobody did.
    """

    name: str
    launches: Mapping[Key, Array]
    groups: Mapping[Key, Hashable]
    fresh: Mapping[Key, Array] | None = None


class FigureVerdict(NamedTuple):
    """The verdict on a figure in a night, and the night since which it holds.

    `ratio` is how many times its usual time it took, without what the whole machine took longer,
    `fresh_ratio` the same of the launches made afterwards; `chance` is as in `alarms.Judged`.
    """

    said: WatchVerdict
    ratio: float
    chance: float
    since: str
    fresh_ratio: float | None = None
    fresh_launches: int = 0

    @property
    def known(self) -> bool:
        """Whether the figure was slower or faster in the night before already."""
        return bool(self.since)


class Verdict(NamedTuple):
    """The verdicts on a night's figures. Only `suspects` are worth measuring again."""

    name: str
    figures: dict[Key, FigureVerdict]
    machine: Machine
    suspects: dict[Key, Suspect]
    usual: dict[Key, Usual]

    @property
    def alarms(self) -> tuple[Key, ...]:
        """The figures that are slower for sure."""
        return tuple(key for key, outcome in self.figures.items() if outcome.said == "slower")


class _PastNight(NamedTuple):
    """A night of one figure that may become its past."""

    name: str
    level: Level
    verdict: WatchVerdict
    ratio: float = 1.0
    since: str = ""


class _Figure(NamedTuple):
    """A figure tonight, one of so many: its judgement, the night before, and what is usual."""

    key: Key
    judged: Judged
    before: _PastNight
    usual: Usual
    of: int
    suspect: Suspect | None


class Follower:
    """Takes nights in turn, and remembers of each figure what may be its past."""

    def __init__(self, history: int = 20, *, at_once: bool) -> None:
        self._history = history
        self._at_once = at_once
        self._past_nights: dict[Key, list[_PastNight]] = {}
        self._machines: list[tuple[str, Machine]] = []

    def add(self, night: Night) -> Verdict:
        """Return the verdict on `night`, and take it into the past."""
        verdict = self.judge(night)
        for key, outcome in verdict.figures.items():
            launches = night.launches[key]
            fresh = night.fresh.get(key) if night.fresh else None
            repeated = outcome.said == "noise" and fresh is not None
            if fresh is not None and len(fresh):
                # Of noise only those that were not chosen by what they show, if there are several.
                alone = repeated and len(fresh) >= _SEVERAL
                suspect = verdict.suspects.get(key)
                launches = fresh
                if suspect and not alone:
                    launches = np.concatenate([suspect.launches, fresh])
            past_night = _PastNight(
                night.name,
                level_of(launches),
                "usual" if repeated else outcome.said,
                outcome.ratio,
                outcome.since or night.name,
            )
            self._past_nights.setdefault(key, []).append(past_night)
            self._adopt(key)
        self._machines.append((night.name, verdict.machine))
        return verdict

    def judge(self, night: Night) -> Verdict:
        """Return the verdict on `night` alone, which is not taken into the past."""
        slow = self._slow_nights(night.launches)
        past = {key: self._past(key, slow) for key in night.launches}
        known = [key for key in night.launches if len(past[key]) >= FEWEST_NIGHTS]
        usual = dict(zip(known, learn([past[key] for key in known]), strict=True))
        judged, machine = judge_night(
            list(usual.values()),
            [night.launches[key] for key in known],
            [night.groups[key] for key in known],
            [machine for _, machine in self._machines[-self._history :]],
        )
        lasting = self._lasts(machine)
        figures: dict[Key, FigureVerdict] = {}
        suspects: dict[Key, Suspect] = {}
        for key, alone in zip(known, judged, strict=True):
            both = self._with_last_night(key, alone, usual[key], machine)
            suspect = self._suspect(key, both, machine, slow) if both.suspect else None
            figure = _Figure(key, both, self._past_nights[key][-1], usual[key], len(known), suspect)
            outcome = figures[key] = self._tell(figure, night, machine, lasting)
            if suspect and not outcome.known and outcome.said != "unsteady":
                suspects[key] = suspect
        for key in night.launches:
            figures.setdefault(key, FigureVerdict("learning", 1.0, 1.0, ""))
        return Verdict(night.name, figures, machine, suspects, usual)

    def _suspect(
        self, key: Key, judged: Judged, machine: Machine, slow: Collection[str]
    ) -> Suspect:
        window = self._past_nights[key][-self._history :]
        before = window[-1]
        _, last = self._machines[-1]
        counts = before.verdict in ("usual", "open") and not last.moved
        while window and window[-1].verdict not in _PAST:
            window.pop()
        if counts and before.verdict == "usual":
            window.pop()
        steady = [each for each in window if each.verdict != "machine" and each.name not in slow]
        usual = sum(each.verdict in _PAST for each in steady)
        levels = [each.level.value for each in steady]
        return Suspect(
            launches=np.zeros(0) if machine.moved else judged.launches,
            before=before.level if counts and not machine.moved else None,
            slowest=max(levels, default=-math.inf) if usual >= _MOSTLY * len(window) else math.inf,
        )

    def _with_last_night(self, key: Key, judged: Judged, usual: Usual, machine: Machine) -> Judged:
        before = self._past_nights[key][-1]
        if judged.suspect or before.verdict != "usual" or machine.moved or judged.ratio <= 1:
            return judged
        two = usual.chance_of_two(before.level, judged.level)
        return judged._replace(suspect=two <= SUSPICION)

    def _past(self, key: Key, slow: Collection[str]) -> list[Level]:
        window = self._past_nights.get(key, [])[-self._history :]
        return [each.level for each in window if each.verdict in _PAST and each.name not in slow]

    def _adopt(self, key: Key) -> None:
        """Make the last nights, which are at another level, the past where they are half of it."""
        window = self._past_nights[key][-self._history :]
        last = 0
        while last < len(window) and window[-1 - last].verdict not in _PAST:
            last += 1
        if last >= FEWEST_NIGHTS and 2 * last >= len(window):
            self._past_nights[key] = [each._replace(verdict="usual") for each in window[-last:]]

    def _slow_nights(self, keys: Collection[Key]) -> frozenset[str]:
        """Return the nights of the history in which all was slower than in the fastest quarter."""
        found: dict[str, list[float]] = {}
        for key in keys:
            window = [each for each in self._past_nights.get(key, ()) if each.verdict in _PAST]
            window = window[-self._history :]
            if len(window) >= FEWEST_NIGHTS:
                middle = median(each.level.value for each in window)
                for each in window:
                    found.setdefault(each.name, []).append(each.level.value - middle)
        common = {name: median(away) for name, away in found.items() if len(away) >= FIGURES}
        if not common:
            return frozenset()
        fast = sorted(common.values())[max(0, round(len(common) / 4) - 1)]
        return frozenset(name for name, away in common.items() if away > fast + math.log(SPELL))

    def _lasts(self, machine: Machine) -> str:
        """Return the night since which the whole machine is at the level of tonight, if not one.

        It is no alarm where another night was at that level already and it did not last.
        """
        since = ""
        window = self._machines[-self._history :]
        while window:
            name, before = window[-1]
            same = abs(math.log(before.factor / machine.factor)) <= math.log(_SAME_LEVEL)
            if not (machine.moved and before.moved and same):
                break
            since = name
            window.pop()
        return "" if any(_as_far(before, machine) for _, before in window) else since

    def _tell(self, figure: _Figure, night: Night, machine: Machine, lasting: str) -> FigureVerdict:
        judged, before, suspect = figure.judged, figure.before, figure.suspect
        outcome = FigureVerdict("usual", judged.ratio, judged.chance, "")
        if lasting:
            whole = judged.ratio * machine.factor
            if abs(math.log(whole)) < abs(math.log(machine.factor)) / 2:
                return outcome._replace(said="machine")
            return outcome._replace(
                said="slower" if whole > 1 else "faster", ratio=whole, since=lasting
            )
        if self._goes_on(before, judged):
            return outcome._replace(said=before.verdict, since=before.since)
        if suspect and suspect.slowest == math.inf:
            return outcome._replace(said="unsteady")
        if suspect:
            return self._tell_suspect(figure, suspect, night)
        if machine.moved:
            return outcome._replace(said="machine")
        if judged.alarm and judged.ratio < 1:
            return outcome._replace(said="faster")
        return outcome

    @staticmethod
    def _goes_on(before: _PastNight, judged: Judged) -> bool:
        if before.verdict not in ("slower", "faster"):
            return False
        still = math.log(judged.ratio) / math.log(before.ratio) >= 0.5
        return still and judged.chance <= _STILL

    def _tell_suspect(self, figure: _Figure, suspect: Suspect, night: Night) -> FigureVerdict:
        judged, usual = figure.judged, figure.usual
        outcome = FigureVerdict("open", judged.ratio, judged.chance, "")
        if night.fresh is not None and figure.key in night.fresh:
            fresh = night.fresh[figure.key]
            if not len(fresh):
                return outcome
            verdict: WatchVerdict = "open"
            level = tonight(usual, suspect, fresh)
            if certainty(usual, fresh, figure.of, suspect) == "confirmed":
                verdict = "slower"
            elif usual.chance(level) > SUSPICION or level.value <= suspect.slowest:
                verdict = "noise"
            ratio = math.exp(level_of(fresh).value - usual.level)
            return outcome._replace(said=verdict, fresh_ratio=ratio, fresh_launches=len(fresh))
        if night.fresh is not None or judged.level.value <= suspect.slowest:
            return outcome
        if self._at_once and judged.alarm:
            return outcome._replace(said="slower")
        # Nobody measured again: tonight's launches were not chosen by what they show, if it was
        # the night before that made the figure a suspect.
        again = usual.chance(level_of(night.launches[figure.key])) <= NIGHT_CHANCE / figure.of
        if figure.before.verdict == "open" and again:
            return outcome._replace(said="slower", since=figure.before.name)
        return outcome


def _as_far(before: Machine, machine: Machine) -> bool:
    if before.common is None:
        return False
    moved = math.log(machine.factor)
    return math.copysign(1.0, moved) * before.common >= abs(moved) - math.log(_SAME_LEVEL)


def certainty(usual: Usual, fresh: Array, figures: int, suspect: Suspect) -> Certainty:
    """Return what fresh launches say of a suspect, looked at after each of `LOOKS` as they came."""
    found: Certainty = "open"
    for number, count in enumerate(LOOKS):
        if count > len(fresh):
            break
        found = look(usual, fresh[:count], figures, number, suspect)
        if found != "open":
            return found
    return found
