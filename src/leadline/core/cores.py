"""The cores that this process may use."""

import os
from pathlib import Path

_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


def own_cores() -> list[int]:
    """Return one processor of each physical core, hardware threads not counted twice."""
    firsts: dict[str, int] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        firsts.setdefault(_core_of(cpu), cpu)
    return list(firsts.values())


def _core_of(cpu: int) -> str:
    try:
        return Path(_SIBLINGS.format(cpu)).read_text()
    except OSError:
        return str(cpu)
