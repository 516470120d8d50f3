"""What was measured of pairs of nodes, round by round, and how much slower each was than others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from leadline.analysis.stats.statistics import Integers, Matrix

MAD_OF_NORMAL = 1.4826
# Clocks and links do not let figures scatter less: a coarse clock may show no scatter at all.
LEAST_SCATTER = 0.003
# Of fewer looks the median absolute deviation is often far too small.
_FEW = 10


class Observations(NamedTuple):
    """K looks at pairs of nodes, or at single nodes where both ends are the same.

    `round`, `first` and `second` have shape (K,): in which round, and which two nodes. `slowness`
    has shape (F, K): the logarithm of the time that one unit of each of the F `figures` took, NaN
    where there is none. `group`, shape (K,), says which pairs are alike, such as those inside and
    those across switches, or those of nodes of the same kinds.
    """

    figures: Sequence[str]
    round: Integers
    first: Integers
    second: Integers
    slowness: Matrix
    group: Integers

    def only(self, kept: np.ndarray[Any, np.dtype[np.bool_]]) -> Observations:
        """Return the looks where `kept`, shape (K,), is true."""
        return Observations(
            self.figures,
            self.round[kept],
            self.first[kept],
            self.second[kept],
            self.slowness[:, kept],
            self.group[kept],
        )


class Residuals(NamedTuple):
    """How much slower each look was than its like in the same round, both of shape (F, K).

    `excess` is the logarithm of the factor, `scatter` its standard deviation, were it normal.
    """

    excess: Matrix
    scatter: Matrix


def residuals(seen: Observations) -> Residuals:
    """Return by how much each look exceeds the median of its group and of its round.

    A round may be slow as a whole, since machines have slow spells; a group because its ways are
    longer. The scatter of a group is the median absolute deviation, which a few bad nodes hardly
    move (Rousseeuw and Croux, "Alternatives to the Median Absolute Deviation", JASA 88, 1993). That
    of a group of a few looks is at least that of all looks.
    """
    excess = seen.slowness.copy()
    if not excess.size:
        return Residuals(excess, excess.copy())
    for group in np.unique(seen.group):
        excess[:, seen.group == group] -= _middle(excess[:, seen.group == group])
    for turn in np.unique(seen.round):
        excess[:, seen.round == turn] -= _middle(excess[:, seen.round == turn])
    scatter = np.empty_like(excess)
    of_all = MAD_OF_NORMAL * _middle(np.abs(excess))
    for group in np.unique(seen.group):
        members = seen.group == group
        deviation = MAD_OF_NORMAL * _middle(np.abs(excess[:, members]))
        if members.sum() < _FEW:
            deviation = np.maximum(deviation, of_all)
        scatter[:, members] = np.maximum(deviation, LEAST_SCATTER)
    # A look that failed says nothing: it counts as one like the others.
    return Residuals(np.nan_to_num(excess), scatter)


def pair_groups(
    first: Integers, second: Integers, switches: Sequence[str] | None, kinds: Sequence[int] = ()
) -> Integers:
    """Return a number for each pair, shape (K,): the same for pairs that are alike.

    Alike are those inside switches, and those across, with nodes of the same two kinds.
    """
    alike = [np.zeros(len(first), dtype=np.int64)]
    if switches:
        leaf = np.unique(np.asarray(switches), return_inverse=True)[1]
        alike.append((leaf[first] != leaf[second]).astype(np.int64))
    if kinds:
        alike += list(np.sort(np.array(kinds)[np.array([first, second])], axis=0))
    found: Integers = np.unique(np.array(alike), axis=1, return_inverse=True)[1].reshape(-1)
    return found


def spread(levels: Matrix) -> Matrix:
    """Return the deviations from the median over the scatter of all, shape (..., N) as `levels`."""
    away = levels - np.median(levels, axis=-1, keepdims=True)
    scale = MAD_OF_NORMAL * np.median(np.abs(away), axis=-1, keepdims=True)
    found: Matrix = away / np.maximum(scale, LEAST_SCATTER)
    return found


def _middle(values: Matrix) -> Matrix:
    """Return the lower median of each row, shape (F, 1): of two pairs, the faster one is right."""
    ordered = np.sort(values, axis=1)
    there = np.isfinite(ordered).sum(axis=1)
    at = np.maximum((there - 1) // 2, 0)
    found: Matrix = np.nan_to_num(np.take_along_axis(ordered, at[:, None], axis=1))
    return found


def joined(parts: Sequence[Observations]) -> Observations:
    """Return all looks of `parts`, which have the same figures."""
    return Observations(
        parts[0].figures,
        np.concatenate([each.round for each in parts]),
        np.concatenate([each.first for each in parts]),
        np.concatenate([each.second for each in parts]),
        np.concatenate([each.slowness for each in parts], axis=1),
        np.concatenate([each.group for each in parts]),
    )
