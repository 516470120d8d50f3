"""Ranks that wait in a send to a rank that does not receive."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import BOTH, SEND, Job, described, numbers
from leadline.stuck.messages import unserved
from leadline.stuck.whereabouts import whereabouts

GRAVITY = 40


def find(job: Job) -> Iterator[Hang]:
    """Tell of sends whose receiver has ended or waits in something else."""
    for rank, other in (*unserved(job, SEND), *unserved(job, BOTH)):
        yield Hang(
            ranks=numbers([rank, other]),
            missing=numbers([other]),
            text=f"Rank {rank.rank} waits in {rank.call.function} to rank {other.rank}, which "
            f"{whereabouts(other)}.",
            evidence=described([rank, other]),
            fix=f"Look for the receive that rank {other.rank} leaves out: "
            f"source {rank.rank}, tag {rank.call.tag}.",
        )
