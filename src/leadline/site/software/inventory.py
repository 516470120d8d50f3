"""The inventory of this host's software, and what every kind of software is."""

import platform
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Protocol

from leadline import __version__
from leadline.model.software import Item, Software
from leadline.site.software.host import Host
from leadline.site.software.kinds.building import Compilers, Tools
from leadline.site.software.kinds.libraries import Blas, Mpi, OpenShmem
from leadline.site.software.kinds.platform import Batch, Modules, System


class Kind(Protocol):
    """One kind of software."""

    name: str

    def find(self, here: Host) -> Iterator[Item]:
        """Yield what there is. What cannot be asked is told with `here.remark`."""


# In the order in which they are shown.
KINDS: tuple[Kind, ...] = (
    System(),
    Compilers(),
    Mpi(),
    OpenShmem(),
    Blas(),
    Modules(),
    Tools(),
    Batch(),
)


def look(here: Host | None = None) -> Software:
    """Return what is installed, kind by kind, by ascending name and version within each.

    Kinds are looked for at the same time: most of it is waiting for programs to answer.
    """
    there = here or Host()
    with ThreadPoolExecutor(len(KINDS)) as pool:
        found = list(pool.map(lambda kind: _find_items(kind, there), KINDS))
    return Software(
        leadline=__version__,
        host=platform.node(),
        time=now(),
        kinds=tuple(kind.name for kind in KINDS),
        items=tuple(item for items in found for item in items),
        remarks=tuple(sorted(there.remarks)),
    )


def now() -> str:
    """Return the time as runs write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _find_items(kind: Kind, here: Host) -> list[Item]:
    try:
        items = list(kind.find(here))
    except OSError as error:
        here.remark(f"nothing is known of kind {kind.name}: {error}")
        return []
    return sorted(items, key=lambda item: (item.name.lower(), by_version(item.version)))


def by_version(version: str) -> list[tuple[int, str]]:
    """Return a key that sorts versions as people do.

    >>> sorted(["10.2", "9.10", "9.9"], key=by_version)
    ['9.9', '9.10', '10.2']
    """
    words = version.replace("-", ".").split(".")
    return [(int(word), "") if word.isdigit() else (-1, word) for word in words]
