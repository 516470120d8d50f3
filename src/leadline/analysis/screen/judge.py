"""Which nodes, links and uplinks are slow, with one bound on the chance of any false accusation.

What may explain that pairs are slow is a node, a link between two nodes, or a switch's uplink. Each
explanation covers some looks and says that these are slower, in each figure all by one factor.
How well it does is the logarithm of the likelihood ratio against "they are slower by no more than
the tolerance", summed over figures. Looks scatter as Student's t with four degrees of freedom does
(Lange, Little and Taylor, "Robust Statistical Modeling Using the t Distribution", JASA 84, 1989),
and a look that is farther away than that allows was disturbed, whatever it shows: so one look
neither makes nor clears a suspect (a redescending estimate: Hampel, Ronchetti, Rousseeuw and
Stahel, "Robust Statistics", 1986, section 2.6).

The best explanation of all slow looks is accused, then what it covers is set aside and the rest is
judged again, until nothing is left that chance would not do. Chance is what happens when the looks
of a round are dealt out anew: had no node, link or uplink anything to do with it, each look of a
round was as likely to be any pair's. The best explanation of each such deal, over all explanations,
is what the one that was found is held against (Westfall & Young, "Resampling-Based
Multiple Testing", 1993, algorithm 2.8).

Healthy nodes are not quite alike either. So a node must also stand out from the other nodes, in
units of their median absolute deviation, farther than the farthest of as many normal ones does in
95 % of the cases.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from leadline.analysis.screen.observations import Observations, Residuals, residuals, spread
from leadline.analysis.stats.statistics import Integers, Matrix

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
    looks: Integers


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
        Explanations(kind, [name for name, _ in group], np.array([looks for _, looks in group]))
        for (kind, _), group in alike.items()
    ]


def evidence(excess: Matrix, scatter: Matrix, looks: Integers, tolerance: float) -> Matrix:
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


def shifts(excess: Matrix, looks: Integers) -> Matrix:
    """Return the median excess of each explanation, shape (F, E)."""
    found: Matrix = np.median(excess[:, looks], axis=-1)
    return found


def _penalty(deviation: Matrix) -> Matrix:
    found: Matrix = np.minimum((_FREEDOM + 1) / 2 * np.log1p(deviation**2 / _FREEDOM), _MOST)
    return found


# The chance of any false accusation in a healthy cluster.
LEVEL = 0.05
# What is slower by less is of no consequence.
TOLERANCE = 0.05

_DEALS = 399
_SIMULATED = 1000
# Evidence that is worth to measure a suspect again, as a logarithm of a likelihood ratio.
_WORTH = 3.0
# Of all explanations a fault has one; before anything is measured, one cluster in two has a fault.
_PRIOR = 0.5
_MEMORY = 4_000_000


class Suspicion(NamedTuple):
    """Something that is slow.

    `names` are the indices of one node, or of the two of a link; of an uplink the switch. `figure`
    is the one that shows it best, `ratio` how many times as long as usual it takes, and `ratios`
    has that of all figures, `by_round` the same of each round. `probability` is that of its being
    at fault: that it is not chance, times its share among what explains the same looks.
    """

    kind: Kind
    names: tuple[int, ...] | str
    figure: str
    ratio: float
    probability: float
    ratios: dict[str, float]
    looks: int
    evidence: float
    by_round: Mapping[int, Mapping[str, float]] = {}


class _Best(NamedTuple):
    group: Explanations
    at: int
    figure: int
    value: float


def judge(
    seen: Observations, switches: Sequence[str] | None = None, *, tolerance: float = TOLERANCE
) -> list[Suspicion]:
    """Return what is slow, the clearest first: any at all with probability `LEVEL` if nothing is.

    `tolerance` is the part by which a figure may be slower. At most a quarter of the nodes can be
    found: beyond that nobody knows what is usual.
    """
    random = np.random.default_rng(1)
    found: list[Suspicion] = []
    nodes = _count(seen)
    while len(found) < max(1, nodes // 4):
        step = _step(seen, switches, math.log1p(tolerance))
        if step is None:
            break
        every, left, best, values = step
        if not _stands_out(seen, best, left):
            seen = _without(seen, best)
            nodes_left = len(np.unique(np.concatenate([seen.first, seen.second])))
            if nodes_left < 3:
                break
            continue
        chance = _chance(seen, left, every, best.value, math.log1p(tolerance), random)
        if chance > LEVEL:
            break
        share = _share(every, values, best)
        found.append(_suspicion(seen, left, best, (1 - chance) * share))
        seen = _without(seen, best)
    return found


def candidates(seen: Observations, switches: Sequence[str] | None = None) -> list[Suspicion]:
    """Return what deserves to be measured again, the clearest first; nothing is proved yet."""
    found: list[Suspicion] = []
    most = max(1, _count(seen) // 4)
    while len(found) < most:
        step = _step(seen, switches, math.log1p(TOLERANCE))
        if step is None or step[2].value < _WORTH:
            break
        _, left, best, _ = step
        found.append(_suspicion(seen, left, best, 0.0))
        seen = _without(seen, best)
    return found


def _count(seen: Observations) -> int:
    return len(np.unique(np.concatenate([seen.first, seen.second])))


def _step(
    seen: Observations, switches: Sequence[str] | None, tolerance: float
) -> tuple[list[Explanations], Residuals, _Best, list[Matrix]] | None:
    """Return all explanations and the best of them; None where nothing is slow."""
    if not len(seen.round):
        return None
    left = residuals(seen)
    every = explanations(seen, switches)
    values = [evidence(left.excess, left.scatter, group.looks, tolerance) for group in every]
    best: _Best | None = None
    for group, value in zip(every, values, strict=True):
        index = int(value.sum(axis=0).argmax())
        total = float(value[:, index].sum())
        if best is None or total > best.value:
            best = _Best(group, index, _clearest(value[:, index], left, group, index), total)
    return (every, left, best, values) if best and best.value > 0 else None


def _clearest(values: Matrix, left: Residuals, group: Explanations, index: int) -> int:
    looks = group.looks[index]
    clear = np.median(left.excess[:, looks] / left.scatter[:, looks], axis=1)
    return int(np.where(values > 0, clear, -np.inf).argmax())


def _stands_out(seen: Observations, best: _Best, left: Residuals) -> bool:
    """Tell whether a node is farther from the other nodes than these are from each other."""
    if best.group.kind != "node":
        return True
    nodes = [group for group in explanations(seen, None) if group.kind == "node"]
    names = [name for group in nodes for name in group.names]
    levels = np.concatenate([shifts(left.excess, group.looks) for group in nodes], axis=1)
    away = spread(levels)[best.figure, names.index(best.group.names[best.at])]
    return bool(away > farthest(len(names), len(seen.figures)))


@lru_cache(maxsize=64)
def farthest(nodes: int, figures: int) -> float:
    """Return how far the farthest of so many normal values lies above their median.

    In units of their median absolute deviation, times 1.4826, over `figures` of `nodes` each; so
    far or less with probability 1 - `LEVEL`.
    """
    random = np.random.default_rng(1)
    most = spread(random.normal(size=(_SIMULATED, figures, nodes))).max(axis=(1, 2))
    return float(np.quantile(most, 1 - LEVEL))


def _chance(
    seen: Observations,
    left: Residuals,
    every: Sequence[Explanations],
    value: float,
    tolerance: float,
    random: np.random.Generator,
) -> float:
    """Return in what part of the deals the best explanation is as good as `value`."""
    rounds = [np.flatnonzero(seen.round == turn) for turn in np.unique(seen.round)]
    standard = left.excess / left.scatter
    figures = len(seen.figures)
    widest = max(group.looks.size for group in every) * figures
    block = max(1, min(50, _MEMORY // widest))
    reached = done = 0
    # Once it is chance for sure there is no need to go on.
    while done < _DEALS and reached <= LEVEL * (_DEALS + 1):
        deals = min(block, _DEALS - done)
        order = _deals(rounds, len(seen.round), deals, random)
        dealt = np.moveaxis(standard[:, order], 0, 1) * left.scatter
        most = np.zeros(deals)
        for group in every:
            values = evidence(dealt, left.scatter, group.looks, tolerance)
            most = np.maximum(most, values.sum(axis=1).max(axis=1))
        reached += int((most >= value - 1e-9).sum())
        done += deals
    return (1 + reached) / (1 + done)


def _deals(
    rounds: Sequence[Integers], looks: int, deals: int, random: np.random.Generator
) -> Integers:
    """Return for each deal whose look each pair gets, shape (deals, looks)."""
    order = np.empty((deals, looks), dtype=np.int64)
    for members in rounds:
        order[:, members] = random.permuted(np.tile(members, (deals, 1)), axis=1)
    return order


def _share(every: Sequence[Explanations], values: Sequence[Matrix], best: _Best) -> float:
    """Return the probability of the best explanation among those that explain some of the same.

    By Bayes' rule with one prior for each kind; the unknown factor costs half the logarithm of the
    number of looks (Schwarz, "Estimating the Dimension of a Model", Annals of Statistics 6, 1978).
    """
    about = set(best.group.looks[best.at].tolist())
    kinds = {group.kind for group in every}
    sizes = {kind: sum(len(group.names) for group in every if group.kind == kind) for kind in kinds}
    weights = [math.log(1 - _PRIOR)]
    mine = 0.0
    for group, value in zip(every, values, strict=True):
        prior = math.log(_PRIOR / len(kinds) / sizes[group.kind])
        cost = 0.5 * math.log(group.looks.shape[1])
        touching = np.isin(group.looks, list(about)).any(axis=1)
        for index in np.flatnonzero(touching).tolist():
            weight = prior + float(value[:, index].sum()) - cost
            weights.append(weight)
            if group is best.group and index == best.at:
                mine = weight
    top = max(weights)
    return math.exp(mine - top) / sum(math.exp(each - top) for each in weights)


def _suspicion(seen: Observations, left: Residuals, best: _Best, probability: float) -> Suspicion:
    looks = best.group.looks[best.at]

    def ratios(of: Integers) -> dict[str, float]:
        middles = np.exp(np.median(left.excess[:, of], axis=1))
        return dict(zip(seen.figures, middles.tolist(), strict=True))

    turns = seen.round[looks]
    of_all = ratios(looks)
    return Suspicion(
        kind=best.group.kind,
        names=best.group.names[best.at],
        figure=seen.figures[best.figure],
        ratio=of_all[seen.figures[best.figure]],
        probability=probability,
        ratios=of_all,
        looks=len(looks),
        evidence=best.value,
        by_round={turn: ratios(looks[turns == turn]) for turn in np.unique(turns).tolist()},
    )


def _without(seen: Observations, best: _Best) -> Observations:
    kept = np.ones(len(seen.round), dtype=bool)
    kept[best.group.looks[best.at]] = False
    return seen.only(kept)
