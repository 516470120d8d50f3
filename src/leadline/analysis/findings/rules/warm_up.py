"""First repetitions that are unlike all later ones."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import count, number, percent
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "A median bears it up to half of the repetitions; mean, p99 and maximum do not. Measure "
    "with more repetitions (`--minimum`), or take the first ones for what a program meets that "
    "communicates seldom."
)

_MATTERS = 1.1


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and MPI whose launches begin slower than they go on."""
    factors = {
        index: point.shape.warm_up_factor
        for index, point in enumerate(evidence.points)
        if point.shape and (point.shape.warm_up_factor or 0.0) >= _MATTERS
    }
    for group in evidence.groups(factors):
        worst = max(group, key=lambda index: factors[index] or 0.0)
        point, factor = evidence.points[worst], factors[worst] or 0.0
        first = point.shape.warm_up_repetitions if point.shape else 0
        part = first * point.launches / max(point.samples, 1)
        yield Finding(
            severity="notice",
            text=f"The first {count(first, 'repetition')} of each launch of "
            f"{name_of(evidence, worst)} take {number(factor)} times as long as the others, "
            f"{percent(part)} of all: the warm-up before them was too short.{worst_of(group)}",
            effect=factor,
            evidence={
                "warm_up_repetitions": float(first),
                "warm_up_factor": factor,
                "warm_up_fraction": part,
            },
            advice=ADVICE,
            points=tuple(group),
        )
