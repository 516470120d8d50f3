"""Samples during which something else used the processor or the memory."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of
from leadline.core.units import percent
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "End what `leadline doctor` names, ask for exclusive nodes: a second leadline, a browser or"
    " a left-over rank is enough. Medians bear a few per cent, tails do not."
)

# Of all repetitions, and of those of one point.
_SMALL_OF_RUN, _SMALL_OF_POINT = 0.01, 0.05

_MEANING = {
    "preempted": "another process took the processor",
    "migrated": "a rank moved to another processor",
    "page_fault": "memory was not yet there",
    "late_start": "a rank came too late for the agreed start",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each disturbance that more than a small fraction of samples carries."""
    total = sum(point.samples + point.excluded for point in evidence.points)
    total += sum(point.set_aside for point in evidence.missing)
    for flag, meaning in _MEANING.items():
        carried = sum(point.flags.get(flag, 0) for point in evidence.points)
        carried += sum(point.flags.get(flag, 0) for point in evidence.missing)
        share = {i: evidence.share(i, flag) for i in range(len(evidence.points))}
        affected = [index for index in share if share[index] > _SMALL_OF_POINT]
        if not total or not share or (not affected and carried / total <= _SMALL_OF_RUN):
            continue
        worst = max(share, key=lambda index: share[index])
        yield Finding(
            severity="notice",
            text=f"In {percent(carried / total)} of all repetitions {meaning} ({flag}); most at "
            f"{name_of(evidence, worst)}: {percent(share[worst])}.",
            evidence={
                f"{flag}_fraction": carried / total,
                f"{flag}_repetitions": float(carried),
                "worst_fraction": share[worst],
            },
            advice=_advice(flag, evidence.run.plan.bind),
            points=tuple(affected or [worst]),
        )


def _advice(flag: str, bind: bool) -> str:
    if flag == "migrated" and not bind:
        return "Let leadline pin the ranks: leave out `--no-bind`."
    if flag == "page_fault":
        return "`leadline doctor` tells whether memory is short or huge pages are being formed."
    return "End what else runs (`leadline doctor` names it), then measure again."
