"""Time that the hypervisor gave to other virtual machines while the cores had work."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import percent
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Ask for dedicated cores, or measure when the host has less to do."
EVIDENCE = {
    "stolen_fraction": "time of the cores that the hypervisor took",
    "stolen_calls_fraction": "calls that were hit",
}

# What a benchmark calls the time that was taken from its cores, in per cent of its own.
_STOLEN = "stolen_percent"
_MUCH_PERCENT = 0.1
# Only calls that last long enough can tell that they were struck.
_TOLD = 0.001


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for the figure whose cores were taken away longest."""
    stolen = {index: point.metrics.get(_STOLEN, 0.0) for index, point in enumerate(evidence.points)}
    if group := [i for i, value in stolen.items() if value >= _MUCH_PERCENT]:
        worst = max(group, key=stolen.__getitem__)
        struck = evidence.share(worst, "stolen")
        hit = f" {percent(struck)} of the calls were hit."
        yield Finding(
            severity="notice",
            text=f"The hypervisor took {percent(stolen[worst] / 100)} of the cores' time from "
            f"{name_of(evidence, worst)}.{hit if struck >= _TOLD else ''}{worst_of(group)}",
            evidence={"stolen_fraction": stolen[worst] / 100, "stolen_calls_fraction": struck},
            advice=ADVICE,
            points=tuple(group),
        )
