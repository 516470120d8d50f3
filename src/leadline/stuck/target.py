"""Which job is meant: its recording and its processes, by a process, a job's number or a folder."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from leadline.check import look
from leadline.check.launchers import launcher_of, number
from leadline.check.ranks import LAUNCHING, Finder, Found, above
from leadline.core.errors import UserError
from leadline.site.hardware.files import Files
from leadline.site.processes import ProcessStat, descendants, processes
from leadline.site.schedulers.batch_system import JOB_VARIABLES
from leadline.store.folder import RunFolder

# The variables by which ranks know the folder of their recording, or that of all jobs.
RECORDING, JOBS = "LEADLINE_EXPLAIN", "LEADLINE_JOBS"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A job: the folder of its recording, None without one, and its ranks found as processes.

    `pids` are processes by rank, of those that have the recording's variable. `by_process`
    where a process of it was found first, and not the folder given.
    """

    folder: Path | None = None
    found: tuple[Found, ...] = ()
    pids: Mapping[int, int] = {}
    by_process: bool = True


def find_target(text: str, files: Files) -> Target:
    """Return the job that `text` means. Raises `UserError` where there is none."""
    table = {process.pid: process for process in processes(files)}
    process = table.get(int(text)) if text.isdigit() else None
    if process is None:
        if not text.isdigit() and Path(text).is_dir():
            run = RunFolder(Path(text))
            folder = run.recording if run.recording.is_dir() else run.path
            return Target(folder=folder, pids=_ranks_of(files, folder), by_process=False)
        if (job := _of_batch_job(text, files)) is not None:
            return job
        raise UserError(
            f"no process and no job {text} on this host: give one that runs here"
            if text.isdigit()
            else f"{text!r} is no process, job or folder here: give the number of a process, such "
            "as the launcher's, or the folder of a `leadline explain`"
        )
    if process.ended:
        raise UserError(f"process {text} has ended: give the launcher's or a rank's")
    return _of_process(process, table, files)


def _of_process(process: ProcessStat, table: dict[int, ProcessStat], files: Files) -> Target:
    if files.text(f"/proc/{process.pid}/environ") is None:
        raise UserError(f"process {process.pid} may not be looked at: ask as its user, or as root")
    below = sorted(descendants(table, [process.pid]))
    for pid in below:
        if folder := look.environment_of(files, pid).get(RECORDING):
            return _recorded(Path(folder), files, process.pid, table)
    # Ranks under srun are started by a daemon, and lie beside it.
    job = _batch_job(look.environment_of(files, process.pid))
    if job and process.command == "srun" and (found := _of_batch_job(job, files)) is not None:
        return found
    found_ranks = _found(process.pid, table, files)
    if not found_ranks:
        raise UserError(
            f"process {process.pid} ({process.command}) is no rank of a parallel job and has none "
            "below it: give the launcher's process, or ask again when the ranks have started"
        )
    return Target(found=tuple(found_ranks))


def _recorded(folder: Path, files: Files, pid: int, table: dict[int, ProcessStat]) -> Target:
    if not folder.is_dir():
        # The ranks of this host keep their pages to themselves until the program ends.
        return Target(found=tuple(_found(pid, table, files)))
    return Target(folder=folder, pids=_ranks_of(files, folder))


def _found(pid: int, table: dict[int, ProcessStat], files: Files) -> list[Found]:
    """Return the ranks of the launcher above a process, or below it."""
    launchers = [each for each in above(table, pid) if each in table and _launches(table[each])]
    return Finder(files, launchers[-1] if launchers else pid, "-").find()


def _launches(process: ProcessStat) -> bool:
    return process.command in LAUNCHING or process.command.partition(".")[0] in LAUNCHING


def _of_batch_job(job: str, files: Files) -> Target | None:
    """Return the job of that number of a batch system, None where no process here is of it."""
    table = {process.pid: process for process in processes(files)}
    members = []
    for pid, process in sorted(table.items()):
        if process.ended:
            continue
        environment = look.environment_of(files, pid)
        if _batch_job(environment) not in (job, job.partition(".")[0]):
            continue
        if folder := environment.get(RECORDING):
            return _recorded(Path(folder), files, pid, table)
        members.append(pid)
    ranks: dict[int, Found] = {}
    for pid in members:
        if any(parent in members for parent in above(table, pid)):
            continue
        for each in _found(pid, table, files):
            ranks.setdefault(each.rank, each)
    if not ranks:
        return None
    return Target(found=tuple(ranks[rank] for rank in sorted(ranks)))


def _batch_job(environment: Mapping[str, str]) -> str:
    named = (environment[name] for name in JOB_VARIABLES if environment.get(name))
    return next(named, "").partition(".")[0]


def _ranks_of(files: Files, folder: Path) -> dict[int, int]:
    """Return the processes that write into a recording, by rank.

    In a container a rank knows itself by another number than this host does.
    """
    there = folder.resolve()
    found: dict[int, int] = {}
    table = {process.pid: process for process in processes(files)}
    for process in sorted(table.values()):
        if process.ended or _launches(process):
            continue
        environment = look.environment_of(files, process.pid)
        destination = environment.get(RECORDING)
        if not destination or Path(destination).resolve() != there:
            continue
        parents = [table[pid].command for pid in above(table, process.pid) if pid in table]
        launcher = launcher_of(environment, parents)
        rank = number(environment, launcher.rank) if launcher else None
        if rank is not None and (rank not in found or look.has_mpi(files, process.pid)):
            found[rank] = process.pid
    return found
