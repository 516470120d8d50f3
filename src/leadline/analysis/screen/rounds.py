"""The rounds of a screening: what to measure first, and what then, by what was seen."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from leadline.analysis.screen.judge import Suspicion, candidates
from leadline.analysis.screen.matchings import (
    ROUNDS,
    Matching,
    circle,
    confirming_count,
    confirming_rounds,
    random_rounds,
    structured_rounds,
)
from leadline.analysis.screen.observations import Observations, residuals

# Of the pairs of a round so many are links that are measured again, at most: one in two.
_LINKS = 2


def first_rounds(
    nodes: int, switches: Sequence[str] | None, random: Random, *, all_pairs: bool = False
) -> list[Matching]:
    """Return the rounds to begin with: five, or all there are with `all_pairs`."""
    if all_pairs:
        return circle(nodes)
    if switches:
        return structured_rounds(switches, ROUNDS, random)
    return random_rounds(nodes, ROUNDS, random)


def later_rounds(
    seen: Observations, nodes: int, switches: Sequence[str] | None, random: Random
) -> list[Matching]:
    """Return the confirming rounds: suspects with good partners, suspected links again."""
    found = candidates(seen, switches)
    links = [each.names for each in found if each.kind == "link"][: max(1, nodes // 2 // _LINKS)]
    suspects = [each.names[0] for each in found if each.kind == "node"]
    met = set(zip(seen.first.tolist(), seen.second.tolist(), strict=True))
    return confirming_rounds(
        nodes,
        [int(each) for each in suspects],
        [(int(pair[0]), int(pair[1])) for pair in links],
        _good(seen, nodes, found),
        confirming_count(nodes),
        random,
        met,
    )


def _good(seen: Observations, nodes: int, found: Sequence[Suspicion]) -> list[int]:
    """Return the nodes that are in no suspicion, those first whose looks exceed others least."""
    accused = {name for each in found if each.kind != "uplink" for name in each.names}
    left = residuals(seen)
    worst = np.full(nodes, -np.inf)
    standard = (left.excess / left.scatter).max(axis=0)
    for node in range(nodes):
        looks = (seen.first == node) | (seen.second == node)
        if looks.any():
            worst[node] = np.median(standard[looks])
    return [node for node in np.argsort(worst).tolist() if node not in accused]
