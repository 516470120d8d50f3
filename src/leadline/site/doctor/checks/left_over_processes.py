"""MPI processes that earlier or other jobs left on the machine."""

from collections.abc import Iterable, Mapping

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.processes import Process
from leadline.site.schedulers.batch_system import batch_systems

_SPINNING = 0.5
_ADOPTERS = ("systemd", "init")
# Besides the daemons of batch systems that leadline knows.
_REMOTE_STARTERS = ("sshd", "palsd", "sge_shepherd")
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
        observed=". ".join(
            f"{title}: {_format_processes(found)}" for title, found in groups if found
        )
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
    """Whether whoever started its job is gone, judged from the topmost process of the job."""
    parent = everyone.get(process.parent)
    while parent and parent.is_mpi and not parent.own:
        process, parent = parent, everyone.get(parent.parent)
    if not process.tag:
        # People leave launchers running behind them; ranks and daemons need one above them.
        starters = {*_REMOTE_STARTERS, *(system.node_daemon for system in batch_systems())}
        return not (process.is_launcher or (parent and parent.name in starters))
    # A child inherits its parent's session or leads one: any other session tells of an adoption.
    if parent is None or process.session not in (parent.session, process.pid):
        return True
    # In a container leadline itself may be process 1.
    return parent.name in _ADOPTERS or (parent.pid == 1 and parent.name != "leadline")


def _format_processes(processes: Iterable[Process], most: int = 4) -> str:
    found = sorted(processes, key=lambda process: -process.cpu_share)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(map(str, found[:most])) + more


def _advice(
    user: str, orphans: list[Process], running: list[Process], leadline: list[Process]
) -> str | None:
    mine = [str(process.pid) for process in orphans if process.user == user]
    others = sorted({process.user for process in orphans if process.user != user})
    launchers = [process for process in running if process.is_launcher]
    forgotten = [str(process.pid) for process in launchers if process.user == user]
    parts = [
        f"unless a job from another node uses them: kill {' '.join(mine)}" if mine else "",
        f"ask {', '.join(others)} to end theirs" if others else "",
        "wait for the running job to end" if running else "",
        f"if its launcher is forgotten: kill {' '.join(forgotten)}" if forgotten else "",
        "wait until the other leadline is done" if leadline else "",
    ]
    text = "; ".join(filter(None, parts))
    return f"{text[:1].upper()}{text[1:]}." if text else None
