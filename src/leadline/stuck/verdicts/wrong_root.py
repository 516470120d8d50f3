"""Ranks that name different roots in the same collective."""

from collections import Counter
from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import (
    MANY_TO_ONE,
    ONE_TO_MANY,
    Job,
    Rank,
    capital,
    described,
    named,
    numbers,
)
from leadline.stuck.steps import overtaken

GRAVITY = 22
_ROOTED = (ONE_TO_MANY, MANY_TO_ONE)


def find(job: Job) -> Iterator[Hang]:
    """Tell of several roots of one call, and of a call that its root has left."""
    for ranks in job.collectives().values():
        rooted = [rank for rank in ranks if rank.call.kind in _ROOTED and rank.call.root >= 0]
        roots = Counter(rank.call.root for rank in rooted)
        if len(roots) > 1 and len({rank.call.function for rank in rooted}) == 1:
            yield _different(rooted, roots)
    for behind, ahead in overtaken(job):
        call = behind[0].call
        if call.kind not in _ROOTED or not all(_has_called(rank, behind) for rank in ahead):
            continue
        if {rank.call.root for rank in behind} & ({*numbers(ahead)} | {*numbers(behind)}):
            yield _left(behind, ahead)


def _different(ranks: list[Rank], roots: Counter[int]) -> Hang:
    ordered = [root for root, _ in roots.most_common()]
    groups = [[rank for rank in ranks if rank.call.root == root] for root in ordered]
    said = ", ".join(
        f"{named(group)} {'takes' if len(group) == 1 else 'take'} rank {root}"
        for root, group in zip(ordered, groups, strict=True)
    )
    call = ranks[0].call
    fewest = roots[ordered[-1]]
    return Hang(
        ranks=numbers(rank for rank in ranks if roots[rank.call.root] == fewest),
        text=f"{call.function} has different roots: {said}.",
        evidence=described(ranks),
        fix=f"Give {call.function} the same root on all ranks.",
    )


def _left(behind: list[Rank], ahead: list[Rank]) -> Hang:
    call = behind[0].call
    wait = "waits" if len(behind) == 1 else "wait"
    have = "has" if len(ahead) == 1 else "have"
    return Hang(
        ranks=numbers(behind),
        text=f"{capital(named(behind))} {wait} in {call.function} with root {call.root}, which "
        f"{named(ahead)} {have} left: likely with another root.",
        evidence=described([*behind, *ahead]),
        fix=f"Give {call.function} the same root, and then the same count, on all ranks.",
    )


def _has_called(rank: Rank, behind: list[Rank]) -> bool:
    sizes = rank.called.get(behind[0].call.function, frozenset())
    return any(each.call.bytes.bit_length() in sizes for each in behind)
