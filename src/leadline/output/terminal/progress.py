"""What a command shows while it goes: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TextIO

from leadline.core.units import format_bytes
from leadline.model.plan import Point
from leadline.model.progress import Observer
from leadline.output.terminal.text import can_redraw, printable

if TYPE_CHECKING:
    from rich.progress import Progress

# Drawing takes a core from the ranks: rarely, and never from a thread of its own.
REDRAW_S = 0.25
LINE_S = 15.0


def progress_for(stream: TextIO) -> Observer:
    """Return an observer that draws on `stream` if it is a terminal and writes lines if not."""
    if can_redraw(stream):
        return TerminalProgress(stream)
    return LineProgress(stream)


def describe(point: Point) -> str:
    """Return a point in a few words: benchmark, size, choices, placement, MPI."""
    named = dict(point.axes)
    size = named.pop("bytes", None)
    words = [
        point.benchmark,
        *([format_bytes(size)] if isinstance(size, int) else []),
        *(f"{name}={value}" for name, value in named.items()),
        str(point.placement),
        point.mpi,
    ]
    return printable(" ".join(words))


class TerminalProgress:
    """A bar that is redrawn at most every `REDRAW_S` seconds, in the caller's own thread."""

    def __init__(
        self, stream: TextIO, now: Callable[[], float] = time.monotonic, **console: Any
    ) -> None:
        self._stream = stream
        self._now = now
        self._console = console
        self._progress: Progress | None = None
        self._drawn = float("-inf")
        self._text = ""

    def begin(self, points: int) -> None:
        """Show an empty bar."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeRemainingColumn as TimeLeft
        from rich.table import Column

        self._progress = Progress(
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeLeft(compact=True),
            TextColumn(
                "{task.description}", markup=False, table_column=Column(no_wrap=True, ratio=1)
            ),
            console=Console(file=self._stream, highlight=False, **self._console),
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            expand=True,
            # Points differ in length: an estimate over few of them would jump.
            speed_estimate_period=600,
            get_time=self._now,
        )
        self._progress.add_task("", total=points)
        self._progress.start()

    def doing(self, text: str) -> None:
        """Show at once what happens now: it may take long."""
        self._show(text, at_once=True)

    def measuring(self, launch: int, point: Point) -> None:
        """Show the point beside the bar."""
        self._show(f"{describe(point)}, launch {launch + 1}")

    def finished(self, launch: int, point: Point) -> None:
        """Move the bar by one point."""
        if self._progress:
            self._progress.advance(self._progress.task_ids[0])
        self._show(self._text)

    def warn(self, text: str) -> None:
        """Leave the line above the bar."""
        if self._progress:
            line = printable(f"warning: {text}")
            self._progress.console.print(line, markup=False, style="yellow")
        else:
            self._show(f"warning: {text}")

    def end(self) -> None:
        """Take the bar away."""
        if self._progress:
            self._progress.stop()
            self._progress = None

    def _show(self, text: str, at_once: bool = False) -> None:
        self._text = text
        if not self._progress:
            print(text, file=self._stream, flush=True)
            return
        self._progress.update(self._progress.task_ids[0], description=text)
        if at_once or self._now() - self._drawn >= REDRAW_S:
            self._drawn = self._now()
            self._progress.refresh()


class LineProgress:
    """A plain line for each step, and for the points measured one every `LINE_S` seconds."""

    def __init__(self, stream: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._now = now
        self._points = 0
        self._done = 0
        self._begun = self._written = now()

    def begin(self, points: int) -> None:
        """Remember how many points there are."""
        self._points, self._done = points, 0
        self._begun = self._written = self._now()

    def doing(self, text: str) -> None:
        """Write what happens now."""
        self._write(text)

    def measuring(self, launch: int, point: Point) -> None:
        """Write nothing: the line comes when the point is done."""

    def finished(self, launch: int, point: Point) -> None:
        """Write how far the run is, if the last such line is old enough."""
        self._done += 1
        now = self._now()
        if now - self._written >= LINE_S:
            self._written = now
            left_s = (now - self._begun) * (self._points - self._done) / self._done
            self._write(
                f"{self._done} of {self._points} points, about {max(0, left_s):.0f} s left: "
                f"{describe(point)}, launch {launch + 1}"
            )

    def warn(self, text: str) -> None:
        """Write the warning."""
        self._write(f"warning: {text}")

    def end(self) -> None:
        """Write nothing: the summary follows."""

    def _write(self, line: str) -> None:
        print(f"leadline: {line}", file=self._stream, flush=True)


def tuning_progress(stream: TextIO, seconds: float) -> TuningBar | TuningLines:
    """Return an observer of a tuning that may take so long: as `progress_for`."""
    if can_redraw(stream):
        return TuningBar(stream, seconds)
    return TuningLines(stream, seconds)


class TuningBar(TerminalProgress):
    """One bar, in seconds, over all runs of the tuning."""

    def __init__(
        self,
        stream: TextIO,
        seconds: float,
        now: Callable[[], float] = time.monotonic,
        **console: Any,
    ) -> None:
        super().__init__(stream, now, **console)
        self._seconds = round(seconds)
        self._began: float | None = None

    def begin(self, points: int) -> None:
        """Show the bar with the first run."""
        if self._began is None:
            self._began = self._now()
            super().begin(self._seconds)

    def finished(self, launch: int, point: Point) -> None:
        """Move the bar by the time that went by."""
        if self._progress and self._began is not None:
            spent = min(round(self._now() - self._began), self._seconds)
            self._progress.update(self._progress.task_ids[0], completed=spent)
        self._show(self._text)

    def end(self) -> None:
        """Keep the bar: a run has ended, not the tuning."""

    def close(self) -> None:
        """Take the bar away."""
        super().end()


class TuningLines(LineProgress):
    """A line for each stage, and one every `LINE_S` seconds with the time that is left."""

    def __init__(
        self, stream: TextIO, seconds: float, now: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(stream, now)
        self._seconds = seconds
        self._start = now()

    def begin(self, points: int) -> None:
        """Write nothing: runs of a tuning are many and short."""

    def finished(self, launch: int, point: Point) -> None:
        """Write how far the tuning is, if the last such line is old enough."""
        now = self._now()
        if now - self._written >= LINE_S:
            self._written = now
            left_s = max(0.0, self._seconds - (now - self._start))
            self._write(f"about {left_s:.0f} s left: {describe(point)}")

    def close(self) -> None:
        """Write nothing: the result follows."""


class StatusLine:
    """Used in a `with`, at whose end it is gone. `say` what is being done, and `more` of it."""

    def __init__(self, stream: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._now = now
        self._redraws = can_redraw(stream)
        self._written = now()
        self._text = ""

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._redraws:
            self._put("\r\033[K")

    def lasting(self, text: str) -> None:
        """Write a line that stays."""
        self._put(f"{printable(text)}\n")

    def say(self, text: str) -> None:
        """Say what is being done now."""
        self._text = text
        self._draw(text)

    def more(self, text: str) -> None:
        """Say how far it is."""
        self._draw(f"{self._text}: {text}")

    def _draw(self, text: str) -> None:
        now = self._now()
        if now - self._written < (REDRAW_S if self._redraws else LINE_S):
            return
        self._written = now
        line = printable(text)
        self._put(f"\r\033[K{line[:100]}" if self._redraws else f"{line}\n")

    def _put(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
