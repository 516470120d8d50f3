"""The kernel's periodic interrupt."""

import gzip
import re

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.files import Files, parse_cpus
from leadline.site.hardware.processors import CPU, read_allowed

_BUSY_HZ = 1000


def check(system: System) -> CheckResult:
    """Tell how often a busy core is interrupted."""
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
