"""Grades of trust that no command has written into a run's folder yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from leadline.output.server.catalogue import Entry, Signature

# So many are made for a page, which waits so long for them: what is late is there the next time.
_MOST = 20
_PATIENCE_S = 3.0


class Grades:
    """Grades as `grade` makes them: each once, one after the other, beside the requests."""

    def __init__(self, grade: Callable[[Entry], str]) -> None:
        self._grade = grade
        self._made: dict[tuple[str, Signature], Future[str]] = {}
        self._worker = ThreadPoolExecutor(1)

    def missing(self, entries: Sequence[Entry]) -> dict[str, str]:
        """Return the grades, by run, of the first of these entries that have none of their own."""
        ungraded = [entry for entry in entries if _lacks_grade(entry)][:_MOST]
        for entry in ungraded:
            if entry.key not in self._made:
                self._made[entry.key] = self._worker.submit(self._grade, entry)
        made = {entry.listed.run: self._made[entry.key] for entry in ungraded}
        done, _ = wait(made.values(), _PATIENCE_S)
        return {
            run: grade.result()
            for run, grade in made.items()
            if grade in done and grade.exception() is None
        }


def _lacks_grade(entry: Entry) -> bool:
    listed = entry.listed
    readable = listed.state not in ("running", "unreadable", "damaged")
    return readable and not (listed.trust or listed.program or entry.recording)
