"""The console that people read: its width, its colours, and what a stream can show."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

_WIDEST = 100


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
