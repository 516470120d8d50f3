"""Answers of the list that no command has written into a run's folder yet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from leadline.output.server.catalogue import Entry, Listed, Signature

# So many are made for a page, which waits so long for them: what is late is there the next time.
_MOST = 20
_PATIENCE_S = 3.0


class Answers:
    """Lines of the list as `answer` makes them: one after the other, beside the requests."""

    def __init__(self, answer: Callable[[Entry], Listed]) -> None:
        self._answer = answer
        self._made: dict[tuple[str, Signature], Future[Listed]] = {}
        self._worker = ThreadPoolExecutor(1)

    def missing(self, entries: Sequence[Entry]) -> dict[str, Listed]:
        """Return the lines, by run, of the first of these entries that have no answer."""
        unanswered = [entry for entry in entries if _lacks_answer(entry)][:_MOST]
        for entry in unanswered:
            if entry.key not in self._made:
                self._made[entry.key] = self._worker.submit(self._answer, entry)
        made = {entry.listed.run: self._made[entry.key] for entry in unanswered}
        done, _ = wait(made.values(), _PATIENCE_S)
        return {
            run: line.result()
            for run, line in made.items()
            if line in done and line.exception() is None
        }


def _lacks_answer(entry: Entry) -> bool:
    listed = entry.listed
    if listed.state in ("running", "unreadable", "damaged"):
        return False
    return not (listed.message if entry.recording else listed.trust or listed.program)
