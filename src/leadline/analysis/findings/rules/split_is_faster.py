"""Sizes at which two calls with half the data would be faster than one.

The guideline of split-robustness: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance
Guidelines", IEEE TPDS 21(5), 2010.
"""

from collections.abc import Iterator, Sequence

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import sustained
from leadline.analysis.findings.losses import (
    Loss,
    LossyCurve,
    lossy_curves,
    points_of,
    worst_of_curves,
)
from leadline.analysis.findings.words import name_of, proof, ratio_text, sizes_text
from leadline.analysis.stats.comparison import clearly_longer, in_series, time_ratio
from leadline.core.units import format_bytes
from leadline.model.summary import Finding, Sweep

TOPIC = "speed"
ADVICE = "Split the call there, or set the library's limit at which it takes another way."


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and MPI where a size takes longer than twice its half."""
    for curves in lossy_curves(evidence, _losses):
        yield _finding(evidence, curves)


def _losses(evidence: Evidence, sweep: Sweep) -> Iterator[Loss]:
    if not evidence.may("split", sweep.benchmark):
        return
    points = evidence.points
    by_size = {points[index].bytes or 0: index for index in sustained(evidence, sweep)}
    for size, whole in by_size.items():
        half = by_size.get(size // 2) if size > 0 and size % 2 == 0 else None
        if half is None or evidence.mostly_disturbed(whole) or evidence.mostly_disturbed(half):
            continue
        ratio = time_ratio(points[whole], in_series([points[half]] * 2))
        if ratio is None or not clearly_longer(ratio):
            continue
        # A single number above the next larger size, too, was disturbed.
        after = sweep.points[sweep.points.index(whole) + 1 :][:1]
        alone = any(points[index].median_s < points[whole].median_s for index in after)
        if ratio.interval or not alone:
            yield Loss(ratio, whole, half)


def _finding(evidence: Evidence, curves: Sequence[LossyCurve]) -> Finding:
    curve = curves[0]
    ratio, whole, half = curve.worst
    size = evidence.points[whole].bytes or 0
    sizes = [evidence.points[index].bytes or 0 for index in curve.points]
    lost = [evidence.points[one.slow].bytes or 0 for one in curve.losses]
    return Finding(
        severity="notice",
        text=f"{name_of(evidence, whole, without=['bytes'])}: one call with {format_bytes(size)} "
        f"takes longer than two with {format_bytes(size // 2)}, {ratio_text(ratio)}; so it is at "
        f"{sizes_text(sizes, lost)}.{worst_of_curves(curves)}",
        effect=ratio.median,
        evidence={
            "sizes_slower": float(len(lost)),
            **ratio.evidence(),
            "at_bytes": float(size),
            "curves": float(len(curves)),
        },
        advice="Splitting the data would be faster: a cache overflows, or the library changes to "
        f"a poorer way there. {proof(evidence, [half, whole], launches=10)}.",
        points=points_of(curves),
    )
