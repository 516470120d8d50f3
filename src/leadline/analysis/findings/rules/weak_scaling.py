"""Work that grows with the processes: whether the time stays, and where it does not."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.scaling import GAIN, by_processes
from leadline.analysis.findings.words import name_of, ratio_text
from leadline.analysis.results.program import WORK
from leadline.analysis.stats.comparison import clearly_longer, time_ratio
from leadline.core.units import percent
from leadline.model.summary import Finding, PointSummary

TOPIC = "speed"
ADVICE = (
    "Look at the step where most is lost for what all processes share: global sums, one link, "
    "one file."
)

_ITERATIONS = "iterations"


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a finding for each set of figures with as much work on each process.

    A notice where the time grows by a tenth or more, a fact where it holds. Where iterations are
    counted, it is the time of one.
    """
    groups: dict[object, list[int]] = defaultdict(list)
    for index, point in enumerate(evidence.points):
        if WORK in point.metrics and point.median_s > 0 and not point.oversubscribed:
            groups[_key(evidence, point)].append(index)
    for alike in groups.values():
        for by_count in by_processes(evidence, alike):
            yield from _of_group(evidence, by_count)


def _key(evidence: Evidence, point: PointSummary) -> object:
    each = point.metrics[WORK] / point.processes
    measured = (point.benchmark, point.series, point.mpi)
    return (*measured, evidence.choices(point), f"{each:.2g}")


def _of_group(evidence: Evidence, by_count: Mapping[int, int]) -> Iterator[Finding]:
    first, last = min(by_count), max(by_count)
    one, other = (evidence.points[by_count[n]] for n in (first, last))
    ratio = time_ratio(other, one)
    if ratio is None:
        return
    if _ITERATIONS in one.metrics and _ITERATIONS in other.metrics:
        ratio = ratio.scaled(one.metrics[_ITERATIONS] / other.metrics[_ITERATIONS])
    breaks = clearly_longer(ratio, useful=GAIN)
    holds = ratio.median < GAIN
    if not (breaks or holds):
        return
    amounts = [axis for axis, _ in evidence.amounts(other)]
    name = name_of(evidence, by_count[last], without=["place", "bytes", *amounts])
    yield Finding(
        severity="notice" if breaks else "fact",
        text=f"{name}: with as much work on each process, {last} processes take "
        f"{ratio_text(ratio)} as long as {first}: weak scaling "
        f"{'breaks' if breaks else 'holds'}, an efficiency of {percent(1 / ratio.median)}.",
        effect=ratio.median,
        evidence={
            **ratio.evidence("weak_ratio"),
            "efficiency_fraction": 1 / ratio.median,
            "from_processes": float(first),
            "to_processes": float(last),
        },
        advice=_advice(evidence, by_count) if breaks else None,
        points=tuple(by_count.values()),
    )


def _advice(evidence: Evidence, by_count: Mapping[int, int]) -> str:
    steps = list(by_count)
    worst = max(
        range(1, len(steps)),
        key=lambda i: (
            evidence.points[by_count[steps[i]]].median_s
            / evidence.points[by_count[steps[i - 1]]].median_s
        ),
    )
    return (
        f"Most is lost between {steps[worst - 1]} and {steps[worst]} processes: look there for "
        "what all of them share (global sums, one link, one file)."
    )
