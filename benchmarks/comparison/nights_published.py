"""Nights that others published: a time of each figure a night, and with which software.

Nobody can measure such a night again, so an alarm takes two, as in `leadline watch --import`. What
really changed is not known. But where the night of an alarm and the two before had the same
software, it is counted as false.
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from leadline.analysis.compare.nights import Follower, Key, Night, Verdict
from leadline.analysis.stats.statistics import Array

COLUMNS = ("date", "commit", "figure", "seconds")
HISTORY = 20
# A figure has been published in so many nights at least.
_FEWEST = 100


class Published(NamedTuple):
    """A night: the seconds of each figure, and the software that it was measured with, if known."""

    name: str
    seconds: dict[str, list[float]]
    software: dict[str, str]

    def with_step(self, figure: str = "", step: float = 1.0) -> Night:
        """Return it as a night, with the times of one figure multiplied by `step`."""
        launches: dict[Key, Array] = {
            each: np.log(seconds) + (np.log(step) if each == figure else 0.0)
            for each, seconds in self.seconds.items()
        }
        return Night(self.name, launches, {each: len(some) for each, some in launches.items()})


class Found(NamedTuple):
    """What became of the nights: how many had an alarm that was new, and how many a false one.

    `same` counts the nights in which some figure had the software of the two nights before. `steps`
    has for each step how many were put in and found within two nights.
    """

    nights: int
    figures: int
    alarms: int
    same: int
    false: int
    steps: dict[float, tuple[int, int]]


def read_series(path: Path, least_s: float = 0.0, only: str = "") -> list[Published]:
    """Return the nights of a CSV file with the columns date, commit, figure and seconds.

    Figures that take less than `least_s` seconds, have not `only` in their name or were published
    in few nights are left out. Raises `click.UsageError` for another file.
    """
    nights: dict[str, Published] = {}
    with path.open() as file:
        rows = csv.DictReader(file)
        if missing := [column for column in COLUMNS if column not in (rows.fieldnames or ())]:
            raise click.UsageError(
                f"{path} has no column {missing[0]}: it needs {', '.join(COLUMNS)}"
            )
        for row in rows:
            try:
                seconds = float(row["seconds"])
            except ValueError:
                where = f"{path}, line {rows.line_num}"
                raise click.UsageError(f"{where}: {row['seconds']!r} are no seconds") from None
            if seconds <= 0 or only not in row["figure"]:
                continue
            night = nights.setdefault(row["date"], Published(row["date"], {}, {}))
            night.seconds.setdefault(row["figure"], []).append(seconds)
            night.software[row["figure"]] = row["commit"]
    times: dict[str, list[float]] = defaultdict(list)
    for night in nights.values():
        for figure, some in night.seconds.items():
            times[figure].append(float(np.median(some)))
    kept = {
        figure
        for figure, some in times.items()
        if len(some) >= _FEWEST and np.median(some) >= least_s
    }
    return [
        night._replace(
            seconds={each: night.seconds[each] for each in night.seconds if each in kept}
        )
        for _, night in sorted(nights.items())
    ]


def replay_series(
    nights: Sequence[Published], steps: Sequence[float], random: np.random.Generator
) -> Found:
    """Judge each night as `leadline watch` does, and once more with a step of a random figure."""
    follower = Follower(HISTORY, at_once=False)
    counts: Counter[str] = Counter()
    found = {step: [0, 0] for step in steps}
    slower: set[Key] = set()
    for number, night in enumerate(nights):
        plain = night.with_step()
        verdict = follower.judge(plain)
        if number >= HISTORY:
            new = set(verdict.alarms) - slower
            same = set(_same_software(*nights[number - 2 : number + 1]))
            counts.update(nights=1, alarms=bool(new), same=bool(same), false=bool(new & same))
            if number + 1 < len(nights):
                following = nights[number + 1]
                for step, was in _with_steps(follower, night, following, verdict, steps, random):
                    found[step][0] += 1
                    found[step][1] += was
        slower = set(verdict.alarms)
        follower.add(plain)
    figures = {figure for night in nights for figure in night.seconds}
    return Found(
        counts["nights"],
        len(figures),
        counts["alarms"],
        counts["same"],
        counts["false"],
        {step: (each[0], each[1]) for step, each in found.items()},
    )


def _same_software(*nights: Published) -> Iterator[str]:
    """Yield the figures that all of the nights had with one software."""
    for figure, software in nights[-1].software.items():
        if software and all(
            figure in each.seconds and each.software[figure] == software for each in nights
        ):
            yield figure


def _with_steps(
    follower: Follower,
    night: Published,
    following: Published,
    verdict: Verdict,
    steps: Sequence[float],
    random: np.random.Generator,
) -> Iterator[tuple[float, bool]]:
    """Yield for each step whether it was found within this night and the next."""
    usual = [
        figure
        for figure in night.seconds
        if verdict.figures[figure].said == "usual" and figure in following.seconds
    ]
    if not usual:
        return
    figure = usual[random.integers(len(usual))]
    for step in steps:
        branch = follower.branch()
        first = branch.add(night.with_step(figure, step)).alarms
        second = branch.judge(following.with_step(figure, step)).alarms
        yield step, figure in (*first, *second)


def print_series(found: Found) -> None:
    """Print the counts as a line each."""

    def part(some: int, of: int) -> str:
        return f"{some} of {of} ({100 * some / max(1, of):.1f} %)"

    click.echo(f"{found.figures} figures, {found.nights} nights")
    click.echo(f"nights with a new alarm: {part(found.alarms, found.nights)}")
    click.echo(f"with one though software was the same: {part(found.false, found.same)}")
    for step, (nights, two) in found.steps.items():
        click.echo(f"{step:g}x found within two nights: {part(two, nights)}")
