"""Verdicts on collectives that ranks call differently, or that some of them have left."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from leadline.stuck.hang import Hang, hang
from leadline.stuck.job import (
    ENDS,
    MANY_TO_ONE,
    ONE_TO_MANY,
    WORLD,
    Job,
    Rank,
    ago,
    named,
    numbers,
    subject,
)

_SAME_ORDER = "Call collectives in the same order on all ranks; look for a condition around one."
_SAME_COUNT = "Give {} the same count and datatype on all ranks."


def _disagreement(
    ranks: list[Rank], value_of: Callable[[Rank], Any], phrase: Callable[[list[Rank], Any], str]
) -> tuple[list[str], list[Rank]]:
    """Return a phrase for each value that ranks give, the commonest first, and the odd ranks.

    Those are the ranks whose value is the rarest. Nothing where all give the same value.
    """
    counts = Counter(map(value_of, ranks))
    if len(counts) < 2:
        return [], []
    phrases = [
        phrase([rank for rank in ranks if value_of(rank) == value], value)
        for value, _ in counts.most_common()
    ]
    fewest = min(counts.values())
    return phrases, [rank for rank in ranks if counts[value_of(rank)] == fewest]


def find_swapped_collectives(job: Job) -> Iterator[Hang]:
    """Tell of different functions as the same call of a communicator."""
    for ranks in job.collectives().values():
        inside = [rank for rank in ranks if rank.call.function not in ENDS]
        phrases, odd = _disagreement(
            inside, lambda rank: rank.call.function, lambda group, name: f"{named(group)} in {name}"
        )
        if odd:
            call = ranks[0].call
            text = f"Call {call.number} of {call.on} finds {' and '.join(phrases)}."
            yield hang(odd, text, _SAME_ORDER, calls=ranks)
    for behind, ahead in overtaken(job):
        call = behind[0].call
        never = [rank for rank in ahead if call.function not in rank.called]
        if never and call.function not in ENDS:
            text = (
                f"{named(never)} went beyond call {call.number} of {call.on} without "
                f"{call.function}, in which {subject(behind, 'waits')}."
            )
            yield hang(never, text, _SAME_ORDER, missing=never, calls=[*behind, *never])


_ROOTED = (ONE_TO_MANY, MANY_TO_ONE)


def find_wrong_root(job: Job) -> Iterator[Hang]:
    """Tell of several roots of one call, and of a call that its root has left."""
    for ranks in job.collectives().values():
        rooted = [rank for rank in ranks if rank.call.kind in _ROOTED and rank.call.root >= 0]
        phrases, odd = _disagreement(
            rooted,
            lambda rank: rank.call.root,
            lambda group, root: f"{subject(group, 'takes')} rank {root}",
        )
        if odd and len({rank.call.function for rank in rooted}) == 1:
            name = rooted[0].call.function
            text = f"{name} has different roots: {', '.join(phrases)}."
            yield hang(odd, text, f"Give {name} the same root on all ranks.", calls=rooted)
    for behind, ahead in overtaken(job):
        call = behind[0].call
        if call.kind not in _ROOTED or not all(_has_called(rank, behind) for rank in ahead):
            continue
        if {rank.call.root for rank in behind} & {*numbers(ahead), *numbers(behind)}:
            text = (
                f"{subject(behind, 'waits')} in {call.function} with root {call.root}, which "
                f"{subject(ahead, 'has')} left: likely with another root."
            )
            fix = f"Give {call.function} the same root, and then the same count, on all ranks."
            yield hang(behind, text, fix, calls=[*behind, *ahead])


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
        compared = [rank for rank in ranks if _is_compared(rank)]
        phrases, odd = _disagreement(
            compared, lambda rank: rank.call.bytes, lambda group, size: f"{named(group)} {size} B"
        )
        if odd and len({rank.call.function for rank in ranks}) == 1:
            name = ranks[0].call.function
            text = f"{name} has different sizes: {', '.join(phrases)}."
            yield hang(odd, text, _SAME_COUNT.format(name), calls=compared)
    for behind, ahead in overtaken(job):
        name, size = behind[0].call.function, behind[0].call.bytes
        bits = size.bit_length()
        other = [rank for rank in ahead if bits not in rank.called.get(name, {bits})]
        if other and name in (*_SAME, *_SAME_OR_IN_PLACE):
            text = (
                f"{subject(behind, 'waits')} in {name} of {size} B, which "
                f"{subject(other, 'has')} left with another size."
            )
            yield hang(other, text, _SAME_COUNT.format(name), calls=[*behind, *other])


def _is_compared(rank: Rank) -> bool:
    name = rank.call.function
    if name in _SAME_BUT_FOR_THE_ROOT:
        return rank.call.root != rank.rank and rank.call.bytes > 0
    return name in _SAME or (name in _SAME_OR_IN_PLACE and rank.call.bytes > 0)


# A collective among few ranks may itself take long while the rest waits for these.
_CROSSED_S = 5.0


def find_crossed_communicators(job: Job) -> Iterator[Hang]:
    """Tell of ranks in a collective of all, while the rest is in collectives of some of them."""
    if not job.all_wait or not all(rank.call.is_numbered for rank in job.waiting):
        return
    world = [rank for rank in job.waiting if rank.call.communicator == WORLD]
    parts = [rank for rank in job.waiting if rank.call.communicator != WORLD]
    if world and parts and job.least_wait_s >= _CROSSED_S:
        text = (
            f"A collective of all ranks holds {named(world)}, and collectives of other "
            f"communicators hold {named(parts)}."
        )
        fix = "Call collectives of overlapping communicators in the same order on all ranks."
        yield hang(parts, text, fix, missing=parts, calls=job.waiting)


def find_out_of_step(job: Job) -> Iterator[Hang]:
    """Tell of a call in which ranks wait for those that are beyond it."""
    for behind, ahead in overtaken(job):
        call = behind[0].call
        text = (
            f"{subject(behind, 'waits')} in call {call.number} of {call.on}, and {named(ahead)} "
            f"went on to call {min(rank.call.number for rank in ahead)}."
        )
        fix = f"Compare count, datatype and root of {call.function} on these ranks."
        yield hang(behind, text, fix, missing=ahead, calls=[*behind, *ahead])


# Longer than any collective that one waits for in peace.
_INSIDE_S = 60.0


def find_inside_library(job: Job) -> Iterator[Hang]:
    """Tell of a call that all ranks have entered, and that has lasted for a minute."""
    waiting, since = job.waiting, job.least_wait_s
    if not job.calls_known or not job.all_wait or len(waiting) != job.size or job.size < 2:
        return
    calls = {(each.call.function, each.call.communicator, each.call.number) for each in waiting}
    call = waiting[0].call
    if len(calls) == 1 and call.is_collective and since >= _INSIDE_S:
        text = (
            f"All ranks are in {call.function} for {ago(since)}, and none is missing: "
            "likely the library or the network."
        )
        fix = "Look for a network that has failed, and start the job with another MPI or transport."
        yield hang(waiting, text, fix, calls=waiting)


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
