"""Time that a hypervisor gave to other machines while the cores had work."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import number, percent
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "Nothing inside this virtual machine can change that: ask for cores of your own, or measure"
    " when the host has less to do."
)

# What a benchmark calls the time that was taken from its cores, in per cent of its own.
_STOLEN = "stolen_percent"
_MUCH_PERCENT = 0.1
# Only calls that last long enough can tell that they were struck.
_TOLD = 0.001


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and MPI whose cores were taken away for a while."""
    stolen = {index: point.metrics.get(_STOLEN, 0.0) for index, point in enumerate(evidence.points)}
    for group in evidence.groups(i for i, value in stolen.items() if value >= _MUCH_PERCENT):
        worst = max(group, key=stolen.__getitem__)
        struck = evidence.share(worst, "stolen")
        hit = f" It struck {percent(struck)} of the calls."
        yield Finding(
            severity="notice",
            text=f"The hypervisor took {number(stolen[worst])} % of the time away from the cores "
            f"of {name_of(evidence, worst)}.{hit if struck >= _TOLD else ''}{worst_of(group)}",
            evidence={"stolen_fraction": stolen[worst] / 100, "stolen_calls_fraction": struck},
            advice=ADVICE,
            points=tuple(group),
        )
