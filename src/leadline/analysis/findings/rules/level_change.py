"""Figures whose level changed during the run, from one launch or repetition on.

Found by binary segmentation of the medians of blocks and of launches.
"""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, whole_run, worst_of
from leadline.core.units import times
from leadline.model.noise import LevelChange
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Find out what began or ended then, and measure again when the machine is steady."
EVIDENCE = {
    "factor": "time after the change over time before",
    "launch": "launch of the change, counted from 0",
    "repetition": "repetition of that launch",
    "changes": "changes of level of this figure",
}

_MATTERS = 1.25


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice about the largest change of level, and the number of figures with one."""
    largest = {
        index: max(point.shape.changes, key=_size)
        for index, point in enumerate(evidence.points)
        if point.shape and point.shape.changes
    }
    group = [index for index, one in largest.items() if _size(one) >= _MATTERS]
    if group:
        worst = max(group, key=lambda index: _size(largest[index]))
        change, shape = largest[worst], evidence.points[worst].shape
        changes = len(shape.changes) if shape else 0
        where = (
            f"from launch {change.launch + 1} on"
            if change.repetition is None
            else f"from repetition {change.repetition} of launch {change.launch + 1} on"
        )
        yield Finding(
            severity="notice",
            text=f"{name_of(evidence, worst)} became {times(_size(change))} "
            f"{'slower' if change.factor > 1 else 'faster'} {where}"
            f"{f' (largest of {changes} changes)' if changes > 1 else ''}.{worst_of(group)}",
            effect=change.factor,
            evidence={
                "factor": change.factor,
                "launch": float(change.launch),
                "changes": float(changes),
            }
            | ({} if change.repetition is None else {"repetition": float(change.repetition)}),
            advice="Measure again when the machine is steady.",
            command=whole_run(evidence),
            points=tuple(group),
        )


def _size(change: LevelChange) -> float:
    return max(change.factor, 1 / change.factor)
