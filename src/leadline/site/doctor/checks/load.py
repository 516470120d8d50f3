"""Other programs on the machine: checks."""

from collections.abc import Iterable, Mapping

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.activity import read_counters
from leadline.site.hardware.processors import read_allowed
from leadline.site.processes import KERNEL, Process
from leadline.site.schedulers.batch_system import batch_systems

_SPINNING = 0.5
_ADOPTERS = ("systemd", "init")
# Besides the daemons of batch systems that leadline knows.
_REMOTE_STARTERS = ("sshd", "palsd", "sge_shepherd")
_CLEAN = "No rank or launcher of another job takes time or shared memory."


def left_over_processes(system: System) -> CheckResult:
    """MPI processes that earlier or other jobs left on the machine."""
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


_NOTICEABLE_LOAD, _HARMFUL_LOAD = 0.1, 0.5


def other_load(system: System) -> CheckResult:
    """Programs that take processor time while nothing is measured."""
    others = sorted(
        (process for process in system.interval.processes if not process.own),
        key=lambda process: -process.cpu_share,
    )
    busy = sum(process.cpu_share for process in others)
    top = [process for process in others[:3] if process.cpu_share >= _NOTICEABLE_LOAD / 10]
    quiet = busy < _NOTICEABLE_LOAD
    # Nobody can end the kernel's threads.
    users = [one for one in top if one.parent != KERNEL and one.cpu_share >= _NOTICEABLE_LOAD]
    return CheckResult(
        name="other-load",
        status="ok" if quiet else "warn" if busy < _HARMFUL_LOAD else "bad",
        observed=f"{busy:.2f} processors busy"
        + (f": {'; '.join(map(str, top))}" if top else "")
        + f" (sample of {system.interval.rates['sample_s']:.1f} s)",
        meaning=(
            "No other program takes noticeable processor time."
            if quiet
            else "A rank that shares its core with another program waits for scheduler ticks. "
            "Tails grow first, then medians."
        ),
        advice=f"Stop {' and '.join(_named(users))}, or measure later." if users else None,
        numbers={"busy_processors": busy},
    )


def _named(users: list[Process]) -> list[str]:
    return [f"{one.name} (process {one.pid}, user {one.user})" for one in users]


def oversubscription(system: System) -> CheckResult:
    """More work than processors."""
    usable = len(read_allowed(system.files))
    # This process is one of the running.
    running = max(read_counters(system.files).running - 1, 0)
    average = float((system.files.text("/proc/loadavg") or "0").split()[0])
    full = usable > 0 and running >= usable
    busy = usable > 0 and average >= usable
    return CheckResult(
        name="oversubscription",
        status="bad" if full else "warn" if busy else "ok",
        observed=f"{running} other tasks want to run now, {average:.2f} in the last minute, "
        f"{usable} processors",
        meaning=(
            "Every processor is busy: each rank takes turns with another program."
            if full
            else "In the last minute there was more work than processors."
            if busy
            else "There are free processors for ranks."
        ),
        advice="Wait until the machine is free." if full or busy else None,
        numbers={"running": running, "load_1_min": average, "processors": usable},
    )


_NOTICEABLE_THEFT, _HARMFUL_THEFT = 0.005, 0.05


def stolen_time(system: System) -> CheckResult:
    """Processor time that the hypervisor gave to other virtual machines."""
    now = system.interval.rates["stolen_fraction"]
    counters = read_counters(system.files)
    ever = counters.stolen / max(counters.total, 1)
    # The short sample is coarse: one tick of ten milliseconds is already above the limit.
    worst = max(now, ever)
    return CheckResult(
        name="stolen-time",
        status="ok" if worst < _NOTICEABLE_THEFT else "warn" if worst < _HARMFUL_THEFT else "bad",
        observed=f"{now:.2%} now, {ever:.2%} since the machine started",
        meaning=(
            "No other machine takes noticeable time from this one."
            if worst < _NOTICEABLE_THEFT
            else "The hypervisor stops ranks for milliseconds in the middle of an operation."
        ),
        advice=(
            None
            if worst < _NOTICEABLE_THEFT
            else "Ask for dedicated processors, or measure more launches."
        ),
        numbers={"now_fraction": now, "since_start_fraction": ever},
    )
