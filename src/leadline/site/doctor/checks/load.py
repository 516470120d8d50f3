"""Other programs on the machine: checks."""

from collections.abc import Iterable, Mapping

from leadline.model.summary import CheckResult
from leadline.site.doctor.checks.verdict import verdict
from leadline.site.doctor.system import System
from leadline.site.hardware.activity import read_counters
from leadline.site.hardware.processors import read_allowed
from leadline.site.processes import KERNEL, Process
from leadline.site.schedulers.batch_system import batch_systems

_SPINNING = 0.5
_ADOPTERS = ("systemd", "init")
# Besides the daemons of batch systems that leadline knows.
_REMOTE_STARTERS = ("sshd", "palsd", "sge_shepherd")


def left_over_processes(system: System) -> CheckResult:
    """MPI processes that earlier or other jobs left on the machine."""
    everyone = {process.pid: process for process in system.interval.processes}
    jobs = [process for process in everyone.values() if process.is_mpi and not process.is_ancestor]
    orphans = [process for process in jobs if _is_orphan(process, everyone)]
    kept = [process for process in jobs if process not in orphans]
    leadline = [process for process in kept if process.tag]
    running = [process for process in kept if not process.tag]
    spinning = [process for process in jobs if process.cpu_share >= _SPINNING]
    groups = {
        "left over": orphans,
        "job with a launcher that still runs": running,
        "a running leadline": leadline,
    }
    observed = ". ".join(f"{title}: {_format(some)}" for title, some in groups.items() if some)
    advice = _advice(system.user, orphans, running, leadline)
    return verdict(
        "bad" if spinning else "warn" if jobs else "ok",
        observed or "no MPI process of another job",
        "Ranks that spin take a whole core each; daemons hold ports and shared memory."
        if jobs
        else "No rank or launcher of another job takes time or shared memory.",
        (advice,) if advice else (),
        left_over=len(orphans),
        running=len(running),
        running_leadline=len(leadline),
        spinning=len(spinning),
    )


def _is_orphan(process: Process, everyone: Mapping[int, Process]) -> bool:
    """Tell whether whoever started its job is gone, judged from the topmost process of the job."""
    parent = everyone.get(process.parent)
    while parent and parent.is_mpi and not parent.is_ancestor:
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


def _format(processes: Iterable[Process], most: int = 4) -> str:
    busiest = sorted(processes, key=lambda process: -process.cpu_share)
    more = f" and {len(busiest) - most} more" if len(busiest) > most else ""
    return ", ".join(map(str, busiest[:most])) + more


def _advice(
    user: str, orphans: list[Process], running: list[Process], leadline: list[Process]
) -> str:
    mine = " ".join(str(process.pid) for process in orphans if process.user == user)
    others = ", ".join(sorted({process.user for process in orphans if process.user != user}))
    forgotten = " ".join(
        str(process.pid) for process in running if process.is_launcher and process.user == user
    )
    parts = [
        f"unless a job from another node uses them: kill {mine}" if mine else "",
        f"ask {others} to end theirs" if others else "",
        "wait for the running job to end" if running else "",
        f"if its launcher is forgotten: kill {forgotten}" if forgotten else "",
        "wait until the other leadline is done" if leadline else "",
    ]
    text = "; ".join(filter(None, parts))
    return f"{text[:1].upper()}{text[1:]}." if text else ""


_NOTICEABLE_LOAD, _HARMFUL_LOAD = 0.1, 0.5


def other_load(system: System) -> CheckResult:
    """Programs that take processor time while nothing is measured."""
    others = sorted(
        (process for process in system.interval.processes if not process.is_ancestor),
        key=lambda process: -process.cpu_share,
    )
    busy = sum(process.cpu_share for process in others)
    top = [process for process in others[:3] if process.cpu_share >= _NOTICEABLE_LOAD / 10]
    quiet = busy < _NOTICEABLE_LOAD
    # Nobody can end the kernel's threads.
    names = " and ".join(
        f"{one.name} (process {one.pid}, user {one.user})"
        for one in top
        if one.parent != KERNEL and one.cpu_share >= _NOTICEABLE_LOAD
    )
    programs = f": {'; '.join(map(str, top))}" if top else ""
    return verdict(
        "ok" if quiet else "warn" if busy < _HARMFUL_LOAD else "bad",
        f"{busy:.2f} processors busy{programs} "
        f"(sample of {system.interval.rates['sample_s']:.1f} s)",
        "No other program takes noticeable processor time."
        if quiet
        else "A rank that shares its core with another program waits for scheduler ticks. "
        "Tails grow first, then medians.",
        (f"Stop {names}, or measure later.",) if names else (),
        busy_processors=busy,
    )


def oversubscription(system: System) -> CheckResult:
    """More work than processors."""
    usable = len(read_allowed(system.files))
    # This process is one of the running.
    running = max(read_counters(system.files).running - 1, 0)
    average = float((system.files.text("/proc/loadavg") or "0").split()[0])
    status, meaning = "ok", "There are free processors for ranks."
    if usable and running >= usable:
        status = "bad"
        meaning = "Every processor is busy: each rank takes turns with another program."
    elif usable and average >= usable:
        status, meaning = "warn", "In the last minute there was more work than processors."
    return verdict(
        status,
        f"{running} other tasks want to run now, {average:.2f} in the last minute, "
        f"{usable} processors",
        meaning,
        () if status == "ok" else ("Wait until the machine is free.",),
        running=running,
        load_1_min=average,
        processors=usable,
    )


_NOTICEABLE_THEFT, _HARMFUL_THEFT = 0.005, 0.05


def stolen_time(system: System) -> CheckResult:
    """Processor time that the hypervisor gave to other virtual machines."""
    now = system.interval.rates["stolen_fraction"]
    counters = read_counters(system.files)
    ever = counters.stolen / max(counters.total, 1)
    # The short sample is coarse: one tick of ten milliseconds is already above the limit.
    worst = max(now, ever)
    observed = f"{now:.2%} now, {ever:.2%} since the machine started"
    numbers = {"now_fraction": now, "since_start_fraction": ever}
    if worst < _NOTICEABLE_THEFT:
        meaning = "No other machine takes noticeable time from this one."
        return verdict("ok", observed, meaning, **numbers)
    return verdict(
        "warn" if worst < _HARMFUL_THEFT else "bad",
        observed,
        "The hypervisor stops ranks for milliseconds in the middle of an operation.",
        ("Ask for dedicated processors, or measure more launches.",),
        **numbers,
    )
