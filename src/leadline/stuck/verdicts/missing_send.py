"""Ranks that wait for a message that no rank sends."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import ANYONE, RECEIVE, Job, Rank, described, numbers
from leadline.stuck.messages import is_away, unserved
from leadline.stuck.whereabouts import whereabouts

GRAVITY = 42


def find(job: Job) -> Iterator[Hang]:
    """Tell of receives whose sender has ended or waits in something else."""
    for rank, other in unserved(job, RECEIVE):
        yield Hang(
            ranks=numbers([rank, other]),
            missing=numbers([other]),
            text=f"Rank {rank.rank} waits in {rank.call.function} for rank {other.rank}, which "
            f"{whereabouts(other)}.",
            evidence=described([rank, other]),
            fix=f"Look for the send that rank {other.rank} leaves out, "
            f"or that has another tag or communicator: {_wanted(rank)}.",
        )
    for rank in job.waiting:
        if rank.call.kind != RECEIVE or rank.call.peer != ANYONE:
            continue
        rest = [other for other in job.ranks if other is not rank]
        if rest and len(job.ranks) == job.size and all(is_away(job, other) for other in rest):
            yield Hang(
                ranks=numbers([rank]),
                missing=numbers(rest),
                text=f"Rank {rank.rank} waits in {rank.call.function} for any rank, "
                "and no rank sends to it any more.",
                evidence=described([rank, *rest]),
                fix="Count the messages that are sent and received: one more is awaited.",
            )


def _wanted(rank: Rank) -> str:
    tag = "any tag" if rank.call.tag < 0 else f"tag {rank.call.tag}"
    return f"destination {rank.rank}, {tag}"
