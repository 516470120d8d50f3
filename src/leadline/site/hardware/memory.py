"""Memory and its pages, from /proc/meminfo and /sys/kernel/mm."""

import os
from typing import Any

from leadline.site.hardware.files import Files


def meminfo_bytes(files: Files) -> dict[str, int]:
    """Return the sizes of /proc/meminfo in bytes, such as `MemTotal` and `SwapFree`."""
    rows = ((name, value.split()) for name, value in files.table("/proc/meminfo").items())
    return {name: int(row[0]) * 1024 for name, row in rows if row[1:] == ["kB"]}


def describe(files: Files) -> dict[str, Any]:
    """Return the facts about memory for `run.json`."""
    sizes = meminfo_bytes(files)
    return {
        "memory_bytes": sizes.get("MemTotal"),
        "swap_bytes": sizes.get("SwapTotal"),
        "page_size_bytes": os.sysconf("SC_PAGE_SIZE"),
        "huge_page_size_bytes": sizes.get("Hugepagesize"),
        "huge_pages_reserved": files.number("/proc/sys/vm/nr_hugepages"),
        "transparent_huge_pages": files.choice("/sys/kernel/mm/transparent_hugepage/enabled"),
        "dev_shm_bytes": _dev_shm_bytes(files),
    }


def _dev_shm_bytes(files: Files) -> int | None:
    try:
        shared = os.statvfs(files.root / "dev/shm")
    except OSError:
        return None
    return shared.f_blocks * shared.f_frsize
