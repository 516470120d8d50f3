"""Which nodes of a cluster are alike, so that they can be held against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from leadline.site.hardware.kind import Hardware

# Of two nodes nobody knows which is slow.
FEWEST_ALIKE = 3
# Firmware keeps a little memory, on each node another amount.
_SAME_MEMORY = 1.1


def kinds(nodes: Mapping[str, Hardware]) -> dict[str, str]:
    """Return the kind of each node in words: the same for those with the same hardware.

    Memory is the same where sizes are no more than 10 % apart.

    >>> node = Hardware("Xeon", 8, 100 * 2**30)
    >>> kinds({"a": node, "b": node._replace(memory_bytes=98 * 2**30)})
    {'a': 'Xeon, 8 processors, 98 GiB', 'b': 'Xeon, 8 processors, 98 GiB'}
    """
    alike: dict[Hardware, list[str]] = {}
    for name, own in nodes.items():
        alike.setdefault(own._replace(memory_bytes=0), []).append(name)
    found = {}
    for members in alike.values():
        smallest, last = nodes[members[0]], 0
        for name in sorted(members, key=lambda each: nodes[each].memory_bytes):
            own = nodes[name]
            if not last or own.memory_bytes > _SAME_MEMORY * last:
                smallest = own
            found[name], last = str(smallest), own.memory_bytes
    return {name: found[name] for name in nodes}


def kind_numbers(kinds_of_nodes: Sequence[str]) -> list[int]:
    """Return a number for each node, the same for those that can be held against each other.

    A node with fewer than two others of its kind has a number of its own.

    >>> kind_numbers(["x", "x", "x", "y", "y"])
    [0, 0, 0, 1, 2]
    """
    counts = Counter(kinds_of_nodes)
    numbers: dict[tuple[str, int], int] = {}
    return [
        numbers.setdefault((kind, -1 if counts[kind] >= FEWEST_ALIKE else at), len(numbers))
        for at, kind in enumerate(kinds_of_nodes)
    ]
