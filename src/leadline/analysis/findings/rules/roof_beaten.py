"""Hardware limits that a correct figure of the run exceeds: they are no limits."""

from collections import defaultdict
from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import again, name_of
from leadline.analysis.results.rates import beaten_roofs
from leadline.core.units import count, times
from leadline.model.summary import Finding

TOPIC = "hardware"
ADVICE = "Measure the limit again on a quiet machine."
EVIDENCE = {
    "factor": "how far the limit is exceeded",
    "figures": "figures that are no limit",
}


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
            text=f"{evidence.title(name)} is no limit in {count(len(found), 'figure')}: "
            f"{name_of(evidence, faster)} is {times(factor)} faster than "
            f"{name_of(evidence, worst)} allows.",
            effect=factor,
            evidence={"factor": factor, "figures": float(len(found))},
            advice=ADVICE,
            command=again(evidence, found, launches=10),
            points=(*found, faster),
        )
