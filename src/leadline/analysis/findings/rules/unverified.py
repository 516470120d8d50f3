"""Figures whose data nobody checked."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of
from leadline.core.units import count
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Measure them again: the launch ended before the check."


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each benchmark and MPI with figures that a launch left unchecked.

    Of an import nobody knows; what its program found wrong is `wrong_data`.
    """
    if evidence.run.imported:
        return
    unchecked = [
        index
        for index, point in enumerate(evidence.points)
        if not point.verified and not _wrong(evidence, index)
    ]
    for group in evidence.groups(unchecked):
        yield Finding(
            severity="notice",
            text=f"{count(len(group), 'figure')}, the first {name_of(evidence, group[0])}, "
            "had no check of the data in some launch: it ended before the check.",
            evidence={"figures": float(len(group))},
            advice=f"Measure them again: `{command(evidence, group)}`.",
            points=tuple(group),
        )


def _wrong(evidence: Evidence, index: int) -> bool:
    return any(result.wrong_bytes or result.failed_trials for _, result in evidence.reports(index))
