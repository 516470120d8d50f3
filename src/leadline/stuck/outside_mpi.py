"""Ranks that are in their own code while other ranks wait in MPI."""

from leadline.stuck.job import Job, Rank


def held_up(job: Job) -> list[Rank]:
    """Return the ranks that keep those waiting who are in MPI.

    Where calls are not known a rank counts that no thread of which has run during the look: ranks
    in MPI poll.
    """
    if not job.calls_known:
        quiet = [rank for rank in job.ranks if rank.process and rank.process.busy < 0.02]
        return quiet if len(quiet) < len(job.ranks) else []
    return [rank for rank in job.ranks if rank.is_overdue] if job.waiting else []


def places(ranks: list[Rank]) -> tuple[str, ...]:
    """Return a line with the innermost functions of each rank whose stack is known."""
    return tuple(
        f"rank {rank.rank} is in {' < '.join(rank.process.stack[:4])}"
        for rank in ranks
        if rank.process and rank.process.stack
    )
