"""The slowest task of a call against the average task, where tasks exchange with neighbours."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.jitter_words import groups
from leadline.analysis.findings.words import name_of, place_of, ratio_text, worst_of
from leadline.analysis.stats.comparison import Ratio
from leadline.analysis.stats.statistics import Interval
from leadline.core.units import format_seconds, times
from leadline.model.summary import Finding, Jitter

TOPIC = "steadiness"
ADVICE = "Remove the cause of the slow calls, or send less often and more at once."
EVIDENCE = {
    "maximum_over_average": "slowest task over average task, both averaged over calls",
    "maximum_s": "mean time of the slowest task",
    "average_s": "mean time of all tasks",
    "single_s": "median time of a single task",
    "tasks": "tasks",
}
SOURCE = "J. Hague: Switch Jitter, ECMWF 2008"

# Surely so much above the average, the slowest task sets the pace.
_NOTICE = 1.5


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each benchmark and MPI whose tasks exchange with neighbours."""
    for group in groups(evidence, [one for one in evidence.jitter if one.predictions]):
        worst = max(group, key=lambda one: one.maximum_over_average)
        ratio = Ratio(worst.maximum_over_average, Interval(worst.ci95_low, worst.ci95_high), "")
        steep = worst.ci95_low >= _NOTICE
        yield Finding(
            severity="notice" if steep else "fact",
            text=f"The slowest task of {name_of(evidence, worst.point)} is {ratio_text(ratio)} "
            f"slower than the average: {format_seconds(worst.maximum_s)} against "
            f"{format_seconds(worst.average_s)}.{_by_tasks(evidence, worst)}"
            f"{worst_of([one.point for one in group])}",
            evidence={
                "maximum_over_average": worst.maximum_over_average,
                "maximum_over_average_low": worst.ci95_low,
                "maximum_over_average_high": worst.ci95_high,
                "maximum_s": worst.maximum_s,
                "average_s": worst.average_s,
                "single_s": worst.single_s,
                "tasks": float(worst.tasks),
            },
            advice=ADVICE if steep else None,
            points=tuple(one.point for one in group),
        )


def _by_tasks(evidence: Evidence, jitter: Jitter) -> str:
    """Return the ratio of the same calls on the other placements of the run, if there are any."""
    own = evidence.points[jitter.point]
    alike = []
    for one in evidence.jitter:
        point = evidence.points[one.point]
        same = (point.benchmark, point.series, point.axes, point.conditions, point.mpi)
        if same == (own.benchmark, own.series, own.axes, own.conditions, own.mpi):
            alike.append(one)
    if len(alike) < 2:
        return ""
    alike.sort(key=lambda one: one.tasks)
    told = ", ".join(
        f"{times(one.maximum_over_average)} on {place_of(evidence.points[one.point])}"
        for one in alike
    )
    return f" By placement: {told}."
