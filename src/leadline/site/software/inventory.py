"""The inventory of this host's software, and the table of its kinds."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from platform import node

from leadline import __version__
from leadline.model.software import Item, Software
from leadline.site.software.host import Host
from leadline.site.software.kinds import (
    BATCH,
    BLAS,
    COMPILER,
    MODULE,
    MPI,
    OPENSHMEM,
    SYSTEM,
    TOOL,
    building,
    libraries,
    platform,
)

# How each kind of software is found, in the order in which they are shown. What cannot be asked is
# told with `here.remark`.
KINDS: dict[str, Callable[[Host], Iterator[Item]]] = {
    SYSTEM: platform.find_system,
    COMPILER: building.find_compilers,
    MPI: libraries.find_mpi,
    OPENSHMEM: libraries.find_openshmem,
    BLAS: libraries.find_blas,
    MODULE: platform.find_modules,
    TOOL: building.find_tools,
    BATCH: platform.find_batch,
}


def look(here: Host | None = None) -> Software:
    """Return what is installed, kind by kind, by ascending name and version within each.

    Kinds are looked for at the same time: most of it is waiting for programs to answer.
    """
    there = here or Host()
    with ThreadPoolExecutor(len(KINDS)) as pool:
        items = list(pool.map(lambda kind: _find_items(kind, there), KINDS))
    return Software(
        leadline=__version__,
        host=node(),
        time=now(),
        kinds=tuple(KINDS),
        items=tuple(item for group in items for item in group),
        remarks=tuple(sorted(there.remarks)),
    )


def now() -> str:
    """Return the time as runs write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _find_items(kind: str, here: Host) -> list[Item]:
    try:
        items = list(KINDS[kind](here))
    except OSError as error:
        here.remark(f"nothing is known of kind {kind}: {error}")
        return []
    return sorted(items, key=lambda item: (item.name.lower(), by_version(item.version)))


def by_version(version: str) -> list[tuple[int, str]]:
    """Return a key that sorts versions as people do.

    >>> sorted(["10.2", "9.10", "9.9"], key=by_version)
    ['9.9', '9.10', '10.2']
    """
    words = version.replace("-", ".").split(".")
    return [(int(word), "") if word.isdigit() else (-1, word) for word in words]
