"""Processors: which there are, and what slows them: checks."""

from collections import Counter

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.files import format_cpus, parse_cpus
from leadline.site.hardware.processors import CPU, online, quota_cores, read_allowed, read_isolated

CORES_FILES = (f"{CPU}/present", f"{CPU}/online", f"{CPU}/isolated")


def cores(system: System) -> CheckResult:
    """Processors that are there, switched on, set aside, and allowed."""
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


def cpu_quota(system: System) -> CheckResult:
    """Processor time rationed by a control group."""
    quota = quota_cores(system.files)
    usable = len(read_allowed(system.files))
    if quota is None or quota >= usable:
        return CheckResult(
            name="cpu-quota",
            status="ok",
            observed=f"no limit below the {usable} allowed processors",
            meaning="Ranks may run all the time.",
        )
    return CheckResult(
        name="cpu-quota",
        status="bad",
        observed=f"{quota:g} processors' time for {usable} allowed processors",
        meaning="Ranks that spin use up the quota, and are stopped for milliseconds.",
        advice="Raise the limit: of docker, the pod, or CPUQuota of systemd.",
        numbers={"quota_processors": quota, "allowed": usable},
    )


_GOVERNOR = "frequency-governor"
FREQUENCY_GOVERNOR_FILES = (f"{CPU}/online", f"{CPU}/cpu*/cpufreq/scaling_governor")
_GOVERNOR_MEANING = (
    "Any governor but performance lowers the clock of a core that waits. The same message takes "
    "longer after a pause than in a busy loop."
)


def frequency_governor(system: System) -> CheckResult:
    """Who chooses the processors' frequency."""
    found = Counter(
        governor
        for cpu in read_allowed(system.files)
        if (governor := system.files.text(f"{CPU}/cpu{cpu}/cpufreq/scaling_governor"))
    )
    if not found:
        return CheckResult(
            name=_GOVERNOR,
            status="unknown",
            observed="this kernel does not control the frequency (firmware or hypervisor does)",
            meaning="The clock may change unseen; several launches show its spread.",
        )
    others = found.total() - found["performance"]
    return CheckResult(
        name=_GOVERNOR,
        status="warn" if others else "ok",
        observed=", ".join(f"{name} on {count} processors" for name, count in found.items()),
        meaning=_GOVERNOR_MEANING,
        advice="Set the governor performance." if others else None,
        command="sudo cpupower frequency-set --governor performance" if others else None,
        numbers={"processors": found.total(), "not_performance": others},
    )


def hardware_threads(system: System) -> CheckResult:
    """Two hardware threads that share one core."""
    usable = set(read_allowed(system.files))
    cores = {
        siblings
        for cpu in usable
        if (siblings := system.files.text(f"{CPU}/cpu{cpu}/topology/thread_siblings_list"))
    }
    if not cores:
        return CheckResult(
            name="hardware-threads",
            status="unknown",
            observed="the kernel shows no topology",
            meaning="Two ranks on one core would take turns unseen.",
        )
    shared = sum(len(usable.intersection(parse_cpus(core))) > 1 for core in cores)
    return CheckResult(
        name="hardware-threads",
        status="warn" if shared else "ok",
        observed=(
            f"{shared} of {len(cores)} cores have two or more threads that ranks may use"
            if shared
            else f"one thread on each of {len(cores)} cores"
        ),
        meaning=(
            "Ranks, or a rank and another program, on two threads of one core slow each other."
            if shared
            else "No rank shares its core with another."
        ),
        advice="Keep one rank a core, or switch the threads off." if shared else None,
        command="echo off | sudo tee /sys/devices/system/cpu/smt/control" if shared else None,
        numbers={"cores": len(cores), "shared_cores": shared},
    )


_TURBO = "turbo"
TURBO_FILES = (f"{CPU}/intel_pstate/no_turbo", f"{CPU}/cpufreq/boost")
_TURBO_MEANING = (
    "With turbo the clock depends on the temperature and on the number of busy cores. Figures "
    "differ between runs, and one busy core slows the rest."
)


def turbo(system: System) -> CheckResult:
    """Frequencies above the nominal one."""
    for path, on_value in ((f"{CPU}/intel_pstate/no_turbo", 0), (f"{CPU}/cpufreq/boost", 1)):
        value = system.files.number(path)
        if value is not None:
            on = value == on_value
            return CheckResult(
                name=_TURBO,
                status="warn" if on else "ok",
                observed=f"turbo is {'on' if on else 'off'} ({path} is {value})",
                meaning=_TURBO_MEANING,
                advice="Switch turbo off to compare runs." if on else None,
                command=f"echo {1 - on_value} | sudo tee {path}" if on else None,
                numbers={"on": float(on)},
            )
    return CheckResult(
        name=_TURBO,
        status="unknown",
        observed="the kernel shows no turbo setting",
        meaning=_TURBO_MEANING,
    )
