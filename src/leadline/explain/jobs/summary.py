"""One job in a few numbers: what its ranks lost to what, and who is to blame for most of it."""

from __future__ import annotations

import statistics
import textwrap
from collections import Counter, defaultdict

from leadline.explain.bounds import Bounds
from leadline.explain.case import about_s, percent_of, rank_words
from leadline.explain.job_file import ABORTED, Job
from leadline.explain.lateness import Lateness, lateness
from leadline.explain.owners import RankTime, owners_of
from leadline.explain.recording import ABORT, SET_UP, Recording, Unfinished
from leadline.model.job_report import LOSSES, CoreTime, JobState, JobSummary, Loss

# A running job writes again when it is a quarter older, after so long at most; then it is missed.
_WRITES_S, _PATIENCE_S = 600.0, 300.0
_NO_BOUNDS = Bounds()
_HALF = 0.5
_LONGEST = 100


def summarise(job: Job, now: float) -> JobSummary:
    """Return the summary of a job; `now` are seconds since the epoch."""
    recording = job.recording
    times = [owners_of(rank, _NO_BOUNDS)[0] for rank in recording.ranks]
    state = _state(job, now)
    time = _core_time(recording, times)
    if state in ("unended", "aborted"):
        time.unended_s = time.computing_s + time.transfer_s
        time.computing_s = time.transfer_s = 0.0
    late = lateness(recording, times)
    node = _late_node(recording, times, late)
    hosts = {rank.node: rank.host for rank in recording.ranks}
    on_host = Counter(rank.node for rank in recording.ranks)
    calls = sum(rank.calls for rank in recording.ranks)
    lost_to = largest_loss(time)
    cause = ""
    if state in ("unended", "aborted"):
        lost_to, cause = "unended", _end_words(job, state)
    elif lost_to:
        cause = _cause(lost_to, time, late, hosts.get(node, "") if node is not None else "")
    if job.slow and lost_to != "unended":
        cause = ", ".join(filter(None, (cause, _slow_words(job))))
    return JobSummary(
        path=job.path,
        user=job.user,
        job=job.job,
        step=job.step,
        program=job.program,
        library=job.recording.library,
        began=job.began,
        wall_s=recording.seconds,
        ranks=recording.ranks_total,
        hosts=tuple(hosts.values()),
        host_ranks=tuple(on_host[node] for node in hosts),
        state=state,
        time=time,
        lost_to=lost_to,
        cause=cause,
        late_node=hosts[node] if node is not None else "",
        calls=calls / len(recording.ranks),
        call_bytes=sum(row.bytes for row in recording.rows) / calls if calls else 0.0,
    )


def largest_loss(time: CoreTime) -> Loss | None:
    """Return what most was lost to, None where nothing was."""
    most = max(LOSSES, key=time.lost_to)
    return most if time.lost_to(most) > 0 else None


def _state(job: Job, now: float) -> JobState:
    if job.is_aborted:
        return "aborted"
    if job.is_gone or (job.is_open and job.stuck):
        return "unended"
    if not job.is_open:
        return "ended"
    due_s = job.written + min(job.recording.seconds, _WRITES_S) + _PATIENCE_S
    return "running" if now < due_s else "unended"


def _core_time(recording: Recording, times: list[RankTime]) -> CoreTime:
    found = CoreTime()
    for rank, time in zip(recording.ranks, times, strict=True):
        files = min(rank.files_s, time.transfer_s)
        begun = sum(row.own_s for row in rank.rows if row.function.kind == SET_UP)
        set_up = min(begun, time.transfer_s - files)
        found.seconds += time.seconds
        found.computing_s += time.computing_s
        found.waiting_s += time.waiting_s
        found.files_s += files
        found.set_up_s += set_up
        found.transfer_s += time.transfer_s - files - set_up
    return found


def _late_node(recording: Recording, times: list[RankTime], late: Lateness) -> int | None:
    """Return the node of which all ranks are late, None where there is none, or only one node."""
    on_node: dict[int, list[RankTime]] = defaultdict(list)
    for rank, time in zip(recording.ranks, times, strict=True):
        on_node[rank.node].append(time)
    if len(on_node) < 2:
        return None
    if late.verdict == "node":
        return late.node
    if not late.calls and late.verdict in ("rank", "none"):
        # For whom ranks wait is not known: one rank of such a node is as late as the others.
        return _by_work(on_node)
    if late.verdict == "rank":
        for node, ranks in on_node.items():
            if {time.rank for time in ranks} == set(late.ranks):
                return node
    return None


def _by_work(on_node: dict[int, list[RankTime]]) -> int | None:
    """Return the node whose ranks all compute longer by half of what others wait, and wait less."""
    computing = {n: min(t.computing_s for t in each) for n, each in on_node.items()}
    waiting = {n: statistics.mean(t.waiting_s for t in each) for n, each in on_node.items()}
    node = max(computing, key=lambda each: (computing[each], -each))
    rest = [each for each in computing if each != node]
    waits = statistics.median(waiting[each] for each in rest)
    longer = computing[node] - statistics.median(computing[each] for each in rest)
    return node if longer >= _HALF * waits > 0 and waiting[node] <= _HALF * waits else None


def _cause(lost_to: Loss, time: CoreTime, late: Lateness, node: str) -> str:
    part = percent_of(time.lost_to(lost_to), time.seconds)
    if lost_to != "waiting":
        return f"{'files' if lost_to == 'files' else 'set-up'} {part}"
    return f"{_late_words(late, node)} {part}"


def _late_words(late: Lateness, node: str) -> str:
    if node:
        return f"node {node} late"
    if late.ranks:
        words = rank_words(late.ranks)
        return f"{words[:1].lower()}{words[1:]} late"
    return {"noise": "another rank late each time", "chain": "ranks take turns"}.get(
        late.verdict, "late ranks"
    )


def _slow_words(job: Job) -> str:
    """Return which node was slow for longest."""
    end = job.began + job.recording.seconds
    node = max(job.slow, key=lambda each: (each.until or end) - each.since)
    seconds = (node.until or end) - node.since
    return f"node {node.host} {node.factor:.1f}x slower for {about_s(max(seconds, 0.0))}"


def _end_words(job: Job, state: JobState) -> str:
    if state == "aborted":
        aborted = [rank.rank for rank in job.recording.ranks if rank.state == ABORTED]
        words = rank_words(aborted)
        return f"{words[:1].lower()}{words[1:]} called {ABORT[job.recording.api]}"
    if job.stuck:
        words = job.stuck[:1].lower() + job.stuck[1:]
        return textwrap.shorten(words, _LONGEST, placeholder=" ...")
    calls: dict[str, list[Unfinished]] = defaultdict(list)
    for rank in job.recording.ranks:
        if (last := rank.unfinished) and last.waits:
            calls[f"{last.function.name}{f' at {last.where}' if last.where else ''}"].append(last)
    if not calls:
        return f"did not end: seen for {about_s(job.recording.seconds)}"
    call, ranks = max(calls.items(), key=lambda item: len(item[1]))
    number = f"{len(ranks)} rank{'' if len(ranks) == 1 else 's'}"
    return f"did not end: {number} in {call}"
