"""First repetitions of a launch that are slower than the later ones."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, same_job, worst_of
from leadline.core.units import count, percent, times
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "Measure more repetitions (`--minimum`). The median is not affected; mean, p99 and maximum are."
)
EVIDENCE = {
    "warm_up_repetitions": "first repetitions of each launch that are slower",
    "warm_up_factor": "their time over that of the later ones",
    "warm_up_fraction": "part of all repetitions that they are",
}

_MATTERS = 1.1
# So many times the first repetitions make them a small part of all.
_MORE = 100


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for the figures whose launches begin slower than they go on."""
    factors = {
        index: point.shape.warm_up_factor
        for index, point in enumerate(evidence.points)
        if point.shape and (point.shape.warm_up_factor or 0.0) >= _MATTERS
    }
    if group := list(factors):
        worst = max(group, key=lambda index: factors[index] or 0.0)
        point, factor = evidence.points[worst], factors[worst] or 0.0
        first = point.shape.warm_up_repetitions if point.shape else 0
        part = first * point.launches / max(point.samples, 1)
        yield Finding(
            severity="notice",
            text=f"The first {count(first, 'repetition')} of {name_of(evidence, worst)} "
            f"{'is' if first == 1 else 'are'} {times(factor)} slower ({percent(part)} of all): the "
            f"warm-up was too short.{worst_of(group)}",
            effect=factor,
            evidence={
                "warm_up_repetitions": float(first),
                "warm_up_factor": factor,
                "warm_up_fraction": part,
            },
            advice="Measure more repetitions; the median is not affected, p99 and maximum are.",
            command=command(evidence, same_job(evidence, group, worst), minimum=_MORE * first),
            points=tuple(group),
        )
