"""What a tuning shows while it goes: one bar for its time, or few lines."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, TextIO

from leadline.model.plan import Point
from leadline.output.terminal.progress import LINE_S, LineProgress, TerminalProgress, describe


def tuning_progress(stream: TextIO, seconds: float) -> TuningBar | TuningLines:
    """Return an observer of a tuning that may take so long: as `progress_for`."""
    if stream.isatty() and os.environ.get("TERM") not in (None, "", "dumb"):
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
