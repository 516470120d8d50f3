"""The first screen of a run in words: what the terminal, the report and the server show of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leadline.core.units import count, number, percent, times
from leadline.model.summary import Gain
from leadline.model.verdict import Beside, Headline, HeadlineValue, Verdict
from leadline.output.table import Column, Table, table_of, without_empty_columns, words

# Of a bar in a table of headlines.
_BAR = 8

ACTIONS_HEADING = "What costs most, and its cure"


class ShortLine(NamedTuple):
    """A line of the short answer: its label, the grade, the text, and a command to copy.

    `more` says that the text is the first of several.
    """

    label: str
    text: str
    grade: str = ""
    more: str = ""
    command: str = ""


def short_lines(verdict: Verdict) -> list[ShortLine]:
    """Return whether the MPI is good, how far to trust the figures, and what costs most."""
    found = [
        ShortLine("Verdict", verdict.standing.text, verdict.standing.grade),
        ShortLine("Trust", verdict.trust.text, verdict.trust.grade),
    ]
    if verdict.actions:
        first = verdict.actions[0]
        label = "Improve" if first.gain else "Problem"
        several = len(verdict.actions) > 1
        more = f"the first of {len(verdict.actions)}" if several else ""
        command = first.commands[0] if first.commands else ""
        found.append(ShortLine(label, first.short, more=more, command=command))
    elif verdict.headlines:
        found.append(ShortLine("Improve", "no finding costs more than 5 %"))
    return found


def headline_table(headlines: Sequence[Headline], *, comparisons: bool = True) -> Table:
    """Return the headlines as a table: a row each, a column for each MPI.

    Behind each value stands half the width of its 95 % interval, in percent. The `comparisons`
    have a column, if there is room for it.
    """
    mpis = tuple(dict.fromkeys(value.mpi for each in headlines for value in each.values))
    several = has_several_mpis(headlines)
    columns = (
        *(Column(""), Column("")),
        *(Column(mpi or "measured", kind="number") for mpi in mpis),
        words("compared with"),
    )
    rows = []
    for each in headlines:
        cells = {value.mpi: _cell(value, several) for value in each.values}
        reached = each.beside.reached if each.beside and each.rate else None
        bar = "" if reached is None else f"{_bar(reached)} "
        beside = f"{bar}{beside_text(each)}" if comparisons else ""
        rows.append((each.title, each.unit, *(cells.get(mpi, "") for mpi in mpis), beside))
    return without_empty_columns(table_of(columns, rows), kept=2)


def has_several_mpis(headlines: Sequence[Headline]) -> bool:
    """Tell whether the headlines are of several MPIs."""
    return len({value.mpi for each in headlines for value in each.values if value.mpi}) > 1


def _cell(value: HeadlineValue, several: bool) -> str:
    half = ""
    if value.low is not None and value.high is not None and value.value:
        part = (value.high - value.low) / 2 / value.value
        half = f" ±{percent(part).replace(' ', '')}" if part <= 1 else " ±>100%"
    return f"{'*' if value.best and several else ''}{number(value.value)}{half}"


def _bar(fraction: float) -> str:
    full = round(min(1.0, max(0.0, fraction)) * _BAR)
    return "█" * full + "░" * (_BAR - full)


def beside_text(headline: Headline) -> str:
    """Return what the best value is compared with, such as `80 % of the link (12.5)`."""
    beside = headline.beside
    if beside is None:
        return "no way is faster" if headline.gap else ""
    if headline.rate:
        return f"{percent(beside.reached)} of {beside.text} ({number(beside.value)})"
    faster = faster_text(beside)
    return f"{beside.text} {number(beside.value)}" + (f": {faster} faster" if faster else "")


def faster_text(beside: Beside) -> str:
    """Return how many times faster another way is, an empty text where that way takes no time."""
    return times(1 / beside.reached) if beside.reached > 0 else ""


def usual_text(headline: Headline) -> str:
    """Return what was published for the class of the machine, an empty text where nothing was."""
    usual = headline.usual
    if usual is None:
        return ""
    found = f"{number(usual.low)} to {number(usual.high)} {headline.unit}"
    counted = count(len(usual.sources), "published figure")
    return f"{headline.title}, usual {usual.text}: {found} ({counted})"


def gain_text(gain: Gain) -> str:
    """Return how many times faster, with the interval where there is one."""
    if gain.low is None or gain.high is None:
        return times(gain.times)
    return f"{times(gain.times)} ({times(gain.low)} to {times(gain.high)})"
