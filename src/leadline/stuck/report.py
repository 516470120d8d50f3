"""The answer to `leadline stuck`, as the shape that `--json` prints."""

from collections.abc import Callable

import msgspec

from leadline.stuck.hang import Hang
from leadline.stuck.job import ABORTED, ANYONE, EXITED, FINALISED, Job, Rank, ago, named, subject
from leadline.stuck.rules import find_hangs

MOVES, UNKNOWN = "moves", "unknown"


class StuckRank(msgspec.Struct, frozen=True, kw_only=True):
    """Where a rank is. `call` is empty in its own code, `communicator` where it is not known.

    `peer`, `tag` and `root` are null where the call has none, `peer` is "any" for a wildcard.
    `process` is what its process does, `waits` in which system call it is all the time, `stack` its
    functions, the innermost first, where a debugger told them.
    """

    rank: int
    call: str
    communicator: str
    since_s: float | None
    number: int | None
    place: str
    peer: int | str | None
    tag: int | None
    root: int | None
    bytes: int | None
    moved: bool
    process: str
    waits: str
    host: str
    pid: int
    stack: tuple[str, ...]


class StuckJob(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in a look at a job.

    `verdict` is the kind of the first finding, `moves` where the job goes on, `unknown` where
    nothing was found and nothing shows that it does. `missing` are the ranks that are waited for.
    `source` is `recording` or `outside`. Of a job that `has_ended`, it is of that moment.
    """

    ranks: tuple[StuckRank, ...]
    verdict: str
    missing: tuple[int, ...]
    text: str
    findings: tuple[Hang, ...]
    source: str
    seconds: float
    size: int
    library: str
    recording: str
    has_ended: bool = False
    not_judged: tuple[str, ...] = ()

    @property
    def is_stuck(self) -> bool:
        """Whether a reason was found for which the job does not go on."""
        return bool(self.findings)


def report(job: Job, is_told: Callable[[Hang], bool] = lambda _: True) -> StuckJob:
    """Return the answer for what was seen of a job, with the findings that are to be told."""
    found, failed = find_hangs(job)
    hangs = tuple(filter(is_told, found))
    if hangs:
        verdict, text = hangs[0].kind, hangs[0].text
    else:
        verdict = MOVES if job.calls_known and (job.moved or _outside(job)) else UNKNOWN
        text = _not_stuck(job)
    missing = sorted({rank for hang in hangs[:1] for rank in hang.missing})
    return StuckJob(
        ranks=tuple(_rank(rank, has_ended=job.has_ended) for rank in job.ranks),
        verdict=verdict,
        missing=tuple(missing),
        text=text,
        findings=hangs,
        source="recording" if job.calls_known else "outside",
        seconds=round(job.seconds, 2),
        size=job.size,
        library=job.library,
        recording=job.recording,
        has_ended=job.has_ended,
        not_judged=failed,
    )


def _not_stuck(job: Job) -> str:
    if not job.calls_known:
        return "nothing is stopped or dead; whether the job is stuck cannot be seen from outside."
    if job.has_ended and job.moved:
        return f"not stuck: {named(job.moved)} had come there less than a second before."
    if job.moved:
        still = [rank for rank in job.ranks if rank.waits]
        rest = f"; {named(still)} stayed in a call" if still else ""
        return f"not stuck: {named(job.moved)} went on within {job.seconds:.1f} s{rest}."
    if outside := _outside(job):
        lasts = max((rank.call.since_s or 0.0 for rank in outside), default=0.0)
        waiting = f", and {named(job.waiting)} waited" if job.waiting else ""
        return f"not stuck so far: {subject(outside, 'computes')} for {ago(lasts)}{waiting}."
    return "no answer: no rank went on, and each may still be at work in its call: look again."


def _outside(job: Job) -> list[Rank]:
    return [rank for rank in job.ranks if rank.is_in_own_code]


def _rank(rank: Rank, *, has_ended: bool) -> StuckRank:
    call = rank.call
    return StuckRank(
        rank=rank.rank,
        call=call.function,
        communicator=call.on,
        since_s=None if call.since_s is None else round(call.since_s, 3),
        number=call.number if call.is_numbered else None,
        place=call.place,
        peer=("any" if call.peer == ANYONE else call.peer) if call.is_message else None,
        tag=call.tag if call.is_message and call.tag >= 0 else None,
        root=call.root if call.function and call.root >= 0 else None,
        bytes=call.bytes if call.communicator is not None else None,
        moved=rank.moved,
        process="ended" if has_ended and not rank.has_ended else process_text(rank),
        waits=rank.seen.waits,
        host=rank.host,
        pid=rank.pid,
        stack=rank.seen.stack,
    )


def process_text(rank: Rank) -> str:
    """Return what the process of a rank does, in few words."""
    ended = {FINALISED: "finalised", EXITED: "exited", ABORTED: "aborted"}
    process = rank.seen
    words = {
        ended.get(rank.state, ""): rank.has_ended,
        "elsewhere": rank.process is None,
        "dead": process.is_gone,
        "stopped": process.is_stopped,
        "state D": process.state == "D",
        "reads": bool(process.reads),
        f"busy {min(100 * process.busy, 100):.0f} %": process.busy >= 0.1,
    }
    return next((word for word, holds in words.items() if holds), "sleeps")
