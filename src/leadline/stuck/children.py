"""What the processes do that ranks have started: a rank that waits for one of them goes on."""

import time
from collections.abc import Callable, Iterable

from leadline.site.hardware.files import Files
from leadline.site.processes import descendants, processes, ticks_per_second
from leadline.stuck.job import BUSY

_TICKS = ticks_per_second()


class Children:
    """What processes have started, and how much that worked until now."""

    def __init__(
        self, files: Files, pids: Iterable[int], clock: Callable[[], float] = time.monotonic
    ) -> None:
        of = {*pids}
        table = {process.pid: process for process in processes(files)}
        self._when = clock()
        self._work = {
            pid: (table[pid].cpu_ticks, _moved_bytes(files, pid))
            for pid in descendants(table, of) - of
            if pid in table and not table[pid].ended
        }

    def worked_since(self, before: "Children") -> bool:
        """Tell whether any of them has computed, read or written, or is new."""
        lasted = max(self._when - before._when, 1e-3)
        for pid, (ticks, files) in self._work.items():
            earlier = before._work.get(pid)
            if earlier is None or earlier[1] != files:
                return True
            if (ticks - earlier[0]) / _TICKS / lasted >= BUSY:
                return True
        return False


def _moved_bytes(files: Files, pid: int) -> tuple[str, ...]:
    """Return how much a process has read and written until now, empty where that is not known."""
    return tuple((files.text(f"/proc/{pid}/io") or "").split()[1::2])
