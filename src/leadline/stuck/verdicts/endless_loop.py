"""Ranks that compute without an end while other ranks wait for them."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, ago, capital, described, named, numbers
from leadline.stuck.outside_mpi import held_up, places

GRAVITY = 56


def find(job: Job) -> Iterator[Hang]:
    """Tell of ranks that use a processor in their own code, for longer than they are used to."""
    if not job.calls_known:
        return
    # On a crowded host a rank that wants a processor all the time may have little of it.
    busy = [
        rank
        for rank in held_up(job)
        if rank.process and (rank.process.busy >= 0.1 or rank.process.state == "R")
    ]
    if not busy:
        return
    first = busy[0]
    pause = first.usual_pause_s
    usual = f", and called {job.api} every {ago(pause)} before" if pause and pause >= 0.1 else ""
    yield Hang(
        ranks=numbers(busy),
        missing=numbers(busy),
        text=f"{capital(named(busy))} {'computes' if len(busy) == 1 else 'compute'} without a call "
        f"for {ago(first.call.since_s)}{usual}: likely an endless loop.",
        evidence=(*places(busy), *described(job.waiting)),
        fix=f"gdb -p {first.pid} -batch -ex backtrace",
    )
