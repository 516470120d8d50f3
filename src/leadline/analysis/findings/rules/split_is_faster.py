"""Sizes at which two calls with half the data would be faster than one.

The guideline of split-robustness: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance
Guidelines", IEEE TPDS 21(5), 2010. Told where no switch of protocol, slow size or falling rate is
the cause.
"""

from collections.abc import Iterator, Sequence

from leadline.analysis.findings.curve_causes import splits
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.losses import (
    LossyCurve,
    lossy_curves,
    points_of,
    worst_of_curves,
)
from leadline.analysis.findings.words import TUNE, again, compared_text, name_of, sizes_text, tuning
from leadline.core.units import format_bytes
from leadline.model.summary import Finding, Gain

TOPIC = "speed"
ADVICE = "Split such messages, or set the library's limit at which it takes another way."
EVIDENCE = {
    "sizes_slower": "sizes that two halves beat",
    "ratio": "time of the whole over that of two halves, the largest",
    "at_bytes": "size with the largest ratio",
    "curves": "curves with such sizes",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and MPI where a size takes longer than twice its half."""
    for curves in lossy_curves(evidence, splits):
        yield _finding(evidence, curves)


def _finding(evidence: Evidence, curves: Sequence[LossyCurve]) -> Finding:
    curve = curves[0]
    ratio, whole, half = curve.worst
    size = evidence.points[whole].bytes or 0
    sizes = [evidence.points[index].bytes or 0 for index in curve.points]
    lost = [evidence.points[one.slow].bytes or 0 for one in curve.losses]
    more = [each for each in lost if each != size]
    also = f"; also faster at {sizes_text(sizes, more)}" if more else ""
    tune = tuning(evidence, whole)
    sends = evidence.sends(evidence.points[whole].benchmark)
    what = "messages" if sends and not tune else "calls"
    low, high = ratio.interval or (None, None)
    return Finding(
        severity="notice",
        text=f"{name_of(evidence, whole, without=['bytes'])}: two {what} of "
        f"{format_bytes(size // 2)} are {compared_text(ratio, 'faster')} than one of "
        f"{format_bytes(size)}{also}.{worst_of_curves(curves)}",
        effect=ratio.median,
        evidence={
            "sizes_slower": float(len(lost)),
            **ratio.evidence(),
            "at_bytes": float(size),
            "curves": float(len(curves)),
        },
        advice=TUNE if tune else f"Split {what} of these sizes.",
        command=tune or again(evidence, [half, whole], launches=10),
        gain=Gain(times=ratio.median, low=low, high=high),
        points=points_of(curves),
    )
