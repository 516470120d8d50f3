"""Processors: which there are, and what slows them: checks."""

from collections import Counter

from leadline.model.summary import CheckResult
from leadline.site.doctor.checks.verdict import Cure, verdict
from leadline.site.doctor.system import System
from leadline.site.hardware.files import format_cpus, parse_cpus
from leadline.site.hardware.processors import CPU, online, quota_cores, read_allowed, read_isolated

CORES_FILES = (f"{CPU}/present", f"{CPU}/online", f"{CPU}/isolated")


def cores(system: System) -> CheckResult:
    """Processors that are there, switched on, set aside, and allowed."""
    present = parse_cpus(system.files.text(f"{CPU}/present") or "")
    switched_on, usable = online(system.files), read_allowed(system.files)
    isolated = read_isolated(system.files)
    observed = f"{len(usable)} allowed ({format_cpus(usable)}) of {len(switched_on)} online"
    if len(present) > len(switched_on):
        observed += f" of {len(present)} present"
    if isolated:
        observed += f"; isolated: {format_cpus(isolated)}"
    status, meaning, cure = _judge_cores(len(usable), len(switched_on))
    return verdict(
        status,
        observed,
        meaning,
        cure,
        allowed=len(usable),
        online=len(switched_on),
        present=len(present),
        isolated=len(isolated),
    )


def _judge_cores(usable: int, switched_on: int) -> tuple[str, str, Cure]:
    if usable == 0:
        return "unknown", "Without a list of processors ranks cannot be pinned with care.", ()
    if usable == 1:
        return (
            "bad",
            "Two ranks must take turns on one processor: figures show the scheduler, not MPI.",
            ("Give this job two processors (taskset, cpuset or the batch system's options).",),
        )
    if usable < switched_on:
        return (
            "warn",
            "Programs on the other processors share caches and memory with the ranks.",
            ("Ask the batch system for the whole node, or widen taskset or cpuset.",),
        )
    return "ok", "Ranks can be pinned to every processor of the machine.", ()


def cpu_quota(system: System) -> CheckResult:
    """Processor time rationed by a control group."""
    quota = quota_cores(system.files)
    usable = len(read_allowed(system.files))
    if not usable:
        meaning = "Ranks that use up a quota are stopped for milliseconds, unseen."
        return verdict("unknown", "the kernel does not list the allowed processors", meaning)
    if quota is None or quota >= usable:
        observed = f"no limit below the {usable} allowed processors"
        return verdict("ok", observed, "Ranks may run all the time.")
    return verdict(
        "bad",
        f"{quota:g} processors' time for {usable} allowed processors",
        "Ranks that spin use up the quota, and are stopped for milliseconds.",
        ("Raise the limit: of docker, the pod, or CPUQuota of systemd.",),
        quota_processors=quota,
        allowed=usable,
    )


FREQUENCY_GOVERNOR_FILES = (f"{CPU}/online", f"{CPU}/cpu*/cpufreq/scaling_governor")


def frequency_governor(system: System) -> CheckResult:
    """Who chooses the processors' frequency."""
    paths = (f"{CPU}/cpu{cpu}/cpufreq/scaling_governor" for cpu in read_allowed(system.files))
    governors = Counter(filter(None, map(system.files.text, paths)))
    if not governors:
        observed = "this kernel does not control the frequency (firmware or hypervisor does)"
        meaning = "The clock may change unseen; several launches show its spread."
        return verdict("unknown", observed, meaning)
    others = governors.total() - governors["performance"]
    command = "sudo cpupower frequency-set --governor performance"
    return verdict(
        "warn" if others else "ok",
        ", ".join(f"{name} on {count} processors" for name, count in governors.items()),
        "Any governor but performance lowers the clock of a core that waits. The same message "
        "takes longer after a pause than in a busy loop.",
        ("Set the governor performance.", command) if others else (),
        processors=governors.total(),
        not_performance=others,
    )


def hardware_threads(system: System) -> CheckResult:
    """Two hardware threads that share one core."""
    usable = set(read_allowed(system.files))
    paths = (f"{CPU}/cpu{cpu}/topology/thread_siblings_list" for cpu in usable)
    siblings = set(filter(None, map(system.files.text, paths)))
    if not siblings:
        meaning = "Two ranks on one core would take turns unseen."
        return verdict("unknown", "the kernel shows no topology", meaning)
    shared = sum(len(usable.intersection(parse_cpus(core))) > 1 for core in siblings)
    numbers = {"cores": len(siblings), "shared_cores": shared}
    if not shared:
        observed = f"one thread on each of {len(siblings)} cores"
        return verdict("ok", observed, "No rank shares its core with another.", **numbers)
    return verdict(
        "warn",
        f"{shared} of {len(siblings)} cores have two or more threads that ranks may use",
        "Ranks, or a rank and another program, on two threads of one core slow each other.",
        (
            "Keep one rank a core, or switch the threads off.",
            "echo off | sudo tee /sys/devices/system/cpu/smt/control",
        ),
        **numbers,
    )


TURBO_FILES = (f"{CPU}/intel_pstate/no_turbo", f"{CPU}/cpufreq/boost")
_TURBO_MEANING = (
    "With turbo the clock depends on the temperature and on the number of busy cores. Figures "
    "differ between runs, and one busy core slows the rest."
)


def turbo(system: System) -> CheckResult:
    """Frequencies above the nominal one."""
    for path, on_value in zip(TURBO_FILES, (0, 1), strict=True):
        value = system.files.number(path)
        if value is None:
            continue
        on = value == on_value
        command = f"echo {1 - on_value} | sudo tee {path}"
        return verdict(
            "warn" if on else "ok",
            f"turbo is {'on' if on else 'off'} ({path} is {value})",
            _TURBO_MEANING,
            ("Switch turbo off to compare runs.", command) if on else (),
            on=float(on),
        )
    return verdict("unknown", "the kernel shows no turbo setting", _TURBO_MEANING)
