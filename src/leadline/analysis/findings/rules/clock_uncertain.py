"""Times between two ranks' clocks that are not surely synchronised well enough."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, worst_of
from leadline.core.units import format_seconds, percent
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Start after a barrier: `--start barrier` needs no common clock."

_SMALL = 0.05


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice where the clocks' error is not small against the figure."""
    error = {i: _error_s(evidence, i) for i in range(len(evidence.points))}
    flagged = {i: evidence.share(i, "clock_uncertain") for i in error}
    doubtful = [
        index
        for index, point in enumerate(evidence.points)
        if error[index] > _SMALL * point.median_s or flagged[index] > _SMALL
    ]
    for group in evidence.groups(doubtful):
        worst = max(group, key=lambda i: error[i] / max(evidence.points[i].median_s, 1e-12))
        median_s = evidence.points[worst].median_s
        share = f"; {percent(flagged[worst])} of its repetitions are marked for it"
        marked = share if flagged[worst] else ""
        yield Finding(
            severity="notice",
            text=f"{name_of(evidence, worst)} takes {format_seconds(median_s)}, but the ranks' "
            f"clocks agree only within {format_seconds(error[worst])}{marked}.{worst_of(group)}",
            evidence={
                "clock_error_s": error[worst],
                "median_s": median_s,
                "clock_uncertain_fraction": flagged[worst],
            },
            advice="A start after a barrier needs no common clock: "
            f"`{command(evidence, group, start='barrier')}`.",
            points=tuple(group),
        )


def _error_s(evidence: Evidence, index: int) -> float:
    return max((result.clock_error_s for _, result in evidence.reports(index)), default=0.0)
