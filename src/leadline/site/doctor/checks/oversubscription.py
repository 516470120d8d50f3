"""More work than processors."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.activity import read_counters
from leadline.site.hardware.processors import read_allowed


def check(system: System) -> CheckResult:
    """Compare the tasks that want to run with the processors that ranks may use."""
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
