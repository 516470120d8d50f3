"""The folder of all jobs: FOLDER/YYYY/MM/DD/NAME.job, which everybody may write to."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, date, datetime, timedelta
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple

from leadline.core.errors import UserError
from leadline.explain.job_file import SUFFIX, Stamp, read_job, stamp_of
from leadline.explain.jobs.summary import summarise
from leadline.model.job_report import JobSummary, RefusedFiles

# All may write to a day's folder, each only to his own files there; its group may read.
_MODE = 0o3773
_DAYS = 400
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_DEPTH = 3
_NUMBER = re.compile(r"\d{2}|\d{4}", re.ASCII)
_DAY = re.compile(r"(\d{4})/(\d{2})/(\d{2})$", re.ASCII)
# So many files are worth more processes, and so many go back at once.
_MANY, _BATCH, PROCESSES = 600, 50, 8


# The stamp of a file and its job, or what is wrong with it.
_Read = tuple[Stamp, JobSummary] | str


class Found(NamedTuple):
    """The jobs of a folder, the earliest first, and what was refused.

    `new` are those that were read now and will not change, by their files.
    """

    jobs: list[JobSummary]
    refused: RefusedFiles
    new: dict[str, tuple[Stamp, JobSummary]]


class Files(NamedTuple):
    """The files of a folder in their order, and the folders that could not be read."""

    files: list[str]
    locked: list[str]


def job_files(folder: Path, since: float | None, until: float | None) -> Files:
    """Return the files of jobs that began then, as far as the folders of days tell.

    Raises `UserError` where the folder cannot be read, or has no such file.
    """
    if not folder.exists():
        raise UserError(f"{folder}: there is no such folder: name the one of LEADLINE_JOBS")
    if not folder.is_dir():
        raise UserError(f"{folder} is a file: `leadline explain {folder}` shows one job")
    found = Files([], [])
    _walk(str(folder), since, until, found)
    found.files.sort()
    if not found.files:
        if found.locked:
            raise UserError(found.locked[0])
        when = " of that time" if since is not None or until is not None else ""
        raise UserError(
            f"{folder} holds no file of a job{when}: programs write there that have LEADLINE_JOBS="
            f"{folder.absolute()}"
        )
    return found


def _walk(
    folder: str, since: float | None, until: float | None, found: Files, depth: int = 0
) -> None:
    """Add the files below a folder; no link is followed."""
    below = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX) and not entry.name.startswith("."):
                    found.files.append(entry.path)
                elif _NUMBER.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                    below.append(entry.path)
    except OSError as error:
        found.locked.append(f"{folder} cannot be read: {error.strerror}: its group may read it")
    for path in below if depth < _DEPTH else ():
        if _may_hold(path, since, until):
            _walk(path, since, until, found, depth + 1)


def _may_hold(path: str, since: float | None, until: float | None) -> bool:
    """Tell whether a folder may hold jobs of that time: of a day's folder its name says so."""
    found = _DAY.search(path)
    if not found:
        return True
    try:
        begins = datetime(*map(int, found.groups()), tzinfo=UTC).timestamp()  # type: ignore[arg-type,misc]
    except ValueError:
        return False
    ends = begins + 86_400
    return (since is None or ends > since) and (until is None or begins < until)


def read_all(
    there: Files,
    now: float,
    tell: Callable[[int], None] = lambda _: None,
    known: Mapping[str, tuple[Stamp, JobSummary]] | None = None,
    processes: int = PROCESSES,
) -> Found:
    """Return what all the files hold; `tell` gets how many were read so far.

    At most so many `processes` read them, which are forked where they are more than one.

    Those that are `known` by path and stamp are not read again. A file that is named twice, by a
    second link, counts once.
    """
    jobs: dict[tuple[int, int], JobSummary] = {}
    new: dict[str, tuple[Stamp, JobSummary]] = {}
    wrong = list(there.locked)
    files = []
    for file in there.files:
        stamp = _known_stamp(file, known or {})
        if known and stamp:
            jobs.setdefault(stamp[:2], known[file][1])
        else:
            files.append(file)
    done = len(there.files) - len(files)
    for batch in _batches(files, now, processes):
        for each in batch:
            if isinstance(each, str):
                wrong.append(each)
                continue
            stamp, job = each
            jobs.setdefault(stamp[:2], job)
            if job.state in ("ended", "aborted"):
                new[job.path] = each
        done += len(batch)
        tell(done)
    refused = RefusedFiles(files=len(wrong), first=min(wrong, default=""))
    # Sums do not depend on who read what first.
    ordered = sorted(jobs.values(), key=lambda job: (job.began, job.path))
    return Found(ordered, refused, new)


