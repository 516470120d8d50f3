"""The race of an MPI library's settings: one at a time, then the winners together, then the proof.

Settings are the program's from its start, so that each value has launches of its own, in turn with
those of the library as it is. Values of one setting are a contest (`leadline.tune.contest`) over
the geometric mean of all benchmarks and sizes; what loses a size for sure is out. Winners may get
in each other's way, so the best one and those together that gained most are raced again. What wins
then is proved in fresh launches (`leadline.tune.settings.judgement`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from leadline.core.units import count
from leadline.measure.knobs.knob import DEFAULT
from leadline.model.description import Benchmark
from leadline.model.placement import Placement
from leadline.model.profile import LIBRARY
from leadline.model.progress import Observer
from leadline.model.summary import PointSummary
from leadline.model.tuning import RacedSetting, Trial, TunedSettings
from leadline.tune.candidates import Cell, Part, calls
from leadline.tune.conformance import Conformance, broken_by
from leadline.tune.contest import EQUAL, survivors, winner
from leadline.tune.deployment import variables_file
from leadline.tune.proof import verdicts
from leadline.tune.session import PROOF, Interrupted, Session
from leadline.tune.settings.judgement import (
    gain_of,
    harm,
    judge_settings,
    ran_well,
    slower_at,
    standings,
)
from leadline.tune.settings.known import Choice
from leadline.tune.subjects import Subject

# Launches of each value in the first round of a race, and in each further one.
_FIRST, _MORE = 3, 2
# The parts of the time at which the race of single settings and that of the winners end.
_SINGLE, _TOGETHER = 0.5, 0.7
# A benchmark's time at one size in a launch: what is sure comes from many launches.
_POINT_S = 0.03

# What the winners together are raced as, beside the settings.
_WINNERS = "winners"

# The launches of each value of a setting, and LIBRARY's beside them.
_Times = dict[str, dict[Cell, list[float]]]


class SettingsTask(NamedTuple):
    """What is to be raced, on what; files of variables go to `folder`.

    The race is run in the first of the `placements`, the proof in all. `benchmarks` are those that
    feel a setting. Of `conformance` nothing may break.
    """

    choices: Sequence[Choice]
    benchmarks: Sequence[Benchmark]
    placements: Sequence[Placement]
    sizes: Sequence[int]
    folder: Path
    conformance: Conformance | None = None


def tune_settings(
    task: SettingsTask, session: Session, observer: Observer
) -> tuple[TunedSettings, str]:
    """Race and prove; return what was found, and `complete` or `interrupted`.

    After an interrupt only what the proof had measured until then counts.
    """
    race = _Race(task, session, observer)
    state, chosen = "complete", None
    trials: list[Trial] = []
    try:
        chosen = race.run()
        for trial in _prove(task, session, chosen) if chosen else ():
            trials.append(trial)
    except Interrupted as interrupt:
        state = "interrupted"
        trials += interrupt.trials
    except KeyboardInterrupt:
        # Between two runs, or after all of one was measured.
        state = "interrupted"
    judged = judge_settings(trials)
    found = TunedSettings(
        benchmarks=tuple(each.name for each in task.benchmarks),
        raced=tuple(race.outcomes()),
        chosen=tuple(chosen.members) if chosen else (),
        variables=chosen.variables if chosen else {},
        gain=judged.gain,
        gain_low=judged.low,
        gain_high=judged.high,
        p_value=judged.p_value,
        reason=judged.reason if chosen else "",
        verdicts=tuple(verdicts(trials)),
    )
    return found, state


class Together(NamedTuple):
    """Several settings at once: the names of the choices, and all their variables."""

    members: tuple[str, ...]
    variables: dict[str, str]

    @property
    def name(self) -> str:
        """The names of all members."""
        return "+".join(self.members)


def combinations(ranked: Sequence[Choice]) -> list[Together]:
    """Return what is raced of winners that are `ranked` by their gain, the best one first.

    That is the best alone, the two best, the three best and so on. Left out is what contradicts a
    better one.

    >>> ranked = [Choice("a", "1", "", {"A": "1"}), Choice("b", "2", "", {"A": "2"}),
    ...           Choice("c", "3", "", {"C": "3"})]
    >>> [each.name for each in combinations(ranked)]
    ['a=1', 'a=1+c=3']
    """
    found: list[Together] = []
    members: tuple[str, ...] = ()
    variables: dict[str, str] = {}
    for choice in ranked:
        if all(variables.get(name, value) == value for name, value in choice.variables.items()):
            members, variables = (*members, choice.name), {**variables, **choice.variables}
            found.append(Together(members, variables))
    return found


def benchmarks_on(benchmarks: Sequence[Benchmark], placement: Placement) -> list[Subject]:
    """Return as subjects the benchmarks that can use all processes of a placement."""
    return [
        Subject(collective=each.name, benchmark=each.name, algorithms=(), sized=True, axes={})
        for each in benchmarks
        if each.processes.allow(placement.processes)
    ]


class _Race:
    """What has been measured of each setting's values, and what comes next."""

    def __init__(self, task: SettingsTask, session: Session, observer: Observer) -> None:
        self._task = task
        self._session = session
        self._observer = observer
        self._placement = task.placements[0]
        subjects = benchmarks_on(task.benchmarks, self._placement)
        self._subjects = {each.collective: each for each in subjects}
        self._entries = calls(self._subjects, cells(subjects, task.sizes))
        self._budget_s = session.left_s
        self._times: dict[str, _Times] = {}
        self._failed: set[str] = set()
        # What does not work any more with a value, by the value's name.
        self._broken: dict[str, str] = {}

    def run(self) -> Together | None:
        """Return what won the race and breaks nothing, or None. Raises `Interrupted`."""
        in_race = self._affordable()
        variables = {each.name: each.variables for each in in_race}
        members: dict[str, list[str]] = {}
        for choice in in_race:
            members.setdefault(choice.setting, []).append(choice.name)
        self._observer.doing(
            f"{self._placement}: {count(len(in_race), 'value')} of "
            f"{count(len(members), 'setting')} of the library are raced, "
            f"{count(len(self._subjects), 'benchmark')} at {count(len(self._task.sizes), 'size')}"
        )
        self._contest(members, variables, _SINGLE)
        while chosen := self._choose():
            if not self._breaks(chosen):
                return chosen
        return None

    def _choose(self) -> Together | None:
        """Return what gains most of the winners, alone or together, or None."""
        together = combinations(self._winners())
        if len(together) < 2:
            return together[0] if together else None
        self._observer.doing(
            f"{count(len(together), 'setting')} gain each by itself: now several at once"
        )
        found = {each.name: each.variables for each in together}
        self._contest({_WINNERS: list(found)}, found, _TOGETHER)
        won = winner(standings(self._times[_WINNERS]), LIBRARY)
        # Without a sure winner the best single one is what is known most of.
        return next((each for each in together if each.name == won), together[0])

    def _breaks(self, chosen: Together) -> bool:
        """Tell whether programs break with what was chosen, and keep which of its values do that.

        Where none does by itself, it is the one that gains least.
        """
        for placement in self._task.placements:
            if not (found := self._broken_by({chosen.name: chosen.variables}, placement)):
                continue
            alone = {
                each.name: each.variables
                for each in self._task.choices
                if each.name in chosen.members
            }
            of_each = self._broken_by(alone, placement) if len(alone) > 1 else found
            self._broken |= of_each or {chosen.members[-1]: found[chosen.name]}
            return True
        return False

    def _broken_by(
        self, values: Mapping[str, Mapping[str, str]], placement: Placement
    ) -> dict[str, str]:
        task = self._task
        return broken_by(values, task.conformance, self._session, placement, self._observer)

    def outcomes(self) -> Iterator[RacedSetting]:
        """Yield what came of each value that was measured."""
        for choice in self._task.choices:
            of_setting = self._times.get(choice.setting, {})
            if choice.name not in of_setting:
                continue
            times, library = of_setting[choice.name], of_setting[LIBRARY]
            ratio = None if choice.name in self._failed else gain_of(times, library)
            low, high = (ratio and ratio.interval) or (0.0, math.inf)
            lost = harm(times, library) if ratio else None
            outcome = "faster" if low > 1 else "slower" if high < 1 else "cannot tell"
            if choice.name in self._failed:
                outcome = "does not run"
            elif choice.name in self._broken:
                outcome = "breaks programs"
            elif lost and outcome != "slower":
                outcome = slower_at(lost)
            yield RacedSetting(
                setting=choice.setting,
                value=choice.value,
                about=choice.about,
                gain=ratio.median if ratio else math.nan,
                gain_low=low,
                gain_high=high,
                outcome=outcome,
                broken=self._broken.get(choice.name, ""),
            )

    def _affordable(self) -> list[Choice]:
        """Return as many choices as their first round leaves time for, one at least."""
        one_s = self._session.estimate([Part(self._entries, {})], _FIRST, _POINT_S)
        most = max(1, int(self._budget_s * _SINGLE / one_s) - 1)
        left_out = len(self._task.choices) - most
        if left_out > 0:
            self._observer.warn(
                f"{count(left_out, 'value')} of the library's settings not raced in the time: "
                "--seconds gives more"
            )
        return list(self._task.choices[:most])

    def _contest(
        self,
        members: Mapping[str, Sequence[str]],
        variables: Mapping[str, Mapping[str, str]],
        until: float,
    ) -> None:
        """Measure what each contest has as `members` until all are decided or the time is over.

        That is `until` a part of all time has gone. The first round has its launches in any case.
        """
        left, launches = {each: tuple(names) for each, names in members.items()}, _FIRST
        while left:
            self._round(left, variables, launches)
            launches = _MORE
            left = {
                each: alive
                for each in left
                if (alive := survivors(standings(self._times[each]), LIBRARY))
            }
            groups = 1 + sum(len(names) - 1 for names in left.values())
            point_s = self._session.seconds_of_a_point()
            cost_s = groups * self._session.estimate([Part(self._entries, {})], _MORE, point_s)
            if left and self._session.left_s - cost_s < self._budget_s * (1 - until):
                self._observer.doing(f"{count(len(left), 'setting')} stay undecided")
                return

    def _round(
        self,
        left: Mapping[str, Sequence[str]],
        variables: Mapping[str, Mapping[str, str]],
        launches: int,
    ) -> None:
        """Measure the library as it is and each value that is `left`, in turn."""
        who: dict[str, list[tuple[str, str]]] = {DEFAULT: [(contest, LIBRARY) for contest in left]}
        for contest, names in left.items():
            for name in names:
                if name != LIBRARY:
                    path = variables_file(self._task.folder, name, variables[name])
                    who.setdefault(str(path), []).append((contest, name))
        part = Part(self._entries, {PROOF: ",".join(who)})
        found = self._session.run(part, self._placement, launches, _POINT_S)
        self._add(found.figures, who)
        if found.interrupted:
            raise Interrupted

    def _add(
        self, figures: Sequence[PointSummary], who: Mapping[str, Sequence[tuple[str, str]]]
    ) -> None:
        found: dict[str, dict[Cell, tuple[float, ...]]] = {value: {} for value in who}
        wrong = set()
        for figure in figures:
            value = figure.knobs.get(PROOF, DEFAULT)
            if figure.benchmark in self._subjects and value in found:
                cell = Cell(figure.benchmark, figure.bytes or 0)
                found[value][cell] = tuple(figure.launch_medians_s)
                if not figure.verified:
                    wrong.add(value)
        for value, contests in who.items():
            ran = value not in wrong and ran_well(found[value], found[DEFAULT])
            for contest, name in contests:
                times = self._times.setdefault(contest, {}).setdefault(name, {})
                if not ran:
                    self._failed.add(name)
                    times.clear()
                    continue
                for cell, launches in found[value].items():
                    times.setdefault(cell, []).extend(launches)

    def _winners(self) -> list[Choice]:
        """Return the value that won of each setting, that with the greatest gain first.

        Where none won for sure, it is the most promising one, if any: what is right is known only
        after the proof, which has more launches than a race that had to end.
        """
        found = {
            (outcome.setting, outcome.value): outcome
            for outcome in self.outcomes()
            if outcome.outcome in ("faster", "cannot tell")
        }
        there = [each for each in self._task.choices if (each.setting, each.value) in found]
        won = {
            setting: winner(standings(self._unbroken(setting)), LIBRARY)
            for setting in dict.fromkeys(each.setting for each in there)
        }
        sure = [each for each in there if won[each.setting] == each.name]
        if sure:
            return sorted(sure, key=lambda each: -found[each.setting, each.value].gain)
        promising = [each for each in there if found[each.setting, each.value].gain > EQUAL]
        promising.sort(key=lambda each: -found[each.setting, each.value].gain_low)
        return promising[:1]

    def _unbroken(self, setting: str) -> _Times:
        times = self._times[setting]
        return {name: of_value for name, of_value in times.items() if name not in self._broken}


def cells(subjects: Sequence[Subject], sizes: Sequence[int]) -> list[Cell]:
    """Return each benchmark at each size."""
    return [Cell(each.collective, size) for each in subjects for size in sizes]


def _prove(task: SettingsTask, session: Session, chosen: Together) -> Iterator[Trial]:
    """Yield the trials of what was chosen, in all placements. Raises `Interrupted`."""
    path = variables_file(task.folder, chosen.name, chosen.variables)
    for index, placement in enumerate(task.placements):
        subjects = benchmarks_on(task.benchmarks, placement)
        every = dict.fromkeys(cells(subjects, task.sizes), chosen.name)
        if every:
            share = 1 / (len(task.placements) - index)
            yield from session.prove(subjects, placement, every, path, share)
