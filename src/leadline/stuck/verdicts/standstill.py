"""All ranks wait in MPI for so long that none will go on, without a simpler reason."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import WORLD, Job, described, numbers
from leadline.stuck.messages import matches, pairs

GRAVITY = 70
LAST = True
_LONG_S = 5.0


def find(job: Job) -> Iterator[Hang]:
    """Tell of ranks in different calls, none of which can end before another one."""
    waiting = job.waiting
    if not job.calls_known or not job.all_wait or not waiting:
        return
    if any((rank.call.since_s or 0.0) < _LONG_S for rank in waiting):
        return
    if len({(rank.call.function, rank.call.communicator) for rank in waiting}) < 2:
        return
    if any(matches(sender, receiver) for sender, receiver in pairs(job)):
        return
    # Collectives among few ranks may be slow, each by itself.
    if all(rank.call.is_collective and rank.call.communicator != WORLD for rank in waiting):
        return
    yield Hang(
        ranks=numbers(waiting),
        text=f"All ranks wait in {job.api}, in different calls, and none goes on.",
        evidence=described(waiting),
        fix="Compare the calls: which rank does not send what another one waits for?",
    )
