"""Ranks in collectives of several communicators, each waiting for a rank that is in another."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import WORLD, Job, described, named, numbers

GRAVITY = 26
# A collective among few ranks may itself take long while the rest waits for these.
_LONG_S = 5.0


def find(job: Job) -> Iterator[Hang]:
    """Tell of ranks in a collective of all, while the rest is in collectives of some of them."""
    if not job.all_wait or not all(rank.call.is_numbered for rank in job.waiting):
        return
    world = [rank for rank in job.waiting if rank.call.communicator == WORLD]
    parts = [rank for rank in job.waiting if rank.call.communicator != WORLD]
    if not world or not parts or any((rank.call.since_s or 0.0) < _LONG_S for rank in job.waiting):
        return
    yield Hang(
        ranks=numbers(parts),
        missing=numbers(parts),
        text=f"A collective of all ranks holds {named(world)}, and collectives of other "
        f"communicators hold {named(parts)}.",
        evidence=described(job.waiting),
        fix="Call collectives of overlapping communicators in the same order on all ranks.",
    )
