"""A job of several nodes, on each of which a watcher asks where its ranks stand.

Each node leaves in a folder what was seen of its ranks, and the first one judges all of them. See
runtime/explain/watch/meeting.hpp for the folder.
"""

import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from leadline.site.hardware.files import Files
from leadline.store.disk import replacing
from leadline.stuck.current import node_files
from leadline.stuck.glance import Glances
from leadline.stuck.job import Job, Rank
from leadline.stuck.report import StuckJob, report
from leadline.stuck.watchdog import is_told, look_unasked

_SUFFIX = ".ranks"


def judge_node(
    folder: Path,
    files: Files,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> StuckJob | None:
    """Return what surely keeps a job from going on; `folder` is that of this node.

    None where nothing does, as far as all nodes have told, and on nodes other than the first, which
    tell. Raises `UserError` where no rank of this node runs.
    """
    with closing(Glances(folder, files, clock)) as glances:
        glances.take()
        job, moved = look_unasked(glances, files, sleep, clock)
    if moved:
        return None
    if len(job.ranks) < job.size:
        (node,) = node_files(folder)
        node.close()
        if node.node:
            _put(folder.parent / f"node-{node.node}-{len(job.ranks)}{_SUFFIX}", job.ranks)
            return None
        job = msgspec.structs.replace(job, ranks=_all_ranks(job, folder.parent))
        if len(job.ranks) < job.size:
            return None
    found = report(job, lambda hang: is_told(job, hang))
    return found if found.is_stuck else None


def _put(file: Path, ranks: tuple[Rank, ...]) -> None:
    with replacing(file) as partial:
        partial.write_bytes(msgspec.json.encode(ranks))


def _all_ranks(job: Job, folder: Path) -> tuple[Rank, ...]:
    """Return the ranks of a job with those that other nodes have told of."""
    ranks = list(job.ranks)
    for file in sorted(folder.glob(f"node-*{_SUFFIX}")):
        # A node that goes on takes its file away.
        with suppress(OSError, msgspec.MsgspecError):
            ranks += msgspec.json.decode(file.read_bytes(), type=tuple[Rank, ...])
    return tuple(sorted(ranks, key=lambda rank: rank.rank))
