"""Whether a node that is screened alone is slower than it, or others of its kind, used to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from leadline.analysis.screen.observations import (
    LEAST_SCATTER,
    MAD_OF_NORMAL,
    Observations,
    residuals,
)

# Fewer earlier screenings do not say how much figures differ from time to time.
FEWEST_PAST = 5
# The chance of any false accusation of a healthy node, over all its figures.
LEVEL = 0.01

_SIMULATED = 20_000
_QUARTER = 0.25

Levels = Mapping[str, float]


class Slower(NamedTuple):
    """The figure that shows it best, how many times as long each takes, and how sure that is."""

    figure: str
    ratios: dict[str, float]
    probability: float


def node_levels(seen: Observations, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the seconds of each figure by node: the lower quartile of its looks.

    What is slow is always slow, and a short disturbance is left out. `names` are by rank.
    """
    found: dict[str, dict[str, float]] = {}
    for rank in np.unique(seen.first).tolist():
        slowness = seen.slowness[:, seen.first == rank]
        if not np.isfinite(slowness).any():
            continue
        found[names[rank]] = {
            figure: float(np.exp(np.nanquantile(row, _QUARTER)))
            for figure, row in zip(seen.figures, slowness, strict=True)
            if np.isfinite(row).any()
        }
    return found


def pair_levels(seen: Observations, names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the seconds of each figure of pairs by node, as with a partner like the others'.

    The middle of all pairs, times what those of the node exceed their like by: who its partners
    were, on which switches and in which rounds, is no part of it. `names` are by rank.
    """
    excess = residuals(seen).excess
    found: dict[str, dict[str, float]] = {}
    for rank, name in enumerate(names):
        of_node = (seen.first == rank) | (seen.second == rank)
        found[name] = {
            figure: float(np.exp(np.nanmedian(row) + np.median(away[of_node & np.isfinite(row)])))
            for figure, row, away in zip(seen.figures, seen.slowness, excess, strict=True)
            if np.isfinite(row[of_node]).any()
        }
    return {name: levels for name, levels in found.items() if levels}


def slower_than_past(now: Levels, past: Sequence[Levels], *, tolerance: float) -> Slower | None:
    """Return what is slower than in `past` by more than `tolerance`, None where nothing is.

    A figure counts where it is further above the median of the past, in units of the median
    absolute deviation, than the next of as many normal values is with probability `LEVEL` over
    the number of figures (Bonferroni). Fewer than `FEWEST_PAST` values tell nothing.
    """
    found: list[tuple[float, str]] = []
    ratios = {}
    for figure, seconds in now.items():
        before = np.log([each[figure] for each in past if figure in each])
        if len(before) < FEWEST_PAST:
            continue
        middle = np.median(before)
        away = float(np.log(seconds) - middle)
        ratios[figure] = float(np.exp(away))
        scatter = max(MAD_OF_NORMAL * float(np.median(np.abs(before - middle))), LEAST_SCATTER)
        reached = int((_chance(len(before)) >= away / scatter).sum())
        chance = min(1.0, len(now) * (1 + reached) / (1 + _SIMULATED))
        if away > np.log1p(tolerance) and chance <= LEVEL:
            found.append((chance, figure))
    if not found:
        return None
    chance, figure = min(found, key=lambda each: (each[0], -ratios[each[1]]))
    return Slower(figure, ratios, 1 - chance)


@lru_cache(maxsize=64)
def _chance(count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return how far one normal value lies above the median of `count` others, many times."""
    values = np.random.default_rng(1).normal(size=(_SIMULATED, count + 1))
    past = values[:, 1:]
    middle = np.median(past, axis=1)
    scatter = MAD_OF_NORMAL * np.median(np.abs(past - middle[:, None]), axis=1)
    found: np.ndarray[Any, np.dtype[np.float64]] = (values[:, 0] - middle) / scatter
    return found
