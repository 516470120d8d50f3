"""Builds on a terminal: a bar for each that goes on, and a line for each that is done."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, TextIO

from leadline.core.steps import watched_by
from leadline.output.terminal.text import can_redraw

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


def shown_builds(stream: TextIO) -> AbstractContextManager[None]:
    """Return a block whose builds have bars on `stream`, where it is a terminal."""
    if can_redraw(stream):
        return watched_by(BuildBars(stream))
    return nullcontext()


class BuildBars:
    """A bar for each build, drawn from the first one on until the last one has ended."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._tasks: dict[str, TaskID] = {}
        self._progress: Progress | None = None

    def begin(self, what: str) -> None:
        """Show an empty bar."""
        with self._lock:
            if self._progress is None:
                self._progress = _bars(self._stream)
                self._progress.start()
            self._tasks[what] = self._progress.add_task(f"building {what}", total=None)

    def at(self, what: str, done: int, total: int) -> None:
        """Move the bar."""
        with self._lock:
            if self._progress is not None:
                self._progress.update(self._tasks[what], completed=done, total=total)

    def end(self, what: str, seconds: float) -> None:
        """Leave a line above the bars."""
        with self._lock:
            if self._progress is not None:
                self._progress.console.print(f"built {what} in {seconds:.0f} s", markup=False)

    def leave(self, what: str) -> None:
        """Take the bar away, and all of them with the last."""
        with self._lock:
            if self._progress is None:
                return
            self._progress.remove_task(self._tasks.pop(what))
            if not self._tasks:
                self._progress.stop()
                self._progress = None


def _bars(stream: TextIO) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
        console=Console(file=stream, highlight=False),
        refresh_per_second=4,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
