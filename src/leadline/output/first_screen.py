"""The first screen of a run in words: what the terminal, the report and the server show of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leadline.core.units import count, number, percent, times
from leadline.model.summary import Gain
from leadline.model.verdict import Beside, Headline, HeadlineValue, Verdict

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


class FigureCell(NamedTuple):
    """A headline figure of one MPI, with half the width of its interval over it, as `±3%`."""

    value: str
    half: str = ""
    best: bool = False
    point: int | None = None


class HeadlineRow(NamedTuple):
    """A headline: a cell for each MPI, None where it has no figure, and the comparison.

    `reached` is the part of what it is compared with, None where there is nothing to compare with.
    """

    title: str
    unit: str
    cells: tuple[FigureCell | None, ...]
    beside: str
    reached: float | None


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


def mpis_of(headlines: Sequence[Headline]) -> tuple[str, ...]:
    """Return the MPIs of the headlines, each once, an empty name for figures of none."""
    return tuple(dict.fromkeys(value.mpi for each in headlines for value in each.values))


def headline_rows(headlines: Sequence[Headline]) -> list[HeadlineRow]:
    """Return a row for each headline, with a cell for each of `mpis_of` them."""
    mpis = mpis_of(headlines)
    rows = []
    for each in headlines:
        cells = {value.mpi: _cell(value) for value in each.values}
        reached = each.beside.reached if each.beside else None
        in_order = tuple(cells.get(mpi) for mpi in mpis)
        rows.append(HeadlineRow(each.title, each.unit, in_order, beside_text(each), reached))
    return rows


def _cell(value: HeadlineValue) -> FigureCell:
    half = ""
    if value.low is not None and value.high is not None and value.value:
        part = (value.high - value.low) / 2 / value.value
        half = f"±{percent(part).replace(' ', '')}" if part <= 1 else "±>100%"
    return FigureCell(number(value.value), half, value.best, value.point)


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
