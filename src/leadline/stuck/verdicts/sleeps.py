"""Ranks that sleep outside MPI while other ranks wait for them."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, ago, capital, described, named, numbers
from leadline.stuck.outside_mpi import held_up, places

GRAVITY = 54


def find(job: Job) -> Iterator[Hang]:
    """Tell of ranks that use no processor in their own code: a lock, a sleep, a child."""
    if not job.calls_known:
        return
    sleeping = [
        rank
        for rank in held_up(job)
        if rank.process
        and rank.process.state in ("S", "?")
        and rank.process.busy < 0.1
        and not rank.process.reads
    ]
    if not sleeping:
        return
    first = sleeping[0]
    assert first.process
    why = f": it {first.process.waits}" if first.process.waits else ""
    does = "sleeps" if len(sleeping) == 1 else "sleep"
    lasts = ago(first.call.since_s)
    yield Hang(
        ranks=numbers(sleeping),
        missing=numbers(sleeping),
        text=f"{capital(named(sleeping))} {does} outside {job.api}"
        f"{f' for {lasts}' if lasts else ''}{why}.",
        evidence=(*places(sleeping), *described(job.waiting)),
        fix=f"gdb -p {first.pid} -batch -ex 'thread apply all backtrace'",
    )
