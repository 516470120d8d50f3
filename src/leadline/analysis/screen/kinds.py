"""Kinds of nodes, which are compared with their like, and what single nodes have set otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from leadline.core.units import format_seconds
from leadline.model.screen import Difference
from leadline.model.summary import CheckResult
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
    for name, hardware in nodes.items():
        alike.setdefault(hardware._replace(memory_bytes=0), []).append(name)
    found = {}
    for members in alike.values():
        smallest, last = nodes[members[0]], 0
        for name in sorted(members, key=lambda each: nodes[each].memory_bytes):
            hardware = nodes[name]
            if not last or hardware.memory_bytes > _SAME_MEMORY * last:
                smallest = hardware
            found[name], last = str(smallest), hardware.memory_bytes
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


# What more of the nodes have in another way says nothing of one node: as many can be suspected.
_MOST = 0.25
# Below that, services that keep clocks in step may be at work.
_CLOCK_S = 0.01


def setting_differences(checked: Mapping[str, Sequence[CheckResult]]) -> list[Difference]:
    """Return where nodes differ from what at least three in four have; `checked` is by node.

    What is wrong on all nodes alike is no difference, and a check that fewer than four nodes made
    tells none.
    """
    by_check: dict[str, dict[str, CheckResult]] = {}
    for node, results in checked.items():
        for each in results:
            by_check.setdefault(each.name, {})[node] = each
    found = []
    for name, by_node in by_check.items():
        usual, count = Counter(each.observed for each in by_node.values()).most_common(1)[0]
        if len(by_node) < 4 or len(by_node) - count > _MOST * len(by_node):
            continue
        found += [
            Difference(
                node=node, check=name, observed=each.observed, usual=usual, command=each.command
            )
            for node, each in by_node.items()
            if each.observed != usual
        ]
    return found


def clock_differences(wall_s: Mapping[str, float], error_s: float) -> list[Difference]:
    """Return the nodes whose time of day is away from the median of all by 10 ms or more.

    `wall_s` has the time of day of each node in seconds at one moment, known within `error_s`.
    Fewer than four nodes tell nothing.
    """
    if len(wall_s) < 4:
        return []
    ahead = np.array(list(wall_s.values()))
    ahead -= np.median(ahead)
    if np.mean(np.abs(ahead) >= _CLOCK_S) > _MOST:
        return []
    return [
        Difference(
            node=node,
            check="time-of-day",
            observed=f"{format_seconds(abs(away))} {'ahead' if away > 0 else 'behind'}",
            usual=f"within {format_seconds(_CLOCK_S)}",
        )
        for node, away in zip(wall_s, ahead.tolist(), strict=True)
        if abs(away) >= _CLOCK_S + error_s
    ]
