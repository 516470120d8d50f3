"""Two recordings of a program side by side, for people: the answer, then call by call."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, TextIO

from leadline.explain.difference import ExplainedDifference
from leadline.output.program_difference import calls, headline, unknown
from leadline.output.terminal.console import console_for
from leadline.output.terminal.table import draw
from leadline.output.terminal.text import printable

if TYPE_CHECKING:
    from rich.text import Text

_WIDTH, _MOST = 80, 10


def print_difference(
    found: ExplainedDifference, file: TextIO | None = None, *, full: bool = False
) -> None:
    """Print what differs on `file` (default: stdout); with `full` all calls."""
    console = console_for(file)
    for line in lines(found, full=full):
        console.print(line, soft_wrap=True, markup=False)


def lines(found: ExplainedDifference, *, full: bool = False) -> Iterator[Text]:
    """Yield the lines of the answer, at most 80 columns wide."""
    from rich.text import Text

    for line in wrap(printable(f"=== leadline explain: {headline(found)}"), _WIDTH):
        yield Text(line, style="bold")
    yield Text(printable(f"base:  {found.base}")[:_WIDTH])
    yield Text(printable(f"other: {found.other}")[:_WIDTH])
    yield Text()
    yield from draw(calls(found, None if full else _MOST), _WIDTH)
    if said := unknown(found):
        yield Text()
        yield Text(said)
