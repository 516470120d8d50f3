"""Verdicts on ranks whose processes are gone, stopped, asleep or at work outside MPI."""

from collections.abc import Iterable, Iterator

from leadline.stuck.hang import Hang, hang
from leadline.stuck.job import (
    ABORTED,
    BUSY,
    ENDS,
    EXITED,
    FILES,
    FINALISED,
    PHASE_S,
    Job,
    Rank,
    ago,
    described,
    named,
    subject,
)


def _missing(
    job: Job, ranks: list[Rank], text: str, fix: str, evidence: Iterable[str] = ()
) -> Hang:
    """Return a finding about ranks for which those that wait in MPI wait."""
    return hang(ranks, text, fix, missing=ranks, calls=job.waiting, evidence=evidence)


def find_dead(job: Job) -> Iterator[Hang]:
    """Tell of ranks that died without MPI_Finalize, and that their launcher did not notice."""
    dead = [rank for rank in job.ranks if rank.is_dead or rank.state == ABORTED]
    left = [rank for rank in job.ranks if not rank.has_ended and not rank.is_dead]
    if not dead or not left:
        return
    pids = [rank.pid for rank in dead if rank.pid]
    gone = [f"process {pid} is gone, without {dead[0].end}" for pid in pids]
    fix = (
        f"dmesg -T | grep -E '{'|'.join(map(str, pids))}'"
        if pids
        else "Read the program's standard error for the last words of the rank that died."
    )
    last = described(rank for rank in dead if rank.call.function)
    runs = "runs" if len(left) == 1 else "run"
    text = f"{subject(dead, 'is')} dead, and {named(left)} still {runs}."
    yield _missing(job, dead, text, fix, [*gone, *last])


def find_stopped(job: Job) -> Iterator[Hang]:
    """Tell of ranks whose processes do not run because they are stopped."""
    stopped = [rank for rank in job.ranks if rank.is_stopped]
    if not stopped:
        return
    tracers = sorted({str(rank.seen.tracer) for rank in stopped if rank.seen.tracer})
    by = "a debugger" if tracers else "a signal"
    fix = f"kill {' '.join(tracers)}" if tracers else ""
    yield hang(
        stopped,
        f"{subject(stopped, 'is')} stopped by {by}.",
        fix or f"kill -CONT {' '.join(str(rank.pid) for rank in stopped)}",
        missing=stopped,
        evidence=(*described(stopped), *described(job.waiting)) if job.calls_known else (),
    )


def find_exited_early(job: Job) -> Iterator[Hang]:
    """Tell of ranks that are finished, of which ranks in MPI still want something."""
    exited = [rank for rank in job.ranks if rank.state == EXITED]
    if exited and any(not rank.has_ended and not rank.is_dead for rank in job.ranks):
        yield _ended(job, exited, f"left the program without {exited[0].end}")
        return
    wanted = [
        rank
        for rank in job.waiting
        if rank.call.function not in ENDS
        and rank.call.is_collective
        and rank.call.communicator == 0
    ]
    finished = [
        rank
        for rank in job.ranks
        if rank.state == FINALISED or (rank.waits and rank.call.function in ENDS)
    ]
    if wanted and finished and not job.moved:
        yield _ended(job, finished, f"come to {finished[0].end}")


def _ended(job: Job, gone: list[Rank], did: str) -> Hang:
    waiting = [rank for rank in job.waiting if rank not in gone]
    wait = "waits" if len(waiting) == 1 else "wait"
    need = f", and {named(waiting)} still {wait} in {job.api}" if waiting else ""
    text = f"{subject(gone, 'has')} {did}{need}."
    fix = f"Find the return or exit by which {named(gone)} ended before these calls."
    return hang(gone, text, fix, missing=gone, calls=waiting)


def find_waits_for_input(job: Job) -> Iterator[Hang]:
    """Tell of ranks that read from a terminal, a pipe or a connection which gives nothing."""
    reading = [rank for rank in held_up(job) if rank.seen.reads and _reads_for_itself(job, rank)]
    if not reading:
        return
    source = reading[0].seen.reads
    fix = (
        "Give the program its input: add `< FILE` to the launcher, which serves rank 0 alone."
        if "standard input" in source
        else f"Find out who should write to {source}."
    )
    text = f"{subject(reading, 'waits')} for input from {source}."
    yield _missing(job, reading, text, fix, described(reading))


