"""Verdicts on ranks whose processes are gone, stopped, asleep or at work outside MPI."""

from collections.abc import Iterator

from leadline.stuck.hang import Hang
from leadline.stuck.job import (
    ABORTED,
    ENDS,
    EXITED,
    FILES,
    FINALISED,
    Job,
    Rank,
    ago,
    capital,
    described,
    named,
    numbers,
)


def find_dead(job: Job) -> Iterator[Hang]:
    """Tell of ranks that died without MPI_Finalize, and that their launcher did not notice."""
    dead = [rank for rank in job.ranks if rank.is_dead or rank.state == ABORTED]
    left = [rank for rank in job.ranks if not rank.has_ended and not rank.is_dead]
    if not dead or not left:
        return
    known = [rank.pid for rank in dead if rank.pid]
    are = "is" if len(dead) == 1 else "are"
    yield Hang(
        ranks=numbers(dead),
        missing=numbers(dead),
        text=f"{capital(named(dead))} {are} dead, and {named(left)} still {_run(len(left))}.",
        evidence=(
            *(f"process {pid} is gone, without {dead[0].end}" for pid in known),
            *described(rank for rank in dead if rank.call.function),
            *described(job.waiting),
        ),
        fix=f"dmesg -T | grep -E '{'|'.join(map(str, known))}'"
        if known
        else "Read the program's standard error for the last words of the rank that died.",
    )


def _run(count: int) -> str:
    return "runs" if count == 1 else "run"


def find_stopped(job: Job) -> Iterator[Hang]:
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


def find_exited_early(job: Job) -> Iterator[Hang]:
    """Tell of ranks that are finished, of which ranks in MPI still want something."""
    exited = [rank for rank in job.ranks if rank.state == EXITED]
    left = [rank for rank in job.ranks if not rank.has_ended and not rank.is_dead]
    if exited and left:
        yield _hang(job, exited, f"left the program without {exited[0].end}")
        return
    waiting = [rank for rank in job.waiting if rank.call.function not in ENDS]
    wanted = [rank for rank in waiting if rank.call.is_collective and rank.call.communicator == 0]
    finished = [
        rank
        for rank in job.ranks
        if rank.state == FINALISED or (rank.waits and rank.call.function in ENDS)
    ]
    if wanted and finished and not job.moved:
        yield _hang(job, finished, f"come to {finished[0].end}")


def _hang(job: Job, gone: list[Rank], did: str) -> Hang:
    waiting = [rank for rank in job.waiting if rank not in gone]
    have = "has" if len(gone) == 1 else "have"
    need = f", and {named(waiting)} still {_wait(len(waiting))} in {job.api}" if waiting else ""
    return Hang(
        ranks=numbers(gone),
        missing=numbers(gone),
        text=f"{capital(named(gone))} {have} {did}{need}.",
        evidence=described(waiting),
        fix=f"Find the return or exit by which {named(gone)} ended before these calls.",
    )


def _wait(count: int) -> str:
    return "waits" if count == 1 else "wait"


def find_waits_for_input(job: Job) -> Iterator[Hang]:
    """Tell of ranks that read from a terminal, a pipe or a connection which gives nothing."""
    reading = [rank for rank in held_up(job) if rank.process and rank.process.reads]
    if not reading:
        return
    first = reading[0].process
    assert first
    yield Hang(
        ranks=numbers(reading),
        missing=numbers(reading),
        text=f"{capital(named(reading))} {'waits' if len(reading) == 1 else 'wait'} for input from "
        f"{first.reads}.",
        evidence=described([*reading, *job.waiting]),
        fix="Give the program its input: add `< FILE` to the launcher, which serves rank 0 alone."
        if "standard input" in first.reads
        else f"Find out who should write to {first.reads}.",
    )


def find_waits_for_files(job: Job) -> Iterator[Hang]:
    """Tell of ranks that the kernel holds in a request to a device or a server."""
    held = [rank for rank in held_up(job) if rank.process and rank.process.state == "D"]
    held += [
        rank
        for rank in job.waiting
        if rank.call.kind == FILES and rank.process and rank.process.state == "D"
    ]
    if not held:
        return
    waits = {rank.process.waits for rank in held if rank.process and rank.process.waits}
    yield Hang(
        ranks=numbers(held),
        missing=numbers(held),
        text=f"{capital(named(held))} {'waits' if len(held) == 1 else 'wait'} for a file system "
        "(state D).",
        evidence=(*(f"in the kernel: {each}" for each in sorted(waits)), *described(job.waiting)),
        fix=f"ls -l /proc/{held[0].pid}/fd",
    )


def find_sleeps(job: Job) -> Iterator[Hang]:
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


def find_endless_loop(job: Job) -> Iterator[Hang]:
    """Tell of ranks that use a processor in their own code, for longer than they are used to."""
    if not job.calls_known:
        return
    # On a crowded host a rank that wants a processor all the time may have little of it.
    busy = [
        rank
        for rank in held_up(job)
        if rank.process and (rank.process.busy >= 0.1 or rank.process.state == "R")
    ]
    if not busy:
        return
    first = busy[0]
    pause = first.usual_pause_s
    usual = f", and called {job.api} every {ago(pause)} before" if pause and pause >= 0.1 else ""
    yield Hang(
        ranks=numbers(busy),
        missing=numbers(busy),
        text=f"{capital(named(busy))} {'computes' if len(busy) == 1 else 'compute'} without a call "
        f"for {ago(first.call.since_s)}{usual}: likely an endless loop.",
        evidence=(*places(busy), *described(job.waiting)),
        fix=f"gdb -p {first.pid} -batch -ex backtrace",
    )


# How long that rank has been there is not known here; so long have those waited that are here.
_LONG_S = 30.0


def find_elsewhere(job: Job) -> Iterator[Hang]:
    """Tell of ranks that are in no call, and whose processes cannot be seen from here."""
    waiting = job.waiting
    away = [rank for rank in job.ranks if rank.is_in_own_code and rank.process is None]
    here = [rank for rank in job.ranks if rank.is_in_own_code and rank.process is not None]
    if not away or here or max((rank.call.since_s or 0.0 for rank in waiting), default=0) < _LONG_S:
        return
    hosts = ", ".join(sorted({rank.host for rank in away}))
    yield Hang(
        ranks=numbers(away),
        missing=numbers(away),
        text=f"{capital(named(away))} on {hosts} {'is' if len(away) == 1 else 'are'} in no call of "
        f"{job.api}, and {named(waiting)} {'waits' if len(waiting) == 1 else 'wait'}.",
        evidence=described(waiting),
        fix=f"ssh {away[0].host} leadline stuck {away[0].pid}",
    )


def held_up(job: Job) -> list[Rank]:
    """Return the ranks that keep those waiting who are in MPI.

    Where calls are not known a rank counts that no thread of which has run during the look: ranks
    in MPI poll.
    """
    if not job.calls_known:
        quiet = [rank for rank in job.ranks if rank.process and rank.process.busy < 0.02]
        return quiet if len(quiet) < len(job.ranks) else []
    return [rank for rank in job.ranks if rank.is_overdue] if job.waiting else []


def places(ranks: list[Rank]) -> tuple[str, ...]:
    """Return a line with the innermost functions of each rank whose stack is known."""
    return tuple(
        f"rank {rank.rank} is in {' < '.join(rank.process.stack[:4])}"
        for rank in ranks
        if rank.process and rank.process.stack
    )
