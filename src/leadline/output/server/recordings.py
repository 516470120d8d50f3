"""Recordings of programs as the server shows them: one, its report, and two side by side."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.output.server.cache import Cache, Workers
from leadline.output.server.catalogue import Entry
from leadline.output.server.inspection import inspect
from leadline.output.server.results import Report, guard_errors, key_of, pack_report
from leadline.store.folder import RunFolder

if TYPE_CHECKING:
    from leadline.explain.difference import ExplainedDifference
    from leadline.explain.report import Explained

Explain = Callable[[Run, Path], "Explained"]

# A program that still runs is looked at again after so long.
_STALE_S = 5.0


class Recordings:
    """Makes and keeps what pages show of recordings; `explain` says where a program's time went.

    `patience_s` is how long who asks waits before `NotYet`. Each method raises `UserError` where
    the recording cannot be read, whatever is wrong with it.
    """

    def __init__(self, explain: Explain) -> None:
        workers = Workers()
        self._explain = explain
        self._explained = Cache(workers, 16)
        self._reports = Cache(workers, 8)

    def explained(self, entry: Entry, patience_s: float | None = None) -> Explained:
        """Return where the time of the program went."""

        def make() -> Explained:
            inspect(entry.path)
            return self._explain(RunFolder(entry.path).read(), entry.path)

        return self._explained.get(_key(entry), guard_errors(make), patience_s)

    def report(self, entry: Entry, patience_s: float | None = None) -> Report:
        """Return the page of the recording."""

        def make() -> Report:
            from leadline.output.html.program import render_program

            return pack_report(render_program(self.explained(entry)))

        return self._reports.get(_key(entry), guard_errors(make), patience_s)

    def difference(
        self, base: Entry, other: Entry, patience_s: float | None = None
    ) -> ExplainedDifference:
        """Return `other` against `base`. Raises `UserError` where one of them is no recording."""
        from leadline.explain.difference import difference

        recorded, figures = (base, other) if base.recording else (other, base)
        if not figures.recording:
            raise UserError(
                f"{recorded.listed.run} is a recording of a program, and {figures.listed.run} has "
                "figures: choose two recordings, or two runs with figures"
            )
        return difference(*(self.explained(entry, patience_s) for entry in (base, other)))


def _key(entry: Entry) -> tuple[object, ...]:
    running = entry.listed.state == "running"
    return (*key_of(entry), time.monotonic() // _STALE_S if running else 0.0)
