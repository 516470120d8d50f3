"""The clock, the kernel's tick, and what stands between ranks and the hardware: checks."""

from leadline.core.units import format_seconds
from leadline.model.summary import CheckResult
from leadline.site.doctor.checks.verdict import Cure, verdict
from leadline.site.doctor.system import System
from leadline.site.hardware.files import parse_cpus
from leadline.site.hardware.inventory import container, hypervisor
from leadline.site.hardware.processors import CPU, read_allowed
from leadline.site.hardware.software import timer_hz

_FOLDER = "/sys/devices/system/clocksource/clocksource0"
CLOCK_SOURCE_FILES = (f"{_FOLDER}/current_clocksource", f"{_FOLDER}/available_clocksource")
_READ_WITHOUT_KERNEL = ("tsc", "kvm-clock", "arch_sys_counter", "timebase", "hyperv_clocksource")


def clock_source(system: System) -> CheckResult:
    """What the clock is made of, and what a reading costs."""
    source, available = map(system.files.text, CLOCK_SOURCE_FILES)
    read_s = system.clock_read_s()
    numbers = {} if read_s is None else {"read_s": read_s}
    cost = "" if read_s is None else f"; a reading costs {format_seconds(read_s)}"
    if source is None:
        meaning = "A slow clock hides short operations: they are measured in longer batches."
        return verdict("unknown", f"the kernel does not name it{cost}", meaning, **numbers)
    if source.startswith(_READ_WITHOUT_KERNEL):
        meaning = "The clock is read without entering the kernel."
        return verdict("ok", f"{source}{cost}", meaning, **numbers)
    fast = [name for name in (available or "").split() if name.startswith(_READ_WITHOUT_KERNEL)]
    cure: Cure = (
        "Find out why the kernel gave up the processor's counter. Boot with tsc=reliable only if "
        "the firmware keeps it in step.",
        "dmesg | grep -i tsc",
    )
    if fast:
        command = f"echo {fast[0]} | sudo tee {_FOLDER}/current_clocksource"
        cure = (f"Use the clock {fast[0]}.", command)
    return verdict(
        "bad",
        f"{source}{cost}",
        "Each reading enters the kernel and asks a chip outside the processor. This can take "
        "longer than a small message.",
        cure,
        **numbers,
    )


_BUSY_HZ = 1000


def timer_tick(system: System) -> CheckResult:
    """The kernel's periodic interrupt."""
    hertz = timer_hz(system.files)
    text = system.files.text(f"{CPU}/nohz_full") or ""
    # Kernels print "(null)" where no processor was named.
    quiet = set(parse_cpus(text)) if text[:1].isdigit() else set()
    usable = read_allowed(system.files)
    everywhere = bool(usable) and quiet.issuperset(usable)
    rate = "unknown rate (the kernel's configuration is not readable)"
    if hertz is not None:
        rate = f"{hertz} interrupts a second on a busy core"
    busy = hertz is not None and hertz >= _BUSY_HZ and not everywhere
    numbers = {} if hertz is None else {"tick_hertz": hertz, "processors_without": len(quiet)}
    return verdict(
        "warn" if busy else "unknown" if hertz is None else "ok",
        f"{rate}; {len(quiet.intersection(usable))} of {len(usable)} processors without",
        "Each tick stops a rank for microseconds: visible in tails, and on many ranks in every "
        "collective.",
        ("Boot with nohz_full=LIST for the cores of the ranks.",) if busy else (),
        **numbers,
    )


def virtualization(system: System) -> CheckResult:
    """Containers and virtual machines."""
    machine = hypervisor(system.files)
    box = container(system.files, system.environment)
    layers, meanings = [], []
    if machine:
        layers.append(f"virtual machine ({machine})")
        meanings.append(
            "The hypervisor may move or stop processors, and hide caches and cores: compare "
            "only with runs on the same kind of machine."
        )
    if box:
        layers.append(f"container ({box})")
        meanings.append(
            "A container can limit processors, /dev/shm, locked memory and process_vm_readv."
        )
    if not layers and system.files.text("/proc/cpuinfo") is None:
        meaning = "A hypervisor may move or stop processors unseen."
        return verdict("unknown", "the kernel does not describe the processor", meaning)
    return verdict(
        "warn" if machine else "ok",
        " and ".join(layers) or "neither virtual machine nor container",
        " ".join(meanings) or "Nothing stands between ranks and the hardware.",
        virtual_machine=float(bool(machine)),
        container=float(bool(box)),
    )
