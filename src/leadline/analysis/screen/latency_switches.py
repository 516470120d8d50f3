"""The leaf switches of nodes, by the latencies between them, where nothing else knows them.

Nodes that are near to each other on average are on one switch, where latencies bear it out: nearly
all pairs inside are near and nearly all across are far, for each node, and the gap between the two
is wide against how far each scatters. Else nothing is said: a structure that is not there would
make uplinks suspects.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.screen.observations import MAD_OF_NORMAL, Observations
from leadline.analysis.stats.statistics import Integers, Matrix

# Of the pairs inside, and of those across, so many may be on the wrong side: one look in 50 is
# disturbed, whatever its pair. Of those of one node, or of two switches, more: these are few.
_WRONG = 0.05
_WRONG_OF_FEW = 1 / 3
# Far pairs take at least so many times as long as near ones, and the gap is so many times the
# scatter of both.
_FARTHER = 1.1
_CLEAR = 4.0
# What part of the pairs of a round are nearer than its far ones.
_FAR = 0.75
# Two nodes that are near by chance are no switch.
_FEWEST = 3
# Fewer pairs between two switches do not tell that these are two.
_FEWEST_ACROSS = 2


class _Looks(NamedTuple):
    """Pairs of nodes in rounds, with the logarithms of their latencies, all of shape (K,)."""

    round: Integers
    first: Integers
    second: Integers
    values: Matrix


def switches_from_latencies(
    seen: Observations, nodes: int, figures: Sequence[str] = ("latency alone", "latency")
) -> list[str] | None:
    """Return the switch of each node, as `switch A (from latencies)`; None where it is not clear.

    The first of `figures` that was measured is taken. Enough pairs must have met to tell each
    switch from each other one: all of them, or most in a small cluster.
    """
    figure = next((name for name in figures if name in seen.figures), None)
    if figure is None or nodes < 4:
        return None
    row = seen.slowness[seen.figures.index(figure)]
    kept = np.isfinite(row)
    looks = _Looks(seen.round[kept], seen.first[kept], seen.second[kept], row[kept])
    if len(looks.values) < nodes:
        return None
    level = np.array([np.quantile(looks.values[members], _FAR) for members in _rounds(looks)])
    leaf, limit = _grouped(_levelled(looks, level), nodes)
    # Once it is known which pairs are alike, rounds are levelled by all of their pairs.
    alike = _medians(_levelled(looks, level).values, leaf[looks.first] == leaf[looks.second])
    level = np.array([np.median((looks.values - alike)[members]) for members in _rounds(looks)])
    looks = _levelled(looks, level)
    leaf, limit = _grouped(looks, nodes)
    if not _is_clear(looks, leaf, limit):
        return None
    names = list(itertools.islice(_letters(), int(leaf.max()) + 1))
    return [f"switch {names[each]} (from latencies)" for each in leaf.tolist()]


def _rounds(looks: _Looks) -> list[Integers]:
    return [np.flatnonzero(looks.round == turn) for turn in np.unique(looks.round)]


def _levelled(looks: _Looks, level: Matrix) -> _Looks:
    round_index = np.searchsorted(np.unique(looks.round), looks.round)
    return looks._replace(values=looks.values - level[round_index])


def _medians(values: Matrix, inside: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Matrix:
    found = np.zeros_like(values)
    for part in (inside, ~inside):
        if part.any():
            found[part] = np.median(values[part])
    return found


def _grouped(looks: _Looks, nodes: int) -> tuple[Integers, float]:
    """Return a number for each node, from 0 on, the same for near ones, and what parts near pairs.

    Two groups become one, the nearest first, as long as their pairs are near on average (average
    linkage: Sokal and Michener, 1958). Near pairs are parted from far ones where both scatter least
    (Otsu, "A Threshold Selection Method from Gray-Level Histograms", 1979).
    """
    limit = _limit(looks.values)
    far = looks.values > limit
    # A look that was disturbed says no more than one that is far.
    values = np.clip(looks.values, np.median(looks.values[~far]), np.median(looks.values[far]))
    sums, counts = np.zeros((nodes, nodes)), np.zeros((nodes, nodes))
    for one, other in ((looks.first, looks.second), (looks.second, looks.first)):
        np.add.at(sums, (one, other), values)
        np.add.at(counts, (one, other), 1)
    leaf: Integers = np.arange(nodes)
    while True:
        met = counts > 0
        np.fill_diagonal(met, val=False)
        means = np.where(met, sums / np.maximum(counts, 1), np.inf)
        kept, gone = divmod(int(means.argmin()), nodes)
        if not means[kept, gone] <= limit:
            break
        for table in (sums, counts):
            table[kept] += table[gone]
            table[:, kept] += table[:, gone]
            table[gone] = table[:, gone] = 0
        leaf[leaf == gone] = kept
    _, first, numbers = np.unique(leaf, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[numbers], limit


def _limit(values: Matrix) -> float:
    ordered = np.sort(values)
    below = np.arange(1, len(ordered))
    sums = np.cumsum(ordered)[:-1]
    apart = (ordered.sum() - sums) / (len(ordered) - below) - sums / below
    at = int((below * (len(ordered) - below) * apart**2).argmax())
    return float(ordered[at] + ordered[at + 1]) / 2


def _is_clear(looks: _Looks, leaf: Integers, limit: float) -> bool:
    sizes = np.bincount(leaf)
    if len(sizes) < 2 or sizes.min() < _FEWEST:
        return False
    one, other = leaf[looks.first], leaf[looks.second]
    inside = one == other
    wrong = (looks.values > limit) == inside
    met, near_too = np.zeros((len(sizes), len(sizes))), np.zeros((len(sizes), len(sizes)))
    between = np.minimum(one, other), np.maximum(one, other)
    np.add.at(met, between, 1)
    np.add.at(near_too, between, wrong)
    every = np.triu_indices(len(sizes), 1)
    if (met[every] < _FEWEST_ACROSS).any() or _too_many(near_too[every], met[every]):
        return False
    for part in (inside, ~inside):
        if wrong[part].mean() > _WRONG:
            return False
        of_node, all_of_node = np.zeros(len(leaf)), np.zeros(len(leaf))
        for end in (looks.first[part], looks.second[part]):
            np.add.at(of_node, end, wrong[part])
            np.add.at(all_of_node, end, 1)
        if _too_many(of_node, all_of_node):
            return False
    near, far = looks.values[inside], looks.values[~inside]
    least = max(float(np.log(_FARTHER)), _CLEAR * max(_scatter(near), _scatter(far)))
    return bool(np.median(far) - np.median(near) >= least)


def _too_many(wrong: Matrix, of: Matrix) -> bool:
    """Tell whether more than one, and a good part, of those of any node or two switches are."""
    return bool((wrong > np.maximum(1, _WRONG_OF_FEW * of)).any())


def _scatter(values: Matrix) -> float:
    return MAD_OF_NORMAL * float(np.median(np.abs(values - np.median(values))))


def _letters() -> Iterator[str]:
    for length in itertools.count(1):
        for letters in itertools.product(string.ascii_uppercase, repeat=length):
            yield "".join(letters)
