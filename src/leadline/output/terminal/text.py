"""Texts that come from elsewhere, made safe to show, and the console that shows them."""

from __future__ import annotations

import os
import sys
import textwrap
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_WIDEST = 100
# Answers that are read in a terminal as it is opened are no wider.
WIDTH = 80
# No table is worth a longer cell; JSON has all of it.
_LONGEST = 100
# Between a number and its unit where lines may not break; no text has it.
_STUCK = "\0"

# Those of Unicode that turn the direction of writing would turn the rest of a line too.
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROLS = {
    code: None for code in (*range(32), *range(127, 160), *_DIRECTIONS) if chr(code) != "\n"
}


def printable(text: str) -> str:
    r"""Return `text` without control characters: a name must not move the cursor or set colours.

    >>> printable("node\x1b[31m17")
    'node[31m17'
    """
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    r"""Return `text` as one line that cannot change the terminal, and not too long.

    >>> one_line("a\n\x1b[31mb")
    'a [31mb'
    """
    return cut(" ".join(printable(text).split()), _LONGEST)


def cut(text: str, width: int) -> str:
    """Return `text` with at most so many letters."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def indented(text: str, before: str = "", **wrapping: Any) -> list[str]:
    """Return `text` in lines of at most 80 letters: `before` the first, blanks before the others.

    `wrapping` are options of `textwrap.wrap`.
    """
    lines = textwrap.wrap(
        " ".join(printable(text).split()).replace(" %", f"{_STUCK}%"),
        WIDTH,
        initial_indent=before,
        subsequent_indent=" " * len(before),
        **wrapping,
    )
    return [line.replace(_STUCK, " ") for line in lines]


def filled(text: str, before: str = "") -> list[str]:
    """Return `text` as `indented` does, with long words such as paths whole."""
    return indented(text, before, break_long_words=False)


def console_for(file: TextIO | None) -> Console:
    """Return a console on `file` (default: stdout), at most 100 columns wide."""
    from rich.console import Console

    if reconfigure := getattr(file or sys.stdout, "reconfigure", None):
        # A stream that cannot write a character of a finding must not lose the summary.
        reconfigure(errors="replace")
    probe = Console(file=file)
    return Console(
        file=file,
        highlight=False,
        width=min(_WIDEST, probe.width if probe.is_terminal else _columns()),
        no_color=True if os.environ.get("NO_COLOR") else None,
    )


def _columns() -> int:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) > 0 else _WIDEST


def can_redraw(stream: TextIO) -> bool:
    """Tell whether `stream` is a terminal whose lines can be drawn again."""
    return stream.isatty() and os.environ.get("TERM") not in (None, "", "dumb")
