"""What every kind of software is."""

from collections.abc import Iterator
from functools import cache
from typing import Protocol

from leadline.core.plugins import plugins
from leadline.model.software import Item
from leadline.site.software.host import Host


class Kind(Protocol):
    """One kind of software. One file each, found by its `KIND`; the lower `order` comes first."""

    name: str
    order: int

    def find(self, here: Host) -> Iterator[Item]:
        """Yield what there is. What cannot be asked is told with `here.remark`."""


@cache
def kinds() -> tuple[Kind, ...]:
    """Return every kind, in the order in which they are shown."""
    found: list[Kind] = plugins("leadline.site.software.kinds", "KIND")
    return tuple(sorted(found, key=lambda kind: kind.order))
