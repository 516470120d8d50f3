"""Two hardware threads that share one core."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.files import parse_cpus
from leadline.site.hardware.processors import CPU, read_allowed


def check(system: System) -> CheckResult:
    """Warn where two allowed processors are threads of one core."""
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
