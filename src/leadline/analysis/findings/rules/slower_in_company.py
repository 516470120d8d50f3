"""Launches that were slower while somebody else was there."""

import statistics
from collections.abc import Iterator

from leadline.analysis.compare.interference import launches_text, watched
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.party_effects import (
    PartyEffect,
    Split,
    party_effects,
    probability_text,
)
from leadline.analysis.findings.words import name_of, proof, ratio_text
from leadline.analysis.stats.comparison import USEFUL_RATIO
from leadline.core.units import count, format_seconds, number, rate_text
from leadline.model.summary import Finding

TOPIC = "steadiness"
ADVICE = "Take the launches without it for the machine's own; keep apart from that neighbour."

CHANCE = 0.05


def is_slower(one: PartyEffect) -> bool:
    """Tell whether figures took longer in company than chance explains, and enough to matter."""
    return one.p_value <= CHANCE and one.typical.median >= USEFUL_RATIO


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each party with which a benchmark was slower; others have it too."""
    slower = [one for one in party_effects(evidence) if is_slower(one)]
    for party in dict.fromkeys(one.party for one in slower):
        mine = [one for one in slower if one.party == party]
        worst = max(mine, key=lambda one: one.typical.median)
        yield _finding(evidence, worst, len(mine) - 1)


def _finding(evidence: Evidence, one: PartyEffect, others: int) -> Finding:
    worst = one.splits[0]
    more = f" So did {count(others, 'other benchmark')}." if others else ""
    where = launches_text(one.party.launches, len(watched(evidence.run)))
    stretch = (
        " It was there in one stretch, so that whatever else changed then looks the same."
        if one.at_once
        else ""
    )
    indices = tuple(split.figure for split in one.splits)
    return Finding(
        severity="notice",
        text=f"{one.party.text()} was there {where}: {one.benchmark} took "
        f"{ratio_text(one.typical)} as long as without; most {_range(evidence, worst)}. By chance "
        f"launches with it are as slow with a probability of {probability_text(one.p_value)}.{more}"
        f"{stretch}",
        effect=one.typical.median,
        evidence={
            **one.typical.evidence("slower_ratio"),
            "worst_with_s": _median(worst.within),
            "worst_without_s": _median(worst.without),
            "p_value": one.p_value,
            "launches": float(one.launches),
            "launches_with": float(one.together),
        },
        advice="The launches without it are the machine's own figures. Measure when it is gone, or "
        f"keep apart from it. {proof(evidence, indices, launches=max(10, one.launches))}.",
        points=indices,
    )


def _range(evidence: Evidence, split: Split) -> str:
    point = evidence.points[split.figure]
    name = name_of(evidence, split.figure)
    if point.bandwidth_MBps:
        moved = point.bandwidth_MBps * point.median_s
        every = [moved / seconds for seconds in (*split.within, *split.without)]
        return (
            f"{name}: {rate_text(moved / _median(split.within))} with it and "
            f"{rate_text(moved / _median(split.without))} without, over all launches "
            f"{number(min(every))} to {rate_text(max(every))}"
        )
    seconds = (*split.within, *split.without)
    return (
        f"{name}: {format_seconds(_median(split.within))} with it and "
        f"{format_seconds(_median(split.without))} without, over all launches "
        f"{format_seconds(min(seconds))} to {format_seconds(max(seconds))}"
    )


def _median(values: tuple[float, ...]) -> float:
    return statistics.median(values)
