"""Sizes at which two calls with half the data would be faster than one.

The guideline of split-robustness: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance
Guidelines", IEEE TPDS 21(5), 2010.
"""

from collections.abc import Iterator

from leadline.analyse.comparison import clearly_longer, in_series, time_ratio
from leadline.findings.evidence import Evidence
from leadline.findings.kinds import kind_of
from leadline.findings.words import name_of, proof, ratio_text, sizes_text
from leadline.model.summary import Finding, Sweep
from leadline.units import format_bytes


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each curve on which some size takes longer than twice its half."""
    for sweep in evidence.sweeps:
        yield from _of_sweep(evidence, sweep)


def _of_sweep(evidence: Evidence, sweep: Sweep) -> Iterator[Finding]:
    points = evidence.points
    by_size = {points[index].bytes or 0: index for index in sweep.points}
    found = []
    for size, whole in by_size.items():
        half = by_size.get(size // 2) if size > 0 and size % 2 == 0 else None
        if half is None or evidence.mostly_disturbed(whole) or evidence.mostly_disturbed(half):
            continue
        ratio = time_ratio(points[whole], in_series([points[half]] * 2))
        if ratio is not None and clearly_longer(ratio):
            found.append((ratio, size, whole, half))
    if not found:
        return
    ratio, size, whole, half = max(found, key=lambda one: one[0].median)
    yield Finding(
        kind=kind_of(__name__),
        severity="notice",
        text=f"{name_of(evidence, whole, without=['bytes'])}: one call with {format_bytes(size)} "
        f"takes longer than two with {format_bytes(size // 2)}, {ratio_text(ratio)}; so it is at "
        f"{sizes_text(list(by_size), [one[1] for one in found])}.",
        evidence={
            "sizes_slower": float(len(found)),
            **ratio.evidence(),
            "at_bytes": float(size),
        },
        advice="Splitting the data would be faster: a cache overflows, or the library changes to "
        f"a poorer way there. {proof(evidence, [half, whole], launches=10)}.",
        points=tuple(dict.fromkeys(index for one in found for index in one[2:])),
    )
