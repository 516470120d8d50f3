"""Ranks that wait for the end of requests whose other side never begins."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import WAIT, Job, Rank, described, named, numbers
from leadline.stuck.messages import unmet
from leadline.stuck.whereabouts import whereabouts

GRAVITY = 44


def find(job: Job) -> Iterator[Hang]:
    """Tell of requests whose other ranks have ended or wait in something else."""
    for rank in job.waiting:
        if rank.call.kind != WAIT:
            continue
        if others := unmet(job, rank):
            yield _hang(rank, others)


def _hang(rank: Rank, others: list[Rank]) -> Hang:
    away = (
        f"rank {others[0].rank}, which {whereabouts(others[0])}"
        if len(others) == 1
        else f"{named(others)}, which are elsewhere"
    )
    requests = "a request" if len(others) == 1 else "requests"
    missing = {other.rank for other in others}
    kinds = {
        "send" if each.receives else "receive"
        for each in rank.call.awaiting
        if each.peer in missing and not each.has_begun
    }
    tags = sorted(
        {each.tag for each in rank.call.awaiting if each.peer in missing and each.tag >= 0}
    )
    told = f", tag {', '.join(map(str, tags))}" if tags else ""
    return Hang(
        ranks=numbers([rank, *others]),
        missing=numbers(others),
        text=f"Rank {rank.rank} waits in {rank.call.function} for {requests} with {away}.",
        evidence=described([rank, *others]),
        fix=f"Look for the {' or '.join(sorted(kinds))} that {named(others)} "
        f"{'leaves' if len(others) == 1 else 'leave'} out: rank {rank.rank}{told}.",
    )
