"""Verdicts on collectives that ranks call differently, or that some of them have left."""

from collections import Counter
from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import (
    ENDS,
    MANY_TO_ONE,
    ONE_TO_MANY,
    WORLD,
    Job,
    Rank,
    ago,
    capital,
    described,
    named,
    numbers,
)


def find_swapped_collectives(job: Job) -> Iterator[Hang]:
    """Tell of different functions as the same call of a communicator."""
    for ranks in job.collectives().values():
        functions = Counter(rank.call.function for rank in ranks if rank.call.function not in ENDS)
        if len(functions) > 1:
            yield _different_functions(ranks, functions)
    for behind, ahead in overtaken(job):
        never = [rank for rank in ahead if behind[0].call.function not in rank.called]
        if never and behind[0].call.function not in ENDS:
            yield _left_out(behind, never)


def _different_functions(ranks: list[Rank], functions: Counter[str]) -> Hang:
    ordered = [name for name, _ in functions.most_common()]
    groups = [[rank for rank in ranks if rank.call.function == name] for name in ordered]
    said = " and ".join(f"{named(group)} in {group[0].call.function}" for group in groups)
    fewest = functions[ordered[-1]]
    odd = [rank for rank in ranks if functions[rank.call.function] == fewest]
    return Hang(
        ranks=numbers(odd),
        text=f"Call {ranks[0].call.number} of {ranks[0].call.on} finds {said}.",
        evidence=described(ranks),
        fix="Call collectives in the same order on all ranks; look for a condition around one.",
    )


def _left_out(behind: list[Rank], never: list[Rank]) -> Hang:
    call = behind[0].call
    return Hang(
        ranks=numbers(never),
        missing=numbers(never),
        text=f"{capital(named(never))} went beyond call {call.number} of {call.on} without "
        f"{call.function}, in which {named(behind)} {'waits' if len(behind) == 1 else 'wait'}.",
        evidence=described([*behind, *never]),
        fix="Call collectives in the same order on all ranks; look for a condition around one.",
    )


_ROOTED = (ONE_TO_MANY, MANY_TO_ONE)


def find_wrong_root(job: Job) -> Iterator[Hang]:
    """Tell of several roots of one call, and of a call that its root has left."""
    for ranks in job.collectives().values():
        rooted = [rank for rank in ranks if rank.call.kind in _ROOTED and rank.call.root >= 0]
        roots = Counter(rank.call.root for rank in rooted)
        if len(roots) > 1 and len({rank.call.function for rank in rooted}) == 1:
            yield _different_roots(rooted, roots)
    for behind, ahead in overtaken(job):
        call = behind[0].call
        if call.kind not in _ROOTED or not all(_has_called(rank, behind) for rank in ahead):
            continue
        if {rank.call.root for rank in behind} & ({*numbers(ahead)} | {*numbers(behind)}):
            yield _left_with_other_root(behind, ahead)


def _different_roots(ranks: list[Rank], roots: Counter[int]) -> Hang:
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


def _left_with_other_root(behind: list[Rank], ahead: list[Rank]) -> Hang:
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


# All ranks give the same number of bytes. In those with two buffers MPI_IN_PLACE hides it.
_SAME = (
    "MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Scan", "MPI_Exscan",
    "MPI_Reduce_scatter_block",
)  # fmt: skip
_SAME_OR_IN_PLACE = ("MPI_Allgather", "MPI_Alltoall")
_SAME_BUT_FOR_THE_ROOT = ("MPI_Gather", "MPI_Scatter")


def find_wrong_count(job: Job) -> Iterator[Hang]:
    """Tell of different bytes in one call, and of a call that a rank left with other bytes."""
    for ranks in job.collectives().values():
        if len({rank.call.function for rank in ranks}) > 1:
            continue
        compared = [rank for rank in ranks if _is_compared(rank)]
        sizes = Counter(rank.call.bytes for rank in compared)
        if len(sizes) > 1:
            yield _different_counts(compared, sizes)
    for behind, ahead in overtaken(job):
        name, size = behind[0].call.function, behind[0].call.bytes
        if name not in (*_SAME, *_SAME_OR_IN_PLACE):
            continue
        other = [
            rank
            for rank in ahead
            if name in rank.called and size.bit_length() not in rank.called[name]
        ]
        if other:
            yield _left_with_other_count(behind, other)


def _is_compared(rank: Rank) -> bool:
    name = rank.call.function
    if name in _SAME_BUT_FOR_THE_ROOT:
        return rank.call.root != rank.rank and rank.call.bytes > 0
    return name in _SAME or (name in _SAME_OR_IN_PLACE and rank.call.bytes > 0)


