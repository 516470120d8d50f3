"""The clocks of two ranks agree too poorly for the time between them.

Times that begin on one rank and end on another need one clock. Its error is estimated from messages
that are sent back and forth, before and after each launch.
"""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, same_job, worst_of
from leadline.core.units import format_seconds, percent
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Start after a barrier (`--start barrier`), which needs no common clock."
EVIDENCE = {
    "clock_error_s": "most by which the ranks' clocks may differ",
    "median_s": "the figure",
    "clock_uncertain_fraction": "repetitions that are marked for their clocks",
}
SOURCE = (
    "S. Hunold, A. Carpen-Amarie: On the Impact of Synchronizing Clocks and Processes on "
    "Benchmarking MPI Collectives, EuroMPI 2015"
)

_SMALL = 0.05


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice where the clocks' error is not small against the figure."""
    error = {i: _error_s(evidence, i) for i in range(len(evidence.points))}
    flagged = {i: evidence.share(i, "clock_uncertain") for i in error}
    doubtful = [
        index
        for index, point in enumerate(evidence.points)
        if error[index] > _SMALL * point.median_s or flagged[index] > _SMALL
    ]
    if not doubtful:
        return
    worst = max(doubtful, key=lambda i: error[i] / max(evidence.points[i].median_s, 1e-12))
    median_s = evidence.points[worst].median_s
    marked = f" {percent(flagged[worst])} of its repetitions are marked." if flagged[worst] else ""
    yield Finding(
        severity="notice",
        text=f"{name_of(evidence, worst)} takes {format_seconds(median_s)}, but the ranks' clocks "
        f"agree only within {format_seconds(error[worst])}.{marked}{worst_of(doubtful)}",
        evidence={
            "clock_error_s": error[worst],
            "median_s": median_s,
            "clock_uncertain_fraction": flagged[worst],
        },
        advice="Start the repetitions after a barrier, which needs no common clock.",
        command=command(evidence, same_job(evidence, doubtful, worst), start="barrier"),
        points=tuple(doubtful),
    )


def _error_s(evidence: Evidence, index: int) -> float:
    return max((result.clock_error_s for _, result in evidence.reports(index)), default=0.0)
