"""Chains of delays: from rank to rank, followed back to the rank that each began on.

Every call of every rank is a node, and so is every gap before a call. A node points at what it
waited for: a call at the late start, or at the disturbed call, of a rank that it waits for; a late
start at the gap before it, or at the call before, if that lasted too long. Following the pointers
leads to a node that waited for nobody.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.statistics import Integers, Mask, Matrix

UNEXPLAINED = -1

# What explains at least this part of a delay is taken for its cause.
EXPLAINS = 0.5


class Delays(NamedTuple):
    """Times in seconds by call and rank: begins and ends on one clock, and what is above typical.

    `gap` is the time between calls above what it typically is and what it is for all ranks.
    """

    excess: Matrix
    begin: Matrix
    end: Matrix
    gap: Matrix


def waited_for(
    ranks: Integers, neighbours: Sequence[Sequence[int]], delays: Delays, causes: Integers
) -> Iterator[Integers]:
    """Yield, for every call and rank, columns of ranks that it waits for; -1 for none.

    With named neighbours these are all of them, one at a time; otherwise, of all ranks, those that
    matter: the last to begin, the first one, and the worst that the kernel disturbed.
    """
    shape = delays.excess.shape
    if neighbours:
        column = {rank: position for position, rank in enumerate(ranks.tolist())}
        named = [
            [column[n] for n in dict.fromkeys(neighbours[rank] if rank < len(neighbours) else ())
             if n in column and n != rank]
            for rank in ranks.tolist()
        ]  # fmt: skip
        for position in range(max(map(len, named), default=0)):
            one = np.array([each[position] if position < len(each) else -1 for each in named])
            yield np.broadcast_to(one, shape)
        return
    disturbed = np.where(causes != UNEXPLAINED, delays.excess, -np.inf)
    begin = delays.begin
    for one in (begin.argmax(axis=1), begin.argmin(axis=1), disturbed.argmax(axis=1)):
        columns = np.broadcast_to(one[:, None], shape)
        yield np.where(columns == np.arange(shape[1]), -1, columns)


def parents(
    delays: Delays, causes: Integers, outlier: Mask, waits: Sequence[Integers], clock_error_s: float
) -> Integers:
    """Return what each node points at. Nodes 0 to n - 1 are calls, n to 2 n - 1 gaps before them,
    both in the order of `excess.ravel()`; who waited for nobody points at itself.
    """
    excess, begin, end = delays.excess, delays.begin, delays.end
    nodes = np.arange(excess.size).reshape(excess.shape)
    earliest, latest, worst = begin.copy(), np.zeros_like(excess), np.zeros_like(excess)
    late, hurt = nodes.copy(), nodes.copy()
    others = [
        (given, node, given & _together(delays, node)) for given, node in _nodes(nodes, waits)
    ]
    for given, node, together in others:
        late_by = begin.ravel()[node] - begin
        earliest = np.where(given, np.minimum(earliest, begin.ravel()[node]), earliest)
        # Whoever began after the call had ended was not waited for.
        counts = (late_by >= EXPLAINS * excess) & (late_by <= end - begin + clock_error_s)
        counts &= given & (late_by > np.maximum(clock_error_s, latest))
        latest, late = np.where(counts, late_by, latest), np.where(counts, node, late)
        theirs = excess.ravel()[node]
        counts = together & (causes.ravel()[node] != UNEXPLAINED) & (theirs > worst)
        worst, hurt = np.where(counts, theirs, worst), np.where(counts, node, hurt)
    parent = np.where(hurt != nodes, hurt, _centres(outlier, nodes, others))
    parent = np.where(late != nodes, late + excess.size, parent)
    parent = np.where((causes != UNEXPLAINED) | (excess <= 0), nodes, parent)
    return np.concatenate([parent.ravel(), _before(delays, begin - earliest, nodes).ravel()])


def _nodes(nodes: Integers, waits: Iterable[Integers]) -> Iterator[tuple[Mask, Integers]]:
    rows = nodes - np.arange(nodes.shape[1])
    for columns in waits:
        given = columns >= 0
        yield given, rows + np.where(given, columns, 0)


def _together(delays: Delays, node: Integers) -> Mask:
    """Tell whether the other call was going on at the same time, and was delayed as much."""
    alike: Mask = delays.excess.ravel()[node] >= EXPLAINS * delays.excess
    alike &= delays.end.ravel()[node] > delays.begin
    alike &= delays.begin.ravel()[node] < delays.end
    return alike


def _centres(
    outlier: Mask, nodes: Integers, others: Sequence[tuple[Mask, Integers, Mask]]
) -> Integers:
    """Return, for calls delayed together, the neighbour in their midst, or the call itself.

    `others` are, of one rank that each waits for, where there is one, its call, and whether that
    was delayed together with this one.

    A rank that is slow before it has sent delays all that wait for it in the same call, and those
    have other neighbours that are in time. Who began it is not to be told from who ends first.
    """
    company = np.zeros_like(nodes)
    for _, node, together in others:
        company += outlier.ravel()[node] & together
    most, centre = company.copy(), nodes.copy()
    for _, node, together in others:
        theirs = company.ravel()[node]
        counts = outlier.ravel()[node] & together & (theirs > most)
        most, centre = np.where(counts, theirs, most), np.where(counts, node, centre)
    return centre


def _before(delays: Delays, late: Matrix, nodes: Integers) -> Integers:
    """Return why a rank began late: the gap itself, the call before it, or an earlier lateness.

    `late` are seconds after the first of those that it waits for.
    """
    gaps, ranks = nodes + nodes.size, nodes.shape[1]
    call_before, late_before = np.full_like(late, -np.inf), np.full_like(late, -np.inf)
    call_before[1:], late_before[1:] = delays.excess[:-1], late[:-1]
    found = np.where(late_before >= EXPLAINS * late, gaps - ranks, gaps)
    found = np.where(call_before >= EXPLAINS * late, nodes - ranks, found)
    return np.where(delays.gap >= np.maximum(EXPLAINS * late, call_before), gaps, found)


def roots_of(parent: Integers, ranks: int) -> tuple[Integers, Integers]:
    """Return the last node that each node leads to, and through how many ranks, by doubling."""
    rank = np.arange(len(parent)) % ranks
    hops = (rank != rank[parent]).astype(int)
    while True:
        further = parent[parent]
        if np.array_equal(further, parent):
            return parent, hops
        hops = hops + hops[parent]
        parent = further
