"""Processors that are there, switched on, set aside, and allowed."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.files import format_cpus, parse_cpus
from leadline.site.hardware.processors import CPU, online, read_allowed, read_isolated

FILES = (f"{CPU}/present", f"{CPU}/online", f"{CPU}/isolated")


def check(system: System) -> CheckResult:
    """Tell how many processors ranks can be pinned to."""
    present = parse_cpus(system.files.text(f"{CPU}/present") or "")
    switched_on, usable = online(system.files), read_allowed(system.files)
    set_aside = read_isolated(system.files)
    observed = f"{len(usable)} allowed ({format_cpus(usable)}) of {len(switched_on)} online"
    if len(present) > len(switched_on):
        observed += f" of {len(present)} present"
    if set_aside:
        observed += f"; isolated: {format_cpus(set_aside)}"
    status, meaning, advice = _verdict(len(usable), len(switched_on))
    return CheckResult(
        name="cores",
        status=status,
        observed=observed,
        meaning=meaning,
        advice=advice,
        numbers={
            "allowed": len(usable),
            "online": len(switched_on),
            "present": len(present),
            "isolated": len(set_aside),
        },
    )


def _verdict(usable: int, switched_on: int) -> tuple[str, str, str | None]:
    if usable == 0:
        return "unknown", "Without a list of processors ranks cannot be pinned with care.", None
    if usable == 1:
        return (
            "bad",
            "Two ranks must take turns on one processor: figures show the scheduler, not MPI.",
            "Give this job two processors (taskset, cpuset or the batch system's options).",
        )
    if usable < switched_on:
        return (
            "warn",
            "Programs on the other processors share caches and memory with the ranks.",
            "Ask the batch system for the whole node, or widen taskset or cpuset.",
        )
    return "ok", "Ranks can be pinned to every processor of the machine.", None
