"""Times that go to another level during the run and stay there."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import count, number
from leadline.model.shape import LevelChange
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "The machine was not the same throughout: compare with the times at which other work began "
    "or ended, and measure again when it is steady."
)

_MATTERS = 1.25


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice about the largest change of level, and how many figures have such changes."""
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
            f"from launch {change.launch} on"
            if change.repetition is None
            else f"from repetition {change.repetition} of launch {change.launch} on"
        )
        yield Finding(
            severity="notice",
            text=f"{name_of(evidence, worst)} takes {number(change.factor)} times as long "
            f"{where} as before, the largest of {count(changes, 'change')} of its level."
            f"{worst_of(group)}",
            effect=change.factor,
            evidence={
                "factor": change.factor,
                "launch": float(change.launch),
                "changes": float(changes),
            }
            | ({} if change.repetition is None else {"repetition": float(change.repetition)}),
            advice=ADVICE,
            points=tuple(group),
        )


def _size(change: LevelChange) -> float:
    return max(change.factor, 1 / change.factor)
