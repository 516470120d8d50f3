"""Grades of trust of runs that nobody has shown: made in the background, for lists."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from leadline.core.errors import UserError
from leadline.output.server.catalogue import Entry, Listed
from leadline.output.server.listing import is_trial

# A run whose samples are larger is graded when somebody opens it.
LARGEST_BYTES = 50_000_000
# So many runs wait; those of older runs are asked for again with the next list.
MOST_WAITING = 500
_NONE = ("running", "unreadable", "damaged")


class Grades:
    """Grades by run, as long as the run stays as it is. One thread makes them, half of its time."""

    def __init__(self, make: Callable[[Entry], str]) -> None:
        self._make = make
        self._known: dict[tuple[str, object], str] = {}
        self._waiting: deque[Entry] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def listed(self, entries: Iterable[Entry]) -> list[Listed]:
        """Return the runs as lists show them, each with its grade where it is known by now.

        Those without one are graded meanwhile, the last of the entries first.
        """
        every = list(entries)
        found = [self._with_grade(entry) for entry in every]
        self._ask([entry for entry, row in zip(every, found, strict=True) if not row.trust])
        return found

    def _with_grade(self, entry: Entry) -> Listed:
        if entry.listed.trust:
            return entry.listed
        return msgspec.structs.replace(entry.listed, trust=self._known.get(_key(entry), ""))

    def _ask(self, entries: list[Entry]) -> None:
        wanted = [
            entry
            for entry in reversed(entries)
            if not entry.recording
            and entry.listed.state not in _NONE
            and entry.listed.size_bytes <= LARGEST_BYTES
            and not is_trial(entry.listed)
            and _key(entry) not in self._known
        ]
        with self._lock:
            self._waiting = deque(wanted[:MOST_WAITING])
            if self._waiting and self._thread is None:
                self._thread = threading.Thread(target=self._work, daemon=True)
                self._thread.start()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                entry = self._waiting.popleft()
            began = time.monotonic()
            if _key(entry) not in self._known:
                try:
                    grade = self._make(entry)
                except UserError:  # said where the run is opened
                    grade = ""
                self._known[_key(entry)] = grade
            time.sleep(time.monotonic() - began)


def _key(entry: Entry) -> tuple[str, object]:
    return entry.listed.run, entry.signature