def _different_counts(ranks: list[Rank], sizes: Counter[int]) -> Hang:
    ordered = [size for size, _ in sizes.most_common()]
    said = ", ".join(
        f"{named(rank for rank in ranks if rank.call.bytes == size)} {size} B" for size in ordered
    )
    fewest = sizes[ordered[-1]]
    name = ranks[0].call.function
    return Hang(
        ranks=numbers(rank for rank in ranks if sizes[rank.call.bytes] == fewest),
        text=f"{name} has different sizes: {said}.",
        evidence=described(ranks),
        fix=f"Give {name} the same count and datatype on all ranks.",
    )


def _left_with_other_count(behind: list[Rank], other: list[Rank]) -> Hang:
    call = behind[0].call
    have = "has" if len(other) == 1 else "have"
    return Hang(
        ranks=numbers(other),
        text=f"{capital(named(behind))} {'waits' if len(behind) == 1 else 'wait'} in "
        f"{call.function} of {call.bytes} B, which {named(other)} {have} left with another size.",
        evidence=described([*behind, *other]),
        fix=f"Give {call.function} the same count and datatype on all ranks.",
    )


# A collective among few ranks may itself take long while the rest waits for these.
_CROSSED_S = 5.0


def find_crossed_communicators(job: Job) -> Iterator[Hang]:
    """Tell of ranks in a collective of all, while the rest is in collectives of some of them."""
    if not job.all_wait or not all(rank.call.is_numbered for rank in job.waiting):
        return
    world = [rank for rank in job.waiting if rank.call.communicator == WORLD]
    parts = [rank for rank in job.waiting if rank.call.communicator != WORLD]
    if (
        not world
        or not parts
        or any((rank.call.since_s or 0.0) < _CROSSED_S for rank in job.waiting)
    ):
        return
    yield Hang(
        ranks=numbers(parts),
        missing=numbers(parts),
        text=f"A collective of all ranks holds {named(world)}, and collectives of other "
        f"communicators hold {named(parts)}.",
        evidence=described(job.waiting),
        fix="Call collectives of overlapping communicators in the same order on all ranks.",
    )


def find_out_of_step(job: Job) -> Iterator[Hang]:
    """Tell of a call in which ranks wait for those that are beyond it."""
    for behind, ahead in overtaken(job):
        call = behind[0].call
        yield Hang(
            ranks=numbers(behind),
            missing=numbers(ahead),
            text=f"{capital(named(behind))} {'waits' if len(behind) == 1 else 'wait'} in call "
            f"{call.number} of {call.on}, and {named(ahead)} went on to call "
            f"{min(rank.call.number for rank in ahead)}.",
            evidence=described([*behind, *ahead]),
            fix=f"Compare count, datatype and root of {call.function} on these ranks.",
        )


# Longer than any collective that one waits for in peace.
_INSIDE_S = 60.0


def find_inside_library(job: Job) -> Iterator[Hang]:
    """Tell of a call that all ranks have entered, and that has lasted for a minute."""
    waiting = job.waiting
    if not job.calls_known or not job.all_wait or len(waiting) != job.size or job.size < 2:
        return
    if (
        len({(each.call.function, each.call.communicator, each.call.number) for each in waiting})
        > 1
    ):
        return
    since = min(rank.call.since_s or 0.0 for rank in waiting)
    call = waiting[0].call
    if not call.is_collective or since < _INSIDE_S:
        return
    yield Hang(
        ranks=numbers(waiting),
        text=f"All ranks are in {call.function} for {ago(since)}, and none is missing: "
        "likely the library or the network.",
        evidence=described(waiting),
        fix="Look for a network that has failed, and start the job with another MPI or transport.",
    )


def overtaken(job: Job) -> Iterator[tuple[list[Rank], list[Rank]]]:
    """Yield ranks in the first unfinished call of a communicator, and those that have left it.

    A rank may leave a broadcast or a reduction early, and that alone is no fault: a rank outside
    may be what all wait for. So nothing is told unless every rank waits in a collective.
    """
    busy = [rank for rank in job.ranks if not rank.has_ended]
    if not all(rank.waits and rank.call.is_numbered for rank in busy):
        return
    for communicator in {rank.call.communicator for rank in busy}:
        ranks = [rank for rank in busy if rank.call.communicator == communicator]
        first = min(rank.call.number for rank in ranks)
        behind = [rank for rank in ranks if rank.call.number == first]
        ahead = [rank for rank in ranks if rank.call.number > first]
        if ahead and len({rank.call.function for rank in behind}) == 1:
            yield behind, ahead
