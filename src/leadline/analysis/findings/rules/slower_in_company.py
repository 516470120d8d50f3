"""Launches that were slower while another job or program ran.

Launches with it are compared with those without by ranks, in all orders that chance can make; the
probability is corrected for all jobs, programs and benchmarks.
"""

import statistics
from collections.abc import Iterator

from leadline.analysis.compare.interference import launches_text, watched
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.party_effects import PartyEffect, Split, party_effects
from leadline.analysis.findings.words import command, name_of, ratio_text
from leadline.analysis.stats.comparison import USEFUL_RATIO
from leadline.core.units import count, format_seconds, rate_text
from leadline.model.summary import Finding

TOPIC = "steadiness"
ADVICE = "Use the launches without the other work, and keep apart from it."
EVIDENCE = {
    "slower_ratio": "time with the other work over time without, all figures together",
    "worst_with_s": "time with it of the figure that suffers most",
    "worst_without_s": "its time without",
    "p_value": "chance of such a difference without an effect, corrected for all tests",
    "launches": "launches that were compared",
    "launches_with": "launches with the other work",
    "at_once": "1 where these launches follow on each other",
}
SOURCE = "S. Holm: A Simple Sequentially Rejective Multiple Test Procedure, 1979"

CHANCE = 0.05


def is_slower(one: PartyEffect) -> bool:
    """Tell whether figures took longer in company than chance explains, and enough to matter."""
    return one.p_value <= CHANCE and one.typical.median >= USEFUL_RATIO


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each party with which a benchmark was slower, of the worst benchmark."""
    slower = [one for one in party_effects(evidence) if is_slower(one)]
    for party in dict.fromkeys(one.party for one in slower):
        mine = [one for one in slower if one.party == party]
        worst = max(mine, key=lambda one: one.typical.median)
        yield _finding(evidence, worst, len(mine) - 1)


def _finding(evidence: Evidence, one: PartyEffect, others: int) -> Finding:
    worst = one.splits[0]
    more = f" So were {count(others, 'other benchmark')}." if others else ""
    where = launches_text(one.party.launches, len(watched(evidence.run)))
    stretch = " Something else may have changed at the same time." if one.at_once else ""
    indices = tuple(split.figure for split in one.splits)
    return Finding(
        severity="notice",
        text=f"{one.party.text()} ran {where}. {evidence.title(one.benchmark)} was "
        f"{ratio_text(one.typical)} slower meanwhile (most: {_range(evidence, worst)})."
        f"{more}{stretch}",
        effect=one.typical.median,
        evidence={
            **one.typical.evidence("slower_ratio"),
            "worst_with_s": _median(worst.within),
            "worst_without_s": _median(worst.without),
            "p_value": one.p_value,
            "launches": float(one.launches),
            "launches_with": float(one.together),
            "at_once": float(one.at_once),
        },
        advice="Measure again when this has ended.",
        command=command(evidence, indices, launches=max(10, one.launches)),
        points=indices,
    )


def _range(evidence: Evidence, split: Split) -> str:
    point = evidence.points[split.figure]
    name = name_of(evidence, split.figure)
    if point.bandwidth_MBps:
        moved = point.bandwidth_MBps * point.median_s
        return (
            f"{name}, {rate_text(moved / _median(split.within))} against "
            f"{rate_text(moved / _median(split.without))}"
        )
    return (
        f"{name}, {format_seconds(_median(split.within))} against "
        f"{format_seconds(_median(split.without))}"
    )


def _median(values: tuple[float, ...]) -> float:
    return statistics.median(values)
