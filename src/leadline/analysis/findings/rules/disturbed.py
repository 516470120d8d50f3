"""Repetitions during which something else used the processor or the memory."""

from collections.abc import Iterator

from leadline.analysis.compare.interference import interferers
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import name_of, whole_run
from leadline.core.units import percent
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "Stop the programs that `leadline doctor` names, or ask for exclusive nodes. Medians bear a "
    "few per cent, tails do not."
)
EVIDENCE = {
    "*_fraction": "repetitions that carry this flag: in the whole run, or at the worst figure",
    "*_repetitions": "number of repetitions that carry this flag",
}

# Of all repetitions, and of those of one point.
_SMALL_OF_RUN, _SMALL_OF_POINT = 0.01, 0.05

_MEANING = {
    "preempted": "another process took a core in {share} of the repetitions",
    "migrated": "a rank moved to another core in {share} of the repetitions",
    "page_fault": "memory was not yet there in {share} of the repetitions",
    "late_start": "{share} of the repetitions started late and are left out",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for the disturbances that more than a few samples carry, the worst first."""
    total = sum(point.samples + point.excluded for point in evidence.points)
    total += sum(point.set_aside for point in evidence.missing)
    told: dict[str, tuple[float, float, str]] = {}
    numbers: dict[str, float] = {}
    points: list[int] = []
    for flag, meaning in _MEANING.items():
        carried = sum(point.flags.get(flag, 0) for point in evidence.points)
        carried += sum(point.flags.get(flag, 0) for point in evidence.missing)
        share = {i: evidence.share(i, flag) for i in range(len(evidence.points))}
        affected = [index for index in share if share[index] > _SMALL_OF_POINT]
        if not total or not share or (not affected and carried / total <= _SMALL_OF_RUN):
            continue
        worst = max(share, key=lambda index: share[index])
        text = meaning.format(share=percent(carried / total))
        most = f" (most: {name_of(evidence, worst)}, {percent(share[worst])})"
        told[flag] = (carried / total, share[worst], f"{text[:1].upper()}{text[1:]}{most}.")
        numbers |= {f"{flag}_fraction": carried / total, f"{flag}_repetitions": float(carried)}
        points += affected or [worst]
    if told:
        flags = sorted(told, key=lambda flag: -told[flag][0])
        advice, command = _cure(evidence, flags)
        yield Finding(
            severity="notice",
            text=" ".join(told[flag][2] for flag in flags[:2]),
            evidence=numbers | {"worst_fraction": max(one[1] for one in told.values())},
            advice=advice,
            command=command,
            points=tuple(dict.fromkeys(points)),
        )


def _cure(evidence: Evidence, flags: list[str]) -> tuple[str | None, str | None]:
    """Return what the reader can do about the first disturbance that has a cure."""
    if "migrated" in flags and not evidence.run.plan.bind:
        command = whole_run(evidence)
        return "Pin the ranks.", command and command.replace(" --no-bind", "")
    programs = [one.name for one in interferers(evidence.run) if one.kind == "program"]
    if programs:
        return f"Stop {' and '.join(programs[:2])}, then measure again.", whole_run(evidence)
    if "page_fault" in flags:
        return "Find out whether memory is short.", "leadline doctor"
    return None, None
