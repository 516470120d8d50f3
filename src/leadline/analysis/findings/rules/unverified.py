"""Figures whose data were not checked."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, same_job
from leadline.core.units import count
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Measure again: a launch ended before the check of its data."
EVIDENCE = {"figures": "figures without a check in some launch"}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for the figures that a launch left unchecked.

    Of an import nobody knows; what its program found wrong is `wrong_data`.
    """
    if evidence.run.imported:
        return
    unchecked = [
        index
        for index, point in enumerate(evidence.points)
        if not point.verified and not _wrong(evidence, index)
    ]
    if group := unchecked:
        yield Finding(
            severity="notice",
            text=f"The data of {count(len(group), 'figure')} were not checked in some launch "
            f"(first: {name_of(evidence, group[0])}).",
            evidence={"figures": float(len(group))},
            advice="Measure again.",
            command=command(evidence, same_job(evidence, group, group[0])),
            points=tuple(group),
        )


def _wrong(evidence: Evidence, index: int) -> bool:
    return any(result.wrong_bytes or result.failed_trials for _, result in evidence.reports(index))
