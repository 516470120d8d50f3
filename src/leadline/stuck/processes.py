"""What the processes of ranks do, as the kernel shows it in /proc, without touching them."""

import time
from collections.abc import Iterable

from leadline.check import look
from leadline.site.hardware.files import Files
from leadline.stuck.job import Process
from leadline.stuck.system_calls import READING, meaning, name_of


class Processes:
    """Looks at processes again and again, and says what each did from the first look on."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._states: dict[int, set[str]] = {}
        self._waits: dict[int, set[tuple[str, str]]] = {}
        self._first: dict[int, tuple[float, int]] = {}
        self._last: dict[int, tuple[float, int]] = {}
        self._threads: dict[int, int] = {}
        self._tracer: dict[int, int] = {}

    def look(self, pids: Iterable[int]) -> None:
        """Note what these processes do now."""
        for pid in pids:
            status = self._files.table(f"/proc/{pid}/status")
            state = status.get("State", "")[:1]
            self._states.setdefault(pid, set()).add(state)
            self._waits.setdefault(pid, set()).add(self._waiting(pid))
            threads = look.threads_of(self._files, pid)
            now = (time.monotonic(), sum(each.ran_ns for each in threads.values()))
            self._first.setdefault(pid, now)
            self._last[pid] = now
            self._threads[pid] = len(threads)
            tracer = status.get("TracerPid", "0")
            self._tracer[pid] = int(tracer) if tracer.isdigit() else 0

    def seen(self, pid: int) -> Process:
        """Return what a process did during the looks."""
        states = self._states.get(pid, {""})
        waits = self._waits.get(pid, {("", "")})
        began, before = self._first.get(pid, (0.0, 0))
        ended, after = self._last.get(pid, (0.0, 0))
        state = next(iter(states)) if len(states) == 1 else "?"
        if states & {"", "Z", "X"}:
            state = "Z" if "Z" in states else ""
        waited, reads = next(iter(waits)) if len(waits) == 1 else ("", "")
        return Process(
            pid=pid,
            state=state,
            busy=max(after - before, 0) / max(ended - began, 1e-3) / 1e9,
            waits=waited,
            reads=reads,
            tracer=self._tracer.get(pid, 0),
            threads=self._threads.get(pid, 0),
        )

    def _waiting(self, pid: int) -> tuple[str, str]:
        """Return where the first thread waits, and from what it reads."""
        words = (self._files.text(f"/proc/{pid}/syscall") or "").split()
        if words and words[0].lstrip("-").isdigit() and int(words[0]) >= 0:
            name = name_of(int(words[0]))
            reads = self._source(pid, words[1]) if name in READING and len(words) > 1 else ""
            return meaning(name), reads
        place = self._files.text(f"/proc/{pid}/wchan") or ""
        return (f"is in the kernel's {place}" if place not in ("", "0") else ""), ""

    def _source(self, pid: int, descriptor: str) -> str:
        """Return from what a process reads; empty where it is a plain file."""
        number = int(descriptor, 16)
        target = self._files.link(f"/proc/{pid}/fd/{number}")
        if number == 0:
            return f"its standard input ({target})" if target else "its standard input"
        kinds = ("pipe:", "socket:", "/dev/pts/", "/dev/tty")
        return f"file {number} ({target})" if target.startswith(kinds) else ""
