"""What may explain that pairs are slow: a node, a link between two nodes, a switch's uplink.

Each explanation covers some looks and says that these are slower, in each figure all by one factor.
How well it does is the logarithm of the likelihood ratio against "they are slower by no more than
the tolerance", summed over figures. Looks scatter as Student's t with four degrees of freedom does
(Lange, Little and Taylor, "Robust Statistical Modeling Using the t Distribution", JASA 84, 1989),
and a look that is farther away than that allows was disturbed, whatever it shows: so one look
neither makes nor clears a suspect (a redescending estimate: Hampel, Ronchetti, Rousseeuw and
Stahel, "Robust Statistics", 1986, section 2.6).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from leadline.analysis.screen.observations import Indices, Matrix, Observations

Kind = Literal["node", "link", "uplink"]
_FREEDOM = 4.0
# What one look can say at most, as a logarithm: one in 150 is disturbed beyond all measure.
_MOST = 5.0


class Explanations(NamedTuple):
    """E explanations of one `kind` that cover m looks each: `looks` has shape (E, m).

    `names` has what each is about: nodes (one, or the two of a link) or the switch.
    """

    kind: Kind
    names: Sequence[tuple[int, ...] | str]
    looks: Indices


def explanations(seen: Observations, switches: Sequence[str] | None) -> list[Explanations]:
    """Return all explanations that the looks can tell from each other, alike ones together.

    `switches` has the leaf switch of each node; without it no uplink is one.
    """
    covered: dict[tuple[Kind, tuple[int, ...] | str], list[int]] = defaultdict(list)
    for look, (first, second) in enumerate(
        zip(seen.first.tolist(), seen.second.tolist(), strict=True)
    ):
        for node in {first, second}:
            covered["node", (node,)].append(look)
        if first == second:
            continue
        covered["link", (first, second)].append(look)
        if switches and switches[first] != switches[second]:
            covered["uplink", switches[first]].append(look)
            covered["uplink", switches[second]].append(look)
    alike: dict[tuple[Kind, int], list[tuple[tuple[int, ...] | str, list[int]]]] = defaultdict(list)
    for (kind, name), looks in covered.items():
        alike[kind, len(looks)].append((name, looks))
    return [
        Explanations(kind, [name for name, _ in own], np.array([looks for _, looks in own]))
        for (kind, _), own in alike.items()
    ]


def evidence(excess: Matrix, scatter: Matrix, looks: Indices, tolerance: float) -> Matrix:
    """Return the logarithm of the likelihood ratio of each explanation, shape (..., F, E).

    `excess` and `scatter` have shape (..., F, K), `looks` (E, m). Zero where the looks are, in the
    middle, slower by no more than `tolerance`, the logarithm of a factor.
    """
    values = excess[..., looks]
    scale = scatter[..., looks]
    shift = np.median(values, axis=-1, keepdims=True)
    shift = np.maximum(shift, tolerance)
    gained = _penalty((values - tolerance) / scale) - _penalty((values - shift) / scale)
    found: Matrix = gained.sum(axis=-1)
    return np.maximum(found, 0.0)


def shifts(excess: Matrix, looks: Indices) -> Matrix:
    """Return the median excess of each explanation, shape (F, E)."""
    found: Matrix = np.median(excess[:, looks], axis=-1)
    return found


def _penalty(deviation: Matrix) -> Matrix:
    found: Matrix = np.minimum((_FREEDOM + 1) / 2 * np.log1p(deviation**2 / _FREEDOM), _MOST)
    return found
