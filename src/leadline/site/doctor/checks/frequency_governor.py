"""Who chooses the processors' frequency."""

from collections import Counter

from leadline.model.summary import CheckResult
from leadline.site.doctor.system import System
from leadline.site.hardware.processors import CPU, read_allowed

_NAME = "frequency-governor"
FILES = (f"{CPU}/online", f"{CPU}/cpu*/cpufreq/scaling_governor")
_MEANING = (
    "Any governor but performance lowers the clock of a core that waits. The same message takes "
    "longer after a pause than in a busy loop."
)


def check(system: System) -> CheckResult:
    """Warn of processors whose frequency follows the load."""
    found = Counter(
        governor
        for cpu in read_allowed(system.files)
        if (governor := system.files.text(f"{CPU}/cpu{cpu}/cpufreq/scaling_governor"))
    )
    if not found:
        return CheckResult(
            name=_NAME,
            status="unknown",
            observed="this kernel does not control the frequency (firmware or hypervisor does)",
            meaning="The clock may change unseen; several launches show its spread.",
        )
    others = found.total() - found["performance"]
    return CheckResult(
        name=_NAME,
        status="warn" if others else "ok",
        observed=", ".join(f"{name} on {count} processors" for name, count in found.items()),
        meaning=_MEANING,
        advice="Set the governor performance." if others else None,
        command="sudo cpupower frequency-set --governor performance" if others else None,
        numbers={"processors": found.total(), "not_performance": others},
    )
