"""Who is late: always the same rank, all ranks of a node, each in turn, or another one each time.

Each rank knows for whom it waited: for the one that came last. Who polls does not: where most of
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

from leadline.explain.owners import RankTime, total
from leadline.explain.recording import BOTH, COMPLETE, ONE_TO_N, RECEIVE, SCAN, WAIT, Recording

_WORTH = 0.02
_EXCESS = 0.05
_HALF, _ABOVE_EVEN = 0.5, 1.5
_FEW, _MOST = 0.25, 0.75
# From this part on, the waiting whose cause is known speaks for all of it.
_KNOWN = 0.5
# In a chain ranks wait for so large a part of the time, compute alike, and so few of them at once.
_CHAIN_WAITS, _CHAIN_ALIKE, _CHAIN_AT_ONCE = 0.25, 0.8, 0.6
# Kinds of calls that wait for what another rank sends.
_SENT = (ONE_TO_N, SCAN, RECEIVE, BOTH, COMPLETE, WAIT)


class Lateness(msgspec.Struct, frozen=True, kw_only=True):
    """Who made the ranks wait.

    `rank` is the one for which most is waited, and `ranks` those that are late together; `node` is
    that of which all ranks are late. Each is null where the verdict is another one. `share` is
    their part of the waiting for which the cause is known (of noise that of the latest rank), and
    `known` the part of all waiting for which it is. `late_s` is how long another rank waits for
    them in a call, on average, in so many `calls` of those that wait. Without `calls` the verdict
    follows from the work alone: `late_s` is how much longer they compute in all. In a chain so many
    ranks compute `at_once`, on average.
    """

    verdict: Literal["rank", "node", "chain", "noise", "library", "none"]
    rank: int | None = None
    node: int | None = None
    share: float = 0.0
    ranks: tuple[int, ...] = ()
    known: float = 0.0
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
    waits = sum(calls[each] for each in late)
    return Lateness(
        verdict=verdict,
        rank=max(late, key=lambda each: (caused[each], -each)) if verdict == "rank" else None,
        node=node,
        share=sum(caused[each] for each in (late[:1] if verdict == "noise" else late)) / known,
        ranks=tuple(sorted(late)) if verdict != "noise" else (),
        known=part,
        late_s=sum(caused[each] for each in late) / waits if waits else 0.0,
        calls=waits,
    )


def _chain(recording: Recording, ranks: Sequence[RankTime]) -> float | None:
    """Return how many ranks compute at once, on average, where they wait for one another in turn.

    All of them compute as long and wait much, for what another one sends: who waits least does so
    half as long as the rest. Where all wait for all, the work of each changes.
    """
    wall = max(rank.seconds for rank in ranks)
    computing = [rank.computing_s for rank in ranks]
    waiting = [rank.waiting_s for rank in ranks]
    at_once = sum(computing) / wall
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


def _by_work(ranks: Sequence[RankTime], known: float) -> Lateness:
    """Return who is late where hardly any cause of waiting is known: who polls waits for work.

    It is the rank that computes longer by half of what the others wait, and hardly waits itself.
    """
    late, *rest = sorted(ranks, key=lambda rank: (-rank.computing_s, rank.rank))
    if rest:
        waits = statistics.median(rank.waiting_s for rank in rest)
        longer = late.computing_s - statistics.median(rank.computing_s for rank in rest)
        if longer >= _HALF * waits and late.waiting_s <= _FEW * waits:
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
