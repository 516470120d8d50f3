"""How nodes differ from the others of their kind by what is set there, and by their time of day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from leadline.core.units import format_seconds
from leadline.model.screen import Difference
from leadline.model.summary import CheckResult

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
    for name, own in by_check.items():
        usual, count = Counter(each.observed for each in own.values()).most_common(1)[0]
        if len(own) < 4 or len(own) - count > _MOST * len(own):
            continue
        found += [
            Difference(
                node=node, check=name, observed=each.observed, usual=usual, command=each.command
            )
            for node, each in own.items()
            if each.observed != usual
        ]
    return found


def clock_differences(
    wall_s: Mapping[str, float], error_s: float, by_at_least_s: float = _CLOCK_S
) -> list[Difference]:
    """Return the nodes whose time of day is away from the median of all by 10 ms or more.

    `wall_s` has the time of day of each node in seconds at one moment, known within `error_s`.
    Fewer than four nodes tell nothing.
    """
    if len(wall_s) < 4:
        return []
    ahead = np.array(list(wall_s.values()))
    ahead -= np.median(ahead)
    if np.mean(np.abs(ahead) >= by_at_least_s) > _MOST:
        return []
    return [
        Difference(
            node=node,
            check="time-of-day",
            observed=f"{format_seconds(abs(away))} {'ahead' if away > 0 else 'behind'}",
            usual=f"within {format_seconds(by_at_least_s)}",
        )
        for node, away in zip(wall_s, ahead.tolist(), strict=True)
        if abs(away) >= by_at_least_s + error_s
    ]