def _known_stamp(file: str, known: Mapping[str, tuple[Stamp, JobSummary]]) -> Stamp | None:
    """Return the stamp of a file that is known as it is."""
    if file not in known:
        return None
    with suppress(OSError):
        stamp = stamp_of(os.lstat(file))
        return stamp if stamp == known[file][0] else None
    return None


def _batches(files: Sequence[str], now: float, most: int) -> Iterator[list[_Read]]:
    batches = [files[at : at + _BATCH] for at in range(0, len(files), _BATCH)]
    processes = min(len(os.sched_getaffinity(0)), most)
    if len(files) < _MANY or processes < 2:
        yield from (_read_batch(batch, now) for batch in batches)
        return
    forking = multiprocessing.get_context("fork")
    started: list[tuple[BaseProcess, Connection]] = []
    # No process that is half made is interrupted, and Ctrl-C is left to this one, which ends them.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for number in range(processes):
            here, there = forking.Pipe(duplex=False)
            share = batches[number::processes]
            process = forking.Process(target=_read_share, args=(share, now, there), daemon=True)
            process.start()
            there.close()
            started.append((process, here))
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        yield from _received([here for _, here in started])
    finally:
        for each, _ in started:
            each.kill()
        for each, connection in started:
            each.join()
            connection.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _received(left: list[Connection]) -> Iterator[list[_Read]]:
    """Yield what the processes send until all of them have sent None."""
    while left:
        for each in wait(left):
            assert isinstance(each, Connection)
            try:
                batch = each.recv()
            except EOFError:
                raise UserError("a process that read jobs was ended: start again") from None
            if batch is None:
                left.remove(each)
            else:
                yield batch


def _read_share(batches: Sequence[Sequence[str]], now: float, there: Connection) -> None:
    for batch in batches:
        there.send(_read_batch(batch, now))
    there.send(None)


def _read_batch(files: Sequence[str], now: float) -> list[_Read]:
    """Return the summary of each file, or what is wrong with it."""
    found: list[_Read] = []
    for file in files:
        # No table, page or command then needs to know what a forged name could do there.
        if not Path(file).name.isprintable():
            found.append(f"{file!r}: its name has what cannot be printed")
            continue
        try:
            job = read_job(file)
            found.append((job.stamp, summarise(job, now)))
        except UserError as error:
            found.append(str(error))
        except ArithmeticError:
            # One forged file must not hide all others.
            found.append(f"{file}: its numbers cannot be")
    return found


def prepare(folder: Path, today: date | None = None) -> tuple[date, date]:
    """Make the folder, and in it the folders of the days from today on; return the first and last.

    They get its owner and group. Raises `UserError` where that may not be.
    """
    first = today or datetime.fromtimestamp(time.time(), UTC).date()
    days = [first + timedelta(days=number) for number in range(_DAYS + 1)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if other := [each.name for each in folder.iterdir() if not _NUMBER.fullmatch(each.name)]:
            raise UserError(
                f"{folder} has other files, such as {other[0]}, and all users would write there: "
                "name a new folder"
            )
        with ExitStack() as opened:
            whole = os.open(folder, _FOLDER)
            opened.callback(os.close, whole)
            os.fchmod(whole, _MODE)
            for day in days:
                _make_day(whole, day)
    except OSError as error:
        named = f"{folder}: {error.filename}" if isinstance(error.filename, str) else folder
        raise UserError(
            f"{named}: {error.strerror}: its owner prepares a folder for jobs"
        ) from error
    return days[0], days[-1]


def _make_day(whole: int, day: date) -> None:
    """Make the folder of a day below the open one, all with its owner and group.

    Whoever may write there may have made one before, or put a link in its place: each is opened
    from the one above, not by its path.
    """
    like = os.fstat(whole)
    with ExitStack() as opened:
        above = whole
        for name in (f"{day:%Y}", f"{day:%m}", f"{day:%d}"):
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=above)
            above = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
            opened.callback(os.close, above)
            status = os.fstat(above)
            if (status.st_uid, status.st_gid) != (like.st_uid, like.st_gid):
                os.fchown(above, like.st_uid, like.st_gid)
            os.fchmod(above, _MODE)
