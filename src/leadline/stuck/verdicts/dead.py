"""Ranks whose processes are gone while the launcher goes on."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import ABORTED, Job, capital, described, named, numbers

GRAVITY = 10
ALWAYS = True


def find(job: Job) -> Iterator[Hang]:
    """Tell of ranks that died without MPI_Finalize, and that their launcher did not notice."""
    dead = [rank for rank in job.ranks if rank.is_dead or rank.state == ABORTED]
    left = [rank for rank in job.ranks if not rank.has_ended and not rank.is_dead]
    if not dead or not left:
        return
    known = [rank.pid for rank in dead if rank.pid]
    are = "is" if len(dead) == 1 else "are"
    yield Hang(
        ranks=numbers(dead),
        missing=numbers(dead),
        text=f"{capital(named(dead))} {are} dead, and {named(left)} still {_run(len(left))}.",
        evidence=(
            *(f"process {pid} is gone, without {dead[0].end}" for pid in known),
            *described(rank for rank in dead if rank.call.function),
            *described(job.waiting),
        ),
        fix=f"dmesg -T | grep -E '{'|'.join(map(str, known))}'"
        if known
        else "Read the program's standard error for the last words of the rank that died.",
    )


def _run(count: int) -> str:
    return "runs" if count == 1 else "run"
