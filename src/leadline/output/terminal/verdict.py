"""The verdict for people: one screen that answers before it explains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from leadline.analysis.compare.interference import interference_text
from leadline.core.units import number, percent, times
from leadline.model.run import Run
from leadline.model.verdict import Action, Headline, HeadlineValue, Trust, Verdict
from leadline.output.table import Column, Row, Table, without_empty_columns
from leadline.output.table import number as numbers
from leadline.output.terminal.findings import print_cure, print_item
from leadline.output.terminal.table import Drawn

if TYPE_CHECKING:
    from rich.console import Console

_BAR = 8
_GRADES = {"good": "green", "fair": "yellow", "poor": "bold red", "unknown": "dim"}


def print_verdict(console: Console, run: Run, verdict: Verdict) -> None:
    """Print headline figures, what to do, how far to trust it, and the next step."""
    if verdict.headlines:
        console.print()
        console.print(Drawn(table_of(verdict.headlines), ruled=False))
        if any(value.low is not None for each in verdict.headlines for value in each.values):
            console.print("± half the 95 % interval; * surely the best", style="dim")
        for line in _comparisons(verdict.headlines):
            print_item(console, "", line)
    _print_actions(console, verdict.actions)
    console.print()
    print_trust(console, run, verdict.trust)
    if run.outcome.state == "complete" or run.imported:
        print_cure(console, verdict.next, verdict.next_command)


def table_of(headlines: Sequence[Headline]) -> Table:
    """Return the headlines as a table: a row each, a column for each MPI.

    Behind each value stands half the width of its 95 % interval, in percent. Of several MPIs the
    comparisons have no column: there is no room for both.
    """
    mpis = list(dict.fromkeys(value.mpi for each in headlines for value in each.values))
    several = len([mpi for mpi in mpis if mpi]) > 1
    columns = [
        Column(""),
        Column("", kind="text"),
        *(numbers(mpi or "measured") for mpi in mpis),
        Column("compared with", kind="words"),
    ]
    rows = []
    for each in headlines:
        own = {value.mpi: value for value in each.values}
        cells = [_cell(own[mpi], several) if mpi in own else "" for mpi in mpis]
        rows.append(Row((each.title, each.unit, *cells, "" if several else beside_text(each))))
    return without_empty_columns(Table("", tuple(columns), tuple(rows)), kept=2)


def _comparisons(headlines: Sequence[Headline]) -> list[str]:
    """Return the comparisons as lines, where the table has a column for each of several MPIs."""
    if len({value.mpi for each in headlines for value in each.values if value.mpi}) < 2:
        return []
    rates = [
        f"{each.title}: {percent(each.beside.reached)} of {each.beside.text} "
        f"({number(each.beside.value)} {each.unit})."
        for each in headlines
        if each.beside and each.rate
    ]
    faster: dict[str, list[str]] = {}
    for each in headlines:
        if each.beside and not each.rate:
            gain = times(1 / each.beside.reached)
            faster.setdefault(each.beside.text, []).append(f"{each.title} {gain}")
    ways = [f"Faster than the best of these is {way}: {'; '.join(o)}." for way, o in faster.items()]
    return [*rates, *ways]


def _cell(value: HeadlineValue, several: bool) -> str:
    best = "*" if value.best and several else ""
    half = half_width(value)
    return f"{best}{number(value.value)}" + (f" ±{half}" if half else "")


def half_width(value: HeadlineValue) -> str:
    """Return half the width of a value's interval over the value, such as `3%`; or nothing."""
    if value.low is None or value.high is None or not value.value:
        return ""
    half = (value.high - value.low) / 2 / value.value
    return percent(half).replace(" ", "") if half <= 1 else ">100%"


def beside_text(headline: Headline) -> str:
    """Return what the best value is compared with, such as `80 % of the link (12.5)`."""
    beside = headline.beside
    if beside is None:
        return ""
    if headline.rate:
        return (
            f"{_bar(beside.reached)} {percent(beside.reached)} of {beside.text} "
            f"({number(beside.value)})"
        )
    faster = times(1 / beside.reached) if beside.reached > 0 else ""
    return f"{beside.text} {number(beside.value)}: {faster} faster"


def _bar(fraction: float) -> str:
    full = round(min(1.0, max(0.0, fraction)) * _BAR)
    return "█" * full + "░" * (_BAR - full)


def _print_actions(console: Console, actions: Sequence[Action]) -> None:
    if not actions:
        return
    console.print()
    console.print("What costs most, and its cure", style="bold")
    for position, action in enumerate(actions, 1):
        print_item(console, str(position), action.text, "bold")
        for command in action.commands:
            print_cure(console, None, command)


def print_trust(console: Console, run: Run, trust: Trust) -> None:
    """Print the grade, its reasons, and who else used the machine."""
    from rich.text import Text

    line = Text("Trust: ", style="bold")
    line.append(trust.grade, style=_GRADES[trust.grade])
    console.print(line)
    print_item(console, "", trust.text)
    if others := interference_text(run):
        print_item(console, "", f"others ran: {others}")
