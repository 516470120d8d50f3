"""Frequencies above the nominal one."""

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.processors import CPU

_NAME = "turbo"
FILES = (f"{CPU}/intel_pstate/no_turbo", f"{CPU}/cpufreq/boost")
_MEANING = (
    "With turbo the clock depends on the temperature and on the number of busy cores. Figures "
    "differ between runs, and one busy core slows the rest."
)


def check(system: System) -> CheckResult:
    """Warn where turbo (boost) is on."""
    for path, on_value in ((f"{CPU}/intel_pstate/no_turbo", 0), (f"{CPU}/cpufreq/boost", 1)):
        value = system.files.number(path)
        if value is not None:
            on = value == on_value
            return CheckResult(
                name=_NAME,
                status="warn" if on else "ok",
                observed=f"turbo is {'on' if on else 'off'} ({path} is {value})",
                meaning=_MEANING,
                advice="Switch turbo off to compare runs." if on else None,
                command=f"echo {1 - on_value} | sudo tee {path}" if on else None,
                numbers={"on": float(on)},
            )
    return CheckResult(
        name=_NAME,
        status="unknown",
        observed="the kernel shows no turbo setting",
        meaning=_MEANING,
    )
