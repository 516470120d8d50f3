"""The clock, the kernel's tick, and what stands between ranks and the hardware: checks."""

import gzip
import re

from leadline.core.units import format_seconds
from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.files import Files, parse_cpus
from leadline.site.hardware.inventory import container, hypervisor
from leadline.site.hardware.processors import CPU, read_allowed

_FOLDER = "/sys/devices/system/clocksource/clocksource0"
CLOCK_SOURCE_FILES = (f"{_FOLDER}/current_clocksource", f"{_FOLDER}/available_clocksource")
_READ_WITHOUT_KERNEL = ("tsc", "kvm-clock", "arch_sys_counter", "timebase", "hyperv_clocksource")


def clock_source(system: System) -> CheckResult:
    """What the clock is made of, and what a reading costs."""
    source = system.files.text(f"{_FOLDER}/current_clocksource")
    read_s = system.clock_read_s()
    numbers = {} if read_s is None else {"read_s": read_s}
    cost = "" if read_s is None else f"; a reading costs {format_seconds(read_s)}"
    if source is None:
        return CheckResult(
            name="clock-source",
            status="unknown",
            observed=f"the kernel does not name it{cost}",
            meaning="A slow clock hides short operations: they are measured in longer batches.",
            numbers=numbers,
        )
    slow = not source.startswith(_READ_WITHOUT_KERNEL)
    available = (system.files.text(f"{_FOLDER}/available_clocksource") or "").split()
    return CheckResult(
        name="clock-source",
        status="bad" if slow else "ok",
        observed=f"{source}{cost}",
        meaning=(
            "Each reading enters the kernel and asks a chip outside the processor. This can "
            "take longer than a small message."
            if slow
            else "The clock is read without entering the kernel."
        ),
        **(_cure(available) if slow else {}),
        numbers=numbers,
    )


def _cure(available: list[str]) -> dict[str, str]:
    """Return the advice, and the command that follows it."""
    if fast := [name for name in available if name.startswith(_READ_WITHOUT_KERNEL)]:
        return {
            "advice": f"Use the clock {fast[0]}.",
            "command": f"echo {fast[0]} | sudo tee {_FOLDER}/current_clocksource",
        }
    return {
        "advice": "Find out why the kernel gave up the processor's counter. Boot with tsc=reliable "
        "only if the firmware keeps it in step.",
        "command": "dmesg | grep -i tsc",
    }


_BUSY_HZ = 1000


def timer_tick(system: System) -> CheckResult:
    """The kernel's periodic interrupt."""
    hertz = _hertz(system.files)
    quiet = _quiet_cpus(system.files)
    usable = read_allowed(system.files)
    if hertz is None:
        status, rate = "unknown", "unknown rate (the kernel's configuration is not readable)"
    else:
        everywhere = bool(usable) and quiet.issuperset(usable)
        status = "warn" if hertz >= _BUSY_HZ and not everywhere else "ok"
        rate = f"{hertz} interrupts a second on a busy core"
    return CheckResult(
        name="timer-tick",
        status=status,
        observed=f"{rate}; {len(quiet.intersection(usable))} of {len(usable)} processors without",
        meaning="Each tick stops a rank for microseconds: visible in tails, and on many ranks in "
        "every collective.",
        advice="Boot with nohz_full=LIST for the cores of the ranks." if status == "warn" else None,
        numbers={} if hertz is None else {"tick_hertz": hertz, "processors_without": len(quiet)},
    )


def _quiet_cpus(files: Files) -> set[int]:
    text = files.text(f"{CPU}/nohz_full") or ""
    # Kernels print "(null)" where no processor was named.
    return set(parse_cpus(text)) if text[:1].isdigit() else set()


def _hertz(files: Files) -> int | None:
    configuration = files.text(f"/boot/config-{files.text('/proc/sys/kernel/osrelease')}")
    if configuration is None and files.exists("/proc/config.gz"):
        with gzip.open(files.root / "proc/config.gz", "rt") as packed:
            configuration = packed.read()
    match = re.search(r"^CONFIG_HZ=(\d+)$", configuration or "", re.MULTILINE)
    return int(match[1]) if match else None


def virtualization(system: System) -> CheckResult:
    """Containers and virtual machines."""
    machine = hypervisor(system.files)
    box = container(system.files, system.environment)
    layers = [
        text
        for text in (machine and f"virtual machine ({machine})", box and f"container ({box})")
        if text
    ]
    meanings = [
        meaning
        for found, meaning in (
            (
                machine,
                "The hypervisor may move or stop processors, and hide caches and cores: compare "
                "only with runs on the same kind of machine.",
            ),
            (
                box,
                "A container can limit processors, /dev/shm, locked memory and process_vm_readv.",
            ),
        )
        if found
    ]
    return CheckResult(
        name="virtualization",
        status="warn" if machine else "ok",
        observed=" and ".join(layers) or "neither virtual machine nor container",
        meaning=" ".join(meanings) or "Nothing stands between ranks and the hardware.",
        numbers={"virtual_machine": float(bool(machine)), "container": float(bool(box))},
    )