def _reads_for_itself(job: Job, rank: Rank) -> bool:
    """Tell whether the program reads, and not its MPI, which has connections to the launcher."""
    return job.calls_known or bool(rank.seen.stack) or "socket:" not in rank.seen.reads


def find_waits_for_files(job: Job) -> Iterator[Hang]:
    """Tell of ranks that the kernel holds in a request to a device or a server."""
    in_files = (rank for rank in job.waiting if rank.call.kind == FILES)
    long = (rank for rank in in_files if (rank.call.since_s or 0.0) >= PHASE_S)
    candidates = [*held_up(job), *long]
    held = [rank for rank in candidates if rank.seen.state == "D"]
    if held:
        places = sorted({rank.seen.waits for rank in held if rank.seen.waits})
        text = f"{subject(held, 'waits')} for a file system (state D)."
        evidence = [f"in the kernel: {place}" for place in places]
        yield _missing(job, held, text, f"ls -l /proc/{held[0].pid}/fd", evidence)


def find_sleeps(job: Job) -> Iterator[Hang]:
    """Tell of ranks that use no processor in their own code: a lock, a sleep, a child."""
    sleeping = [
        rank
        for rank in held_up(job)
        if rank.seen.state in ("S", "?") and rank.seen.busy < BUSY and not rank.seen.reads
    ]
    if not sleeping or not job.calls_known:
        return
    first = sleeping[0]
    why = f": it {first.seen.waits}" if first.seen.waits else ""
    lasts = f" for {ago(first.call.since_s)}" if first.call.since_s is not None else ""
    text = f"{subject(sleeping, 'sleeps')} outside {job.api}{lasts}{why}."
    fix = f"gdb -p {first.pid} -batch -ex 'thread apply all backtrace'"
    yield _missing(job, sleeping, text, fix, _places(sleeping))


def find_endless_loop(job: Job) -> Iterator[Hang]:
    """Tell of ranks that use a processor in their own code, for longer than they are used to."""
    # On a crowded host a rank that wants a processor all the time may have little of it.
    busy = [rank for rank in held_up(job) if rank.seen.busy >= BUSY or rank.seen.state == "R"]
    if not busy or not job.calls_known:
        return
    first = busy[0]
    pause = first.usual_pause_s
    usual = f", and called {job.api} every {ago(pause)} before" if pause and pause >= 0.1 else ""
    text = (
        f"{subject(busy, 'computes')} without a call for {ago(first.call.since_s)}{usual}: an "
        "endless loop, or a phase much longer than those before."
    )
    yield _missing(job, busy, text, f"gdb -p {first.pid} -batch -ex backtrace", _places(busy))


# How long that rank has been there is not known here; so long have those waited that are here.
_LONG_S = 30.0


def find_elsewhere(job: Job) -> Iterator[Hang]:
    """Tell of ranks that are in no call, and whose processes cannot be seen from here."""
    outside = [rank for rank in job.ranks if rank.is_in_own_code]
    longest_s = max((rank.call.since_s or 0.0 for rank in job.waiting), default=0.0)
    if not outside or any(rank.process for rank in outside) or longest_s < _LONG_S:
        return
    hosts = ", ".join(sorted({rank.host for rank in outside}))
    text = (
        f"{named(outside)} on {hosts} {'is' if len(outside) == 1 else 'are'} in no call of "
        f"{job.api}, and {subject(job.waiting, 'waits')}."
    )
    fix = f"ssh {outside[0].host} leadline stuck {outside[0].pid}"
    yield _missing(job, outside, text, fix)


def held_up(job: Job) -> list[Rank]:
    """Return the ranks on this host that keep those waiting who are in MPI.

    Where calls are not known a rank counts that no thread of which has run during the look, and
    whose first one has not woken up: ranks in MPI poll.
    """
    if not job.calls_known:
        there = [rank for rank in job.ranks if rank.process and not rank.process.wakes]
        quiet = [rank for rank in there if rank.seen.busy < 0.02]
        return quiet if len(quiet) < len(job.ranks) else []
    at_the_end = all(rank.call.function in ENDS for rank in job.waiting)
    overdue = [rank for rank in job.ranks if rank.process and rank.is_overdue(at_the_end)]
    return overdue if job.waiting else []


def _places(ranks: list[Rank]) -> list[str]:
    """Return a line with the innermost functions of each rank whose stack is known."""
    return [
        f"rank {rank.rank} is in {' < '.join(rank.seen.stack[:4])}"
        for rank in ranks
        if rank.seen.stack
    ]
