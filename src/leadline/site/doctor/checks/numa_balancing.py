"""Pages that the kernel moves to the node where they are used."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.files import parse_cpus

FILES = ("/sys/devices/system/node/online", "/proc/sys/kernel/numa_balancing")


def check(system: System) -> CheckResult:
    """Warn where several memory nodes are balanced automatically."""
    nodes = len(parse_cpus(system.files.text("/sys/devices/system/node/online") or "0"))
    setting = system.files.number("/proc/sys/kernel/numa_balancing") or 0
    moving = bool(setting) and nodes > 1
    return CheckResult(
        name="numa-balancing",
        status="warn" if moving else "ok",
        observed=f"{'on' if setting else 'off'}, {nodes} memory "
        + ("node" if nodes == 1 else "nodes"),
        meaning=(
            "The kernel unmaps and moves pages: page faults in the middle of a measurement."
            if moving
            else "Pages stay where they were first touched."
        ),
        advice="Switch balancing off: ranks are pinned anyway." if moving else None,
        command="sudo sysctl kernel.numa_balancing=0" if moving else None,
        numbers={"setting": setting, "memory_nodes": nodes},
    )
