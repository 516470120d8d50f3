"""Ranks that wait for input while other ranks wait for them."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, capital, described, named, numbers
from leadline.stuck.outside_mpi import held_up

GRAVITY = 50


def find(job: Job) -> Iterator[Hang]:
    """Tell of ranks that read from a terminal, a pipe or a connection which gives nothing."""
    reading = [rank for rank in held_up(job) if rank.process and rank.process.reads]
    if not reading:
        return
    first = reading[0].process
    assert first
    yield Hang(
        ranks=numbers(reading),
        missing=numbers(reading),
        text=f"{capital(named(reading))} {'waits' if len(reading) == 1 else 'wait'} for input from "
        f"{first.reads}.",
        evidence=described([*reading, *job.waiting]),
        fix="Give the program its input: add `< FILE` to the launcher, which serves rank 0 alone."
        if "standard input" in first.reads
        else f"Find out who should write to {first.reads}.",
    )
