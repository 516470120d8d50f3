"""What the clock is made of, and what a reading costs."""

from leadline.core.units import format_seconds
from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System

_FOLDER = "/sys/devices/system/clocksource/clocksource0"
FILES = (f"{_FOLDER}/current_clocksource", f"{_FOLDER}/available_clocksource")
_READ_WITHOUT_KERNEL = ("tsc", "kvm-clock", "arch_sys_counter", "timebase", "hyperv_clocksource")


def check(system: System) -> CheckResult:
    """Warn of clocks that only the kernel can read."""
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
