"""Ranks that wait for a file system while other ranks wait for them."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import FILES, Job, capital, described, named, numbers
from leadline.stuck.outside_mpi import held_up

GRAVITY = 52


def find(job: Job) -> Iterator[Hang]:
    """Tell of ranks that the kernel holds in a request to a device or a server."""
    held = [rank for rank in held_up(job) if rank.process and rank.process.state == "D"]
    held += [
        rank
        for rank in job.waiting
        if rank.call.kind == FILES and rank.process and rank.process.state == "D"
    ]
    if not held:
        return
    waits = {rank.process.waits for rank in held if rank.process and rank.process.waits}
    yield Hang(
        ranks=numbers(held),
        missing=numbers(held),
        text=f"{capital(named(held))} {'waits' if len(held) == 1 else 'wait'} for a file system "
        "(state D).",
        evidence=(*(f"in the kernel: {each}" for each in sorted(waits)), *described(job.waiting)),
        fix=f"ls -l /proc/{held[0].pid}/fd",
    )
