"""In which order jobs are shown, and which of those that wait is next."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from leadline.model.jobs import Job

_PHASES = ("running", "ending", "suspended", "waiting")


def in_turn(waiting: Iterable[Job]) -> list[Job]:
    """Return jobs that wait, the next one first, with their position in their queue.

    A job that asks for several queues has its best position of them.
    """
    ahead: Counter[str] = Counter()
    placed = []
    for job in waiting:
        queues = job.queue.split(",")
        position = 1 + min(ahead[queue] for queue in queues)
        ahead.update(queues)
        placed.append(msgspec.structs.replace(job, position=position))
    return placed


def sorted_jobs(jobs: Iterable[Job]) -> tuple[Job, ...]:
    """Return the jobs as `Source.jobs` promises them; equals stay in the order given."""

    def place(job: Job) -> tuple[int, float]:
        return _PHASES.index(job.phase), float("inf") if job.position is None else job.position

    return tuple(sorted(jobs, key=place))
