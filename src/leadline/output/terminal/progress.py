"""What a command shows while it goes: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TextIO

from leadline.core.steps import watched_by
from leadline.core.units import format_bytes
from leadline.output.terminal.text import can_redraw, printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from leadline.model.plan import Point

# Drawing takes a core from the ranks: rarely, and never from a thread of its own.
REDRAW_S = 0.25
LINE_S = 15.0


def progress_for(stream: TextIO, seconds: float = 0.0) -> TerminalProgress | LineProgress:
    """Return an observer that draws on `stream` if it is a terminal and writes lines if not.

    With `seconds`, what is observed are the many runs of a tuning that may take so long.
    """
    return (TerminalProgress if can_redraw(stream) else LineProgress)(stream, seconds)


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


def _bar(stream: TextIO, *columns: Any, console: dict[str, Any], **options: Any) -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress

    return Progress(
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        *columns,
        console=Console(file=stream, highlight=False, **console),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        **options,
    )


class TerminalProgress:
    """A bar that is redrawn at most every `REDRAW_S` seconds, in the caller's own thread.

    Of a tuning it moves by seconds, over all runs until `close`.
    """

    def __init__(
        self,
        stream: TextIO,
        seconds: float = 0.0,
        now: Callable[[], float] = time.monotonic,
        **console: Any,
    ) -> None:
        self._stream = stream
        self._seconds = round(seconds)
        self._now = now
        self._console = console
        self._progress: Progress | None = None
        self._began = 0.0
        self._drawn = float("-inf")
        self._text = ""

    def begin(self, points: int) -> None:
        """Show an empty bar, of a tuning with its first run."""
        if self._progress:
            return
        from rich.progress import TextColumn
        from rich.progress import TimeRemainingColumn as TimeLeft
        from rich.table import Column

        text = Column(no_wrap=True, ratio=1)
        self._progress = _bar(
            self._stream,
            TimeLeft(compact=True),
            TextColumn("{task.description}", markup=False, table_column=text),
            console=self._console,
            auto_refresh=False,
            expand=True,
            # Points differ in length: an estimate over few of them would jump.
            speed_estimate_period=600,
            get_time=self._now,
        )
        self._began = self._now()
        self._progress.add_task("", total=self._seconds or points)
        self._progress.start()

    def doing(self, text: str) -> None:
        """Show at once what happens now: it may take long."""
        self._show(text, at_once=True)

    def measuring(self, launch: int, point: Point) -> None:
        """Show the point beside the bar."""
        self._show(f"{describe(point)}, launch {launch + 1}")

    def finished(self, launch: int, point: Point) -> None:
        """Move the bar by one point, of a tuning by the time that went by."""
        if self._progress:
            task = self._progress.tasks[0]
            spent = min(round(self._now() - self._began), self._seconds)
            self._progress.update(task.id, completed=spent if self._seconds else task.completed + 1)
        self._show(self._text)

    def warn(self, text: str) -> None:
        """Leave the line above the bar."""
        if self._progress:
            line = printable(f"warning: {text}")
            self._progress.console.print(line, markup=False, style="yellow")
        else:
            self._show(f"warning: {text}")

    def end(self) -> None:
        """Take the bar away, but not with a run of a tuning."""
        if not self._seconds:
            self.close()

    def close(self) -> None:
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

    def __init__(
        self, stream: TextIO, seconds: float = 0.0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._seconds = seconds
        self._now = now
        self._points = 0
        self._done = 0
        self._begun = self._written = now()

    def begin(self, points: int) -> None:
        """Remember how many points there are; a tuning's time goes on over its runs."""
        if not (self._seconds and self._points):
            self._begun = self._written = self._now()
        self._points, self._done = points, 0

    def doing(self, text: str) -> None:
        """Write what happens now."""
        self._write(text)

    def measuring(self, launch: int, point: Point) -> None:
        """Write nothing: the line comes when the point is done."""

    def finished(self, launch: int, point: Point) -> None:
        """Write how far it is, if the last such line is old enough."""
        self._done += 1
        now = self._now()
        if now - self._written < LINE_S:
            return
        self._written = now
        spent = now - self._begun
        if self._seconds:
            left_s = self._seconds - spent
            over = f"the {self._seconds:.0f} s are over, what was begun goes on"
            self._write(
                f"{f'about {left_s:.0f} s left' if left_s >= 1 else over}: {describe(point)}"
            )
            return
        left_s = max(0.0, spent * (self._points - self._done) / self._done)
        self._write(
            f"{self._done} of {self._points} points, about {left_s:.0f} s left: "
            f"{describe(point)}, launch {launch + 1}"
        )

    def warn(self, text: str) -> None:
        """Write the warning."""
        self._write(f"warning: {text}")

    def end(self) -> None:
        """Write nothing: the summary follows."""

    def close(self) -> None:
        """Write nothing: the result follows."""

    def _write(self, line: str) -> None:
        print(f"leadline: {line}", file=self._stream, flush=True)


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


# What takes no longer has no bar.
_SOON_S = 2.0


class CountBar:
    """A bar for things that are counted, used in a `with`; what takes 2 s at most shows nothing."""

    def __init__(
        self,
        stream: TextIO,
        what: str,
        total: int,
        now: Callable[[], float] = time.monotonic,
        **console: Any,
    ) -> None:
        self._stream = stream
        self._console = console
        self._what = what
        self._total = total
        self._now = now
        self._begun = now()
        self._written = self._begun
        self._progress: Progress | None = None

    def __enter__(self) -> CountBar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._progress:
            self._progress.stop()

    def at(self, done: int) -> None:
        """Show that so many are done."""
        now = self._now()
        if now - self._begun < _SOON_S:
            return
        if not can_redraw(self._stream):
            if now - self._written >= LINE_S:
                self._written = now
                print(f"leadline: {done} of {self._total} {self._what}", file=self._stream)
            return
        if self._progress is None:
            from rich.progress import TextColumn, TimeRemainingColumn

            text = TextColumn(self._what, markup=False)
            self._progress = _bar(
                self._stream,
                text,
                TimeRemainingColumn(compact=True),
                console=self._console,
                auto_refresh=False,
            )
            self._progress.add_task("", total=self._total)
            self._progress.start()
        self._progress.update(self._progress.task_ids[0], completed=done)
        if now - self._written >= REDRAW_S:
            self._written = now
            self._progress.refresh()


def shown_builds(stream: TextIO) -> AbstractContextManager[None]:
    """Return a block whose builds have bars on `stream`, where it is a terminal."""
    return watched_by(BuildBars(stream)) if can_redraw(stream) else nullcontext()


class BuildBars:
    """A bar for each build, drawn from the first one on until the last one has ended."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._tasks: dict[str, TaskID] = {}
        self._progress: Progress | None = None

    def begin(self, what: str) -> None:
        """Show an empty bar."""
        from rich.progress import TextColumn, TimeElapsedColumn

        with self._lock:
            if self._progress is None:
                text = TextColumn("{task.description}", markup=False)
                columns = (TimeElapsedColumn(), text)
                self._progress = _bar(self._stream, *columns, console={}, refresh_per_second=4)
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
