"""One line that says what is being done: redrawn on a terminal, now and then elsewhere."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TextIO

from leadline.output.terminal.progress import LINE_S, REDRAW_S
from leadline.output.terminal.text import printable


class StatusLine:
    """Used in a `with`, at whose end it is gone. `say` what is being done, and `more` of it."""

    def __init__(self, stream: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._now = now
        self._redraws = stream.isatty() and os.environ.get("TERM") not in (None, "", "dumb")
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
