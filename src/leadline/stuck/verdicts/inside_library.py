"""All ranks are in the same call, with the same arguments, and it does not end."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import Job, ago, described, numbers

GRAVITY = 72
LAST = True
# Longer than any collective that one waits for in peace.
_LONG_S = 60.0


def find(job: Job) -> Iterator[Hang]:
    """Tell of a call that all ranks have entered, and that has lasted for a minute."""
    waiting = job.waiting
    if not job.calls_known or not job.all_wait or len(waiting) != job.size or job.size < 2:
        return
    if (
        len({(each.call.function, each.call.communicator, each.call.number) for each in waiting})
        > 1
    ):
        return
    since = min(rank.call.since_s or 0.0 for rank in waiting)
    call = waiting[0].call
    if not call.is_collective or since < _LONG_S:
        return
    yield Hang(
        ranks=numbers(waiting),
        text=f"All ranks are in {call.function} for {ago(since)}, and none is missing: "
        "likely the library or the network.",
        evidence=described(waiting),
        fix="Look for a network that has failed, and start the job with another MPI or transport.",
    )
