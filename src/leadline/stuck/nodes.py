"""A job of several nodes, on each of which a watcher asks where its ranks stand.

Each node leaves in a folder what was seen of its ranks, and the first one judges all of them. See
runtime/explain/watch/meeting.hpp for the folder.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from leadline.site.hardware.files import Files
from leadline.store.disk import replacing
from leadline.stuck.children import Children
from leadline.stuck.current import node_files
from leadline.stuck.hang import Hang
from leadline.stuck.job import PHASE_S, RUNNING, Job, Rank
from leadline.stuck.report import StuckJob, report
from leadline.stuck.watch import watch

_SUFFIX = ".ranks"
# What nobody is told who has not asked: a rank that computes moves, and one of another host may.
_MOVING = ("endless_loop", "elsewhere")
# What may go on by itself has longer: who gives the input, or much data for all, may be slow.
_LONGER_S = {"waits_for_input": PHASE_S, "inside_library": 10 * PHASE_S}


def judge_node(
    folder: Path,
    files: Files,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> StuckJob | None:
    """Return what surely keeps a job from going on; `folder` is that of this node.

    Whether a rank moved meanwhile its watcher knows, whether a child of one did is seen here. None
    where nothing keeps it, as far as all nodes have told, and on nodes other than the first, which
    tell. Raises `UserError` where no rank of this node runs.
    """
    nodes = node_files(folder)
    standings = [each for node in nodes for each in node.standings()]
    for node in nodes:
        node.close()
    outside = [each.pid for each in standings if each.state == RUNNING and not each.call.function]
    children = Children(files, outside, clock)
    # Without a debugger, which would hold a rank.
    job = watch(str(folder), files, sleep=sleep, ask=lambda *_: {}, clock=clock)
    if job.moved or Children(files, outside, clock).worked_since(children):
        return None
    if len(job.ranks) < job.size:
        if own := nodes[0].node:
            _put(folder.parent / f"node-{own}-{len(job.ranks)}{_SUFFIX}", job.ranks)
            return None
        job = msgspec.structs.replace(job, ranks=_all_ranks(job, folder.parent))
        if len(job.ranks) < job.size:
            return None
    found = report(job, lambda hang: _is_told(job, hang))
    return found if found.is_stuck else None


def _is_told(job: Job, hang: Hang) -> bool:
    ranks = [rank for rank in job.ranks if rank.rank in hang.ranks]
    lasts = min((rank.call.since_s or 0.0 for rank in ranks), default=0.0)
    return hang.kind not in _MOVING and lasts >= _LONGER_S.get(hang.kind, 0.0)


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
