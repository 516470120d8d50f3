"""The first screen of a run in words: what the terminal, the report and the server show of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from leadline.core.units import format_measured, number, percent, times
from leadline.model.summary import Gain
from leadline.model.verdict import Beside, Headline, HeadlineValue, Verdict
from leadline.output.table import Column, Table, table_of, without_empty_columns, words

ACTIONS_HEADING = "What costs most, and its cure"
NO_ACTION = "nothing found that would gain more than 5 %"
# So many figures of each MPI stand side by side in 80 columns.
_ABREAST = 4
_COLUMNS = 80


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
        found.append(ShortLine("Improve", NO_ACTION))
    return found


def headline_table(headlines: Sequence[Headline], *, comparisons: bool = True) -> Table:
    """Return the headlines as a table: a row each, a column for each MPI.

    Behind each value stands half the width of its 95 % interval, in percent. The `comparisons`
    have a column.
    """
    mpis = tuple(dict.fromkeys(value.mpi for each in headlines for value in each.values))
    named = [mpi for mpi in mpis if mpi] or [""]
    columns = (
        *(Column(""), Column("")),
        *(Column(mpi or "measured", kind="number") for mpi in named),
        words("bound or usual"),
    )
    rows = []
    for each in headlines:
        cells = _texts(each, unnamed=named[0])
        beside = beside_text(each) if comparisons else ""
        rows.append((each.title, each.unit, *(cells.get(mpi, "") for mpi in named), beside))
    return without_empty_columns(table_of(columns, rows), kept=2)


def mpi_tables(headlines: Sequence[Headline]) -> list[Table]:
    """Return the headlines of several MPIs as tables with a row for each MPI.

    A table has as many figures as fit into 80 columns, the first those that people ask for: of
    each benchmark one.
    """
    own = [each for each in headlines if any(value.mpi for value in each.values)]
    seen: Counter[str] = Counter()
    ranks = []
    for each in own:
        name = each.title.partition(",")[0]
        ranks.append(seen[name])
        seen[name] += 1
    ranked = [own[at] for at in sorted(range(len(own)), key=lambda at: ranks[at])]
    mpis = dict.fromkeys(value.mpi for each in own for value in each.values)
    tables = []
    room = _COLUMNS - max(map(len, mpis), default=0)
    for shown in _abreast(ranked, room):
        columns = [Column("MPI"), *(Column(_heading(each), kind="number") for each in shown)]
        cells = [_texts(each) for each in shown]
        rows = [(mpi, *(each.get(mpi, "") for each in cells)) for mpi in mpis]
        tables.append(table_of(columns, rows))
    return tables


def _abreast(headlines: Sequence[Headline], room: int) -> Iterator[list[Headline]]:
    """Yield the headlines by table, each as many as fit into so many columns beside the names."""
    shown: list[Headline] = []
    left = room
    for each in headlines:
        cells = (*_heading(each).split("\n"), *_texts(each).values())
        width = 2 + max(map(len, cells))
        if shown and (width > left or len(shown) == _ABREAST):
            yield shown
            shown, left = [], room
        shown.append(each)
        left -= width
    if shown:
        yield shown


def _texts(headline: Headline, unnamed: str = "", unit: str = "") -> dict[str, str]:
    """Return the headline's values by their MPI, or `unnamed`."""
    part = headline.unit == "%"
    return {v.mpi or unnamed: figure_text(v, unit, part=part) for v in headline.values}


def _heading(headline: Headline) -> str:
    """Return the title of a column in two lines: the figure, its size and unit."""
    name, _, size = headline.title.rpartition(", ")
    return f"{name}\n{size}, {headline.unit}" if name else f"{size}\n{headline.unit}"


def of_no_mpi(headlines: Sequence[Headline]) -> list[str]:
    """Return what the machine has whatever the MPI, each as `Memory copy, 1 MiB: 37 GB/s`."""
    return [
        f"{each.title}: {_texts(each, unit=each.unit)['']}"
        for each in headlines
        if not any(value.mpi for value in each.values)
    ]


def has_several_mpis(headlines: Sequence[Headline]) -> bool:
    """Tell whether the headlines are of several MPIs."""
    return len({value.mpi for each in headlines for value in each.values if value.mpi}) > 1


def figure_text(value: HeadlineValue, unit: str = "", *, part: bool = False) -> str:
    """Return a figure with the digits that its interval bears, and half of that in percent.

    Of a `part`, itself in percent, it is the interval; equal values, of an import or a simulator,
    have none. Of an interval wider than half the figure it is `unclear`; a star marks what surely
    is the best.
    """
    star = "*" if value.best else ""
    behind = f" {unit}" if unit else ""
    if value.low is None or value.high is None or value.low == value.high:
        return f"{star}{number(value.value)}{behind}"
    if value.is_unclear:
        return "unclear"
    half = (value.high - value.low) / 2 / value.value if value.value else 0.0
    figure = format_measured(value.value, value.low, value.high)
    if part:
        return f"{star}{figure}{behind} ({value.low:.2g} to {value.high:.2g})"
    return f"{star}{figure}{behind} ±{100 * half:.{0 if half >= 0.0095 else 1}f} %"


def beside_text(headline: Headline) -> str:
    """Return what a figure is set against, such as `80 % of the link (12.5)`."""
    beside, usual = headline.beside, headline.usual
    if beside is None:
        return f"{usual.low:.3g} to {usual.high:.3g} {usual.text}" if usual else ""
    if not beside.is_way:
        return f"{percent(beside.reached)} of {beside.text} ({number(beside.value)})"
    faster = faster_text(beside)
    return f"{beside.text} {number(beside.value)}" + (f": {faster} faster" if faster else "")


def faster_text(beside: Beside) -> str:
    """Return how many times faster another way is, an empty text where that way takes no time."""
    return times(1 / beside.reached) if beside.reached > 0 else ""


def rate_texts(headlines: Sequence[Headline]) -> list[str]:
    """Return what the best MPI's rates are of what they are set against."""
    return [
        f"{each.title}: {max(each.values, key=lambda one: one.value).mpi} reaches "
        f"{percent(each.beside.reached)} of {each.beside.text} "
        f"({number(each.beside.value)} {each.unit})"
        for each in headlines
        if each.beside and each.rate and len(each.values) > 1
    ]


def usual_text(headline: Headline) -> str:
    """Return what was published for the class of the machine, an empty text where nothing was."""
    usual = headline.usual
    if usual is None:
        return ""
    found = f"{usual.low:.3g} to {usual.high:.3g} {headline.unit}"
    return f"{headline.title}, usual {usual.text}: {found}"


def gain_text(gain: Gain) -> str:
    """Return how many times faster, with the interval where there is one."""
    if gain.low is None or gain.high is None:
        return times(gain.times)
    return f"{times(gain.times)} ({times(gain.low)} to {times(gain.high)})"
