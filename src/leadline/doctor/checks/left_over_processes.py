"""MPI processes that earlier or other jobs left on the machine."""

from collections.abc import Iterable, Mapping

from leadline.doctor.processes import Process
from leadline.doctor.system import System
from leadline.model.summary import CheckResult

_SPINNING = 0.5
_ADOPTERS = ("systemd", "init")
_CLEAN = "No rank or launcher of another job takes time or shared memory."


def check(system: System) -> CheckResult:
    """Name MPI processes, those of a running leadline apart from those that nobody waits for."""
    everyone = {process.pid: process for process in system.interval.processes}
    jobs = [process for process in everyone.values() if process.is_mpi and not process.own]
    orphans = [process for process in jobs if _is_orphan(process, everyone)]
    kept = [process for process in jobs if process not in orphans]
    leadline = [process for process in kept if process.tag]
    running = [process for process in kept if not process.tag]
    spinning = [process for process in jobs if process.cpu_share >= _SPINNING]
    groups = (
        ("left over", orphans),
        ("job with a launcher that still runs", running),
        ("a running leadline", leadline),
    )
    return CheckResult(
        name="left-over-processes",
        status="bad" if spinning else "warn" if jobs else "ok",
        observed=". ".join(f"{title}: {_named(found)}" for title, found in groups if found)
        or "no MPI process of another job",
        meaning=(
            "Ranks that spin take a whole core each; daemons hold ports and shared memory."
            if jobs
            else _CLEAN
        ),
        advice=_advice(system.user, orphans, running, leadline),
        numbers={
            "left_over": len(orphans),
            "running": len(running),
            "running_leadline": len(leadline),
            "spinning": len(spinning),
        },
    )


def _is_orphan(process: Process, everyone: Mapping[int, Process]) -> bool:
    """Whether whoever started its job is gone: init has adopted the topmost MPI process."""
    seen = {process.pid}
    parent = everyone.get(process.parent)
    while parent and parent.is_mpi and not parent.own and parent.pid not in seen:
        seen.add(parent.pid)
        process, parent = parent, everyone.get(parent.parent)
    if parent is None:
        return True
    # In a container leadline itself, or the user's shell, may be process 1.
    return not parent.own and (parent.pid == 1 or parent.name in _ADOPTERS)


def _named(processes: Iterable[Process], most: int = 4) -> str:
    found = sorted(processes, key=lambda process: -process.cpu_share)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(map(str, found[:most])) + more


def _advice(
    user: str, orphans: list[Process], running: list[Process], leadline: list[Process]
) -> str | None:
    mine = [str(process.pid) for process in orphans if process.user == user]
    others = sorted({process.user for process in orphans if process.user != user})
    parts = [
        f"kill {' '.join(mine)}" if mine else "",
        f"ask {', '.join(others)} to end theirs" if others else "",
        "wait for the running job to end, or end it with its launcher" if running else "",
        "wait until the other leadline is done" if leadline else "",
    ]
    return "; ".join(filter(None, parts)) or None
