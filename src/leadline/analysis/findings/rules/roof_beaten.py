"""Bounds that a right answer of the run is faster than: they bound nothing."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of
from leadline.analysis.results.roofs import beaten_roofs
from leadline.core.units import count, number
from leadline.model.summary import Finding

TOPIC = "hardware"
ADVICE = (
    "No percentage is shown of such a bound: its benchmark does not reach what this processor can."
    " Measure it again on a quiet machine; where it stays, report it with what `leadline doctor`"
    " prints."
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a problem for each benchmark with figures that are bounds and were beaten."""
    beaten = beaten_roofs(evidence.points, evidence.run.benchmarks)
    by_benchmark: dict[str, list[int]] = defaultdict(list)
    for index in beaten:
        by_benchmark[evidence.points[index].benchmark].append(index)
    for name, found in by_benchmark.items():
        worst = max(found, key=lambda index: beaten[index][1])
        faster, factor = beaten[worst]
        yield Finding(
            severity="problem",
            text=f"{name} is no bound in {count(len(found), 'figure')}: "
            f"{name_of(evidence, faster)} is {number(factor)} times as fast as "
            f"{name_of(evidence, worst)} would let it be.",
            effect=factor,
            evidence={"factor": factor, "figures": float(len(found))},
            advice=ADVICE,
            points=(*found, faster),
        )
