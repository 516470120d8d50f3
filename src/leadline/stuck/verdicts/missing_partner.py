"""Ranks that wait for the end of a request whose other side never begins."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import WAIT, Job, described, numbers
from leadline.stuck.messages import unserved
from leadline.stuck.whereabouts import whereabouts

GRAVITY = 44


def find(job: Job) -> Iterator[Hang]:
    """Tell of requests whose other rank has ended or waits in something else."""
    for rank, other in unserved(job, WAIT):
        yield Hang(
            ranks=numbers([rank, other]),
            missing=numbers([other]),
            text=f"Rank {rank.rank} waits in {rank.call.function} for a request with rank "
            f"{other.rank}, which {whereabouts(other)}.",
            evidence=described([rank, other]),
            fix=f"Look for the send or receive that rank {other.rank} leaves out.",
        )
