"""Where a program's time went, for people, and two recordings of it side by side.

At most 80 columns wide but for commands, which are never broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from rich.text import Text

from leadline.core.units import count
from leadline.explain.case import about_s, percent_of
from leadline.explain.difference import ExplainedDifference
from leadline.explain.owners import RankTime, total
from leadline.explain.report import Explained
from leadline.output import program_difference
from leadline.output.program_time import (
    Owner,
    bounded_text,
    change_text,
    changes_over_time,
    factors_text,
    headline,
    lateness_text,
    owners_of,
    pairs,
    places,
    regions,
    slices,
)
from leadline.output.table import number, table_of
from leadline.output.terminal.table import draw
from leadline.output.terminal.text import WIDTH, console_for, cut, indented, printable

_PLACES, _CALLS, _ADVICE = 10, 10, 3
_BAR = 30
# Of a slice: nothing, up to all of it.
_LEVELS = " ▁▂▃▄▅▆▇█"
# The owners as narrow columns.
_SHORT = {
    "computing_s": "computing",
    "waiting_s": "waiting",
    "transfer_s": "moving",
    "excess_s": "slower",
    "tunable_s": "tunable",
}


def print_explained(found: Explained, file: TextIO | None = None, *, full: bool = False) -> None:
    """Print the answer on `file` (default: stdout); with `full` all places, ranks and pairs.

    In colour only on a terminal, and not where NO_COLOR is set.
    """
    console = console_for(file)
    for line in explained_lines(found, full=full):
        console.print(line, soft_wrap=True, markup=False)


def explained_lines(found: Explained, *, full: bool = False) -> Iterator[Text]:
    """Yield the lines of the answer."""
    for line in _wrapped(f"=== leadline explain: {headline(found)}"):
        yield Text(line, style="bold")
    yield Text(_started(found), style="dim")
    if found.job:
        yield Text(cut(printable(found.job), WIDTH), style="dim")
    yield Text()
    yield from _bars(owners_of(found), total(found.ranks), len(found.ranks))
    if said := lateness_text(found):
        yield Text()
        yield from _plain(_wrapped(said))
    if full or changes_over_time(found):
        yield from _over_time(found)
    if found.sites:
        yield Text()
        yield from draw(places(found, None if full else _PLACES), WIDTH)
    if found.regions:
        yield Text()
        yield from draw(regions(found), WIDTH)
    for place, advice in enumerate(found.advice if full else found.advice[:_ADVICE], 1):
        yield Text()
        yield from _plain(_wrapped(advice.text, f"{place:2}  "))
        if advice.command:
            yield Text(f"    {printable(advice.command)}", style="cyan")
    if full:
        yield from _details(found)
    yield Text()
    yield from _trust(found)
    if not full and found.run:
        what = ", who sends to whom" if found.waiting_known else ""
        yield Text(f"All places, all ranks{what}:", style="dim")
        yield Text(f"    leadline explain --full {printable(found.run)}", style="cyan")


def _started(found: Explained) -> str:
    import shlex

    hosts = found.hosts[0] if len(found.hosts) == 1 else count(len(found.hosts), "host")
    said = (
        f"{count(len(found.ranks), 'rank')} on {hosts}, {about_s(found.seconds)}, "
        f"{found.mpi or found.library or 'unknown MPI'}: {shlex.join(found.command)}"
    )
    return cut(printable(said).removesuffix(": "), WIDTH)


def _bars(owners: Sequence[Owner], everything: RankTime, ranks: int) -> Iterator[Text]:
    width = max(len(name) for _, name, _, _ in owners)
    whole = everything.seconds
    for field, name, _, style in owners:
        seconds = getattr(everything, field)
        part = seconds / whole if whole else 0.0
        line = Text(f"  {name:<{width}} {about_s(seconds / ranks):>8} {percent_of(part, 1):>7}  ")
        line.append("█" * max(round(_BAR * part), 1 if part > 0.002 else 0), style)
        line.rstrip()
        yield line
    yield Text(f"  {'wall time of a rank':<{width}} {about_s(whole / ranks):>8}")


def _over_time(found: Explained) -> Iterator[Text]:
    rows = slices(found)
    if not rows or not found.over_time:
        return
    yield Text()
    if said := change_text(found):
        yield from _plain(_wrapped(said))
    width = max(len(name) for name, _, _ in rows)
    for name, style, parts in rows:
        line = Text(f"  {name:<{width}}  ")
        line.append(
            "".join(_LEVELS[round(min(part, 1.0) * (len(_LEVELS) - 1))] for part in parts), style
        )
        yield line
    end = f"{about_s(found.over_time.seconds)} of MPI"
    yield Text(f"  {'':<{width}}  0 s{end:>{len(rows[0][2]) - 3}}", style="dim")


def _details(found: Explained) -> Iterator[Text]:
    fields = [owner.field for owner in owners_of(found)]
    names = [_SHORT[field] for field in fields] if found.waiting_known else ["computing", "in MPI"]
    columns = (number("rank"), *map(number, names))
    rows = [
        (str(rank.rank), *(about_s(getattr(rank, field)) for field in fields))
        for rank in found.ranks
    ]
    yield Text()
    yield from draw(table_of(columns, rows, "seconds of each rank by owner"), WIDTH)
    yield Text()
    yield from _plain(_wrapped(f"POP: {factors_text(found.efficiency)}."))
    if found.observing_s is not None:
        part = percent_of(found.observing_s, total(found.ranks).seconds)
        yield from _plain(_wrapped(f"Observing took about {part} of the time."))
    if found.sent:
        yield Text()
        yield from draw(pairs(found.sent), WIDTH)


def _trust(found: Explained) -> Iterator[Text]:
    said = " ".join(filter(None, (*found.notes, bounded_text(found))))
    yield from _plain(_wrapped(said or "Nothing was lost."))
    if found.measure:
        yield Text("Measure what is missing, then explain again:")
        for command in found.measure:
            yield Text(f"    {printable(command)}", style="cyan")


def _plain(texts: Iterable[str]) -> Iterator[Text]:
    for text in texts:
        yield Text(text)


def _wrapped(text: str, before: str = "") -> list[str]:
    return indented(text, before, break_on_hyphens=False)


def print_difference(
    found: ExplainedDifference, file: TextIO | None = None, *, full: bool = False
) -> None:
    """Print what differs on `file` (default: stdout); with `full` all calls."""
    console = console_for(file)
    for line in difference_lines(found, full=full):
        console.print(line, soft_wrap=True, markup=False)


def difference_lines(found: ExplainedDifference, *, full: bool = False) -> Iterator[Text]:
    """Yield the lines of the answer, at most 80 columns wide."""
    for line in indented(f"=== leadline explain: {program_difference.headline(found)}"):
        yield Text(line, style="bold")
    yield Text(printable(f"base:  {found.base}")[:WIDTH])
    yield Text(printable(f"other: {found.other}")[:WIDTH])
    yield Text()
    yield from draw(program_difference.calls(found, None if full else _CALLS), WIDTH)
    if said := program_difference.unknown(found):
        yield Text()
        yield Text(said)
