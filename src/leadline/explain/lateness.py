"""Who is late: always the same rank, all ranks of a node, each in turn, or another one each time.

Each rank knows for whom it waited: for the one that came last. That one may be late because it
waited itself: then who made it wait is the cause. Who polls does not know for whom: where most of
the waiting is of this kind, the work of the ranks tells. The limits are those of the table in
docs/explanation/program-time.md.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Literal

import msgspec
import numpy as np

from leadline.explain.owners import RankTime, between_begin_and_end, total
from leadline.explain.recording import BOTH, COMPLETE, ONE_TO_N, RECEIVE, SCAN, WAIT, Recording

_WORTH = 0.02
_EXCESS = 0.05
_HALF, _ABOVE_EVEN = 0.5, 1.5
_FEW, _MOST = 0.25, 0.75
# Blame passed on counts for a rank that computes so much longer than the median.
_LONGER = 0.05
# It is passed on until so little is left. So many times, and once for each rank, is enough; in
# all by so many additions at most.
_LEFT, _TIMES, _ADDITIONS = 0.01, 1000, 100_000_000
# From this part on, the waiting whose cause is known speaks for all of it.
_KNOWN = 0.5
# In a chain ranks wait for so large a part of the time, compute alike, and so few of them at once.
_CHAIN_WAITS, _CHAIN_ALIKE, _CHAIN_AT_ONCE = 0.25, 0.8, 0.6
# Kinds of calls that wait for what another rank sends.
_SENT = (ONE_TO_N, SCAN, RECEIVE, BOTH, COMPLETE, WAIT)


class Lateness(msgspec.Struct, frozen=True, kw_only=True):
    """Who made the ranks wait.

    `rank` is the one that causes most of the waiting, and `ranks` those that are late together;
    `node` is that of which all ranks are late. Each is null where the verdict is another one.
    `share` is their part of the waiting for which the cause is known (of noise that of the latest
    rank), and `known` the part of all waiting for which it is. Where the rank makes others late for
    whom others wait, `in_turn` is true and the share has their waiting too. `late_s` is how long
    another rank waits for them in a call, on average, in so many `calls` of those that wait.
    Without `calls` the verdict follows from the work alone: `late_s` is how much longer they
    compute in all. In a chain so many ranks compute `at_once`, on average.
    """

    verdict: Literal["rank", "node", "chain", "noise", "library", "none"]
    rank: int | None = None
    node: int | None = None
    share: float = 0.0
    ranks: tuple[int, ...] = ()
    known: float = 0.0
    in_turn: bool = False
    late_s: float = 0.0
    calls: int = 0
    at_once: float | None = None


def lateness(recording: Recording, ranks: Sequence[RankTime]) -> Lateness:
    """Return who made the ranks of the recording wait; `ranks` are the owners of their time."""
    everything = total(ranks)
    if everything.seconds <= 0:
        return Lateness(verdict="none")
    if everything.waiting_s < _WORTH * everything.seconds:
        beyond = everything.excess_s >= _EXCESS * everything.seconds
        return Lateness(verdict="library" if beyond else "none")
    caused: dict[int, float] = defaultdict(float)
    calls: dict[int, int] = defaultdict(int)
    for rank in recording.ranks:
        for other, peer in rank.peers.items():
            if other != rank.rank:
                caused[other] += peer.waited_s
                calls[other] += peer.waited_calls
    known = sum(caused.values())
    part = min(known / everything.waiting_s, 1.0)
    if part < _KNOWN:
        return _by_work(ranks, part)
    if (at_once := _chain(recording, ranks)) is not None:
        return Lateness(verdict="chain", known=part, at_once=at_once)
    verdict, late, node = _verdict(caused, known, {r.rank: r.node for r in recording.ranks})
    share = sum(caused[each] for each in (late[:1] if verdict == "noise" else late)) / known
    cause = _cause(recording, ranks)
    in_turn = cause is not None and late != [cause[0]]
    if cause is not None and in_turn:
        verdict, late, node, share = "rank", [cause[0]], None, cause[1]
    waits = sum(calls[each] for each in late)
    return Lateness(
        verdict=verdict,
        rank=max(late, key=lambda each: (caused[each], -each)) if verdict == "rank" else None,
        node=node,
        share=share,
        ranks=tuple(sorted(late)) if verdict != "noise" else (),
        known=part,
        in_turn=in_turn,
        late_s=sum(caused[each] for each in late) / waits if waits else 0.0,
        calls=waits,
    )


def _chain(recording: Recording, ranks: Sequence[RankTime]) -> float | None:
    """Return how many ranks compute at once, on average, where they wait for one another in turn.

    All of them compute as long and wait much, for what another one sends: who waits least does so
    half as long as the rest. Where all wait for all, the work of each changes.
    """
    times = list(map(between_begin_and_end, recording.ranks, ranks))
    wall = max(time.seconds for time in times)
    computing = [time.computing_s for time in times]
    waiting = [time.waiting_s for time in times]
    at_once = sum(computing) / wall if wall else 0.0
    sent = sum(row.waiting_s for row in recording.rows if row.function.kind in _SENT)
    is_chain = (
        len(ranks) > 1
        and statistics.mean(waiting) >= _CHAIN_WAITS * wall
        and min(waiting) >= _HALF * statistics.mean(waiting)
        and statistics.mean(computing) >= _CHAIN_ALIKE * max(computing) > 0
        and at_once <= _CHAIN_AT_ONCE * len(ranks)
        and sent >= _HALF * sum(waiting)
    )
    return at_once if is_chain else None


def _cause(recording: Recording, ranks: Sequence[RankTime]) -> tuple[int, float] | None:
    """Return the rank from which most of the waiting comes in the end, and its share, if clear.

    It computes clearly longer than the median, and waits less than half as long as the others.
    """
    usual = statistics.median(rank.computing_s for rank in ranks)
    waiting = sum(rank.waiting_s for rank in ranks)
    clear = {
        rank.rank
        for rank in ranks
        if rank.computing_s > (1 + _LONGER) * usual
        and rank.waiting_s < _HALF * (waiting - rank.waiting_s) / max(len(ranks) - 1, 1)
    }
    if not clear:
        return None
    shares = _passed_on(recording, {rank.rank: rank.computing_s for rank in ranks})
    most = max(shares, key=lambda rank: (shares[rank], -rank))
    return (most, shares[most]) if most in clear and shares[most] > _limit(len(ranks)) else None


def _passed_on(recording: Recording, computing: Mapping[int, float]) -> dict[int, float]:
    """Return the share of the waiting that each rank causes, with that of the ranks it makes late.

    This is the cost of a delay by Böhme et al. (docs/explanation/program-time.md), of sums by pair.
    What others waited for a rank is passed on to those for whom it waited itself: as large a part
    as its own waiting is of that and what it computes longer than the rank that computes least. No
    more than it waited can be passed on of what another one waited for it. In a circle in which
    nobody computes longer the blame goes round; what is still passed on at the end is nobody's.
    """
    pairs = [
        (rank.rank, other, peer.waited_s)
        for rank in recording.ranks
        for other, peer in rank.peers.items()
        if other != rank.rank and peer.waited_s > 0
    ]
    names, places = np.unique([pair[:2] for pair in pairs], return_inverse=True)
    who, whom = places.reshape(-1, 2).T
    seconds = np.array([pair[2] for pair in pairs])
    size = len(names)
    waited = np.bincount(who, seconds, size)
    longest = np.zeros(size)
    np.maximum.at(longest, whom, seconds)
    least = min(computing.values())
    longer = np.array([computing.get(int(name), least) - least for name in names])
    late = np.maximum(waited + longer, longest)
    own = 1 - waited / late
    blame = np.bincount(whom, seconds, size) / seconds.sum()
    shares = np.zeros(size)
    for _ in range(min(_TIMES + size, 1 + _ADDITIONS // len(pairs))):
        shares += own * blame
        blame = np.bincount(whom, blame[who] * seconds / late[who], size)
        if blame.sum() < _LEFT:
            break
    return dict(zip(names.tolist(), shares.tolist(), strict=True))


def _by_work(ranks: Sequence[RankTime], known: float) -> Lateness:
    """Return who is late where hardly any cause of waiting is known: who polls waits for work.

    It is the rank that computes longer by half of what the others wait, and waits itself for half
    as long at most.
    """
    late, *rest = sorted(ranks, key=lambda rank: (-rank.computing_s, rank.rank))
    if rest:
        waits = statistics.median(rank.waiting_s for rank in rest)
        longer = late.computing_s - statistics.median(rank.computing_s for rank in rest)
        if longer >= _HALF * waits and late.waiting_s <= _HALF * waits:
            return Lateness(
                verdict="rank", rank=late.rank, ranks=(late.rank,), known=known, late_s=longer
            )
    return Lateness(verdict="none", known=known)


def _verdict(
    caused: Mapping[int, float], known: float, node_of: Mapping[int, int]
) -> tuple[Literal["rank", "node", "noise"], list[int], int | None]:
    """Return the verdict, the ranks that it is about, and the node."""
    order = sorted(caused, key=lambda rank: (-caused[rank], rank))
    if caused[order[0]] > _limit(len(node_of)) * known:
        return "rank", order[:1], None
    nodes: dict[int, float] = defaultdict(float)
    for rank, seconds in caused.items():
        nodes[node_of.get(rank, -1)] += seconds
    worst = max(nodes, key=lambda node: (nodes[node], -node))
    several = len(set(node_of.values())) > 1
    if several and worst >= 0 and nodes[worst] > _limit(len(set(node_of.values()))) * known:
        return "node", [rank for rank in order if node_of.get(rank) == worst], worst
    few = order[: max(int(_FEW * len(node_of)), 1)]
    for number, seconds in enumerate(accumulate(caused[rank] for rank in few), 1):
        if seconds > _MOST * known:
            return "rank", few[:number], None
    return "noise", order, None


def _limit(parties: int) -> float:
    """Return the share from which one of so many is late."""
    return max(_HALF, _ABOVE_EVEN / parties)
