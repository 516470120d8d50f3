"""Ranks that a signal or a debugger has stopped."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, capital, described, named, numbers

GRAVITY = 12
ALWAYS = True


def find(job: Job) -> Iterator[Hang]:
    """Tell of ranks whose processes do not run because they are stopped."""
    stopped = [rank for rank in job.ranks if rank.is_stopped]
    if not stopped:
        return
    held = [rank for rank in stopped if rank.process and rank.process.tracer]
    are = "is" if len(stopped) == 1 else "are"
    by = "a debugger" if held else "a signal"
    pids = " ".join(str(rank.pid) for rank in stopped)
    tracers = " ".join(sorted({str(rank.process.tracer) for rank in held if rank.process}))
    yield Hang(
        ranks=numbers(stopped),
        missing=numbers(stopped),
        text=f"{capital(named(stopped))} {are} stopped by {by}.",
        evidence=(*described(stopped), *described(job.waiting)) if job.calls_known else (),
        fix=f"kill {tracers}" if held else f"kill -CONT {pids}",
    )
