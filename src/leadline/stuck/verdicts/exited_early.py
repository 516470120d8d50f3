"""Ranks that have left the program or MPI while other ranks still call each other."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import (
    ENDS,
    EXITED,
    FINALISED,
    Job,
    Rank,
    capital,
    described,
    named,
    numbers,
)

GRAVITY = 14
ALWAYS = True


def find(job: Job) -> Iterator[Hang]:
    """Tell of ranks that are finished, of which ranks in MPI still want something."""
    exited = [rank for rank in job.ranks if rank.state == EXITED]
    left = [rank for rank in job.ranks if not rank.has_ended and not rank.is_dead]
    if exited and left:
        yield _hang(job, exited, f"left the program without {exited[0].end}")
        return
    waiting = [rank for rank in job.waiting if rank.call.function not in ENDS]
    wanted = [rank for rank in waiting if rank.call.is_collective and rank.call.communicator == 0]
    finished = [
        rank
        for rank in job.ranks
        if rank.state == FINALISED or (rank.waits and rank.call.function in ENDS)
    ]
    if wanted and finished and not job.moved:
        yield _hang(job, finished, f"come to {finished[0].end}")


def _hang(job: Job, gone: list[Rank], did: str) -> Hang:
    waiting = [rank for rank in job.waiting if rank not in gone]
    have = "has" if len(gone) == 1 else "have"
    need = f", and {named(waiting)} still {_wait(len(waiting))} in {job.api}" if waiting else ""
    return Hang(
        ranks=numbers(gone),
        missing=numbers(gone),
        text=f"{capital(named(gone))} {have} {did}{need}.",
        evidence=described(waiting),
        fix=f"Find the return or exit by which {named(gone)} ended before these calls.",
    )


def _wait(count: int) -> str:
    return "waits" if count == 1 else "wait"
