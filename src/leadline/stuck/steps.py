"""Ranks that are a collective ahead of those that still wait in it."""

from collections.abc import Iterator

from leadline.stuck.job import Job, Rank


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
