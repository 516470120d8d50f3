"""Time lost in slow calls (outliers), and its causes.

An outlier is far above the typical time of its rank. What the kernel counted during it, a rank that
began late, and noise known from work alone are its causes; the rest is network or library.
"""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.jitter_words import CAUSE, HELD_UP
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import count, percent
from leadline.model.summary import Finding, Jitter

TOPIC = "steadiness"
ADVICE = "Leave one core of each node free; for network or library, try another placement."
EVIDENCE = {
    "excess_fraction": "time in calls that outliers took above the typical time of their rank",
    "outliers": "slow calls",
    "*_fraction": "part of the lost time with this cause",
    "longest_chain": "ranks that one delay passed through",
    "worst_rank": "rank on which most delays began",
}

# Of all the time that the ranks spent in calls, and of the time in excess.
_WORTH_TELLING, _SMALL = 0.05, 0.05

_ADVICE = {
    "preempted": "Leave one core of each node free for the system and other programs.",
    "hypervisor": "Ask for dedicated cores, or measure at another time.",
    "page_faults": "Allocate memory once, write to all of it before the first call, and keep it.",
    "migrated": "Pin the ranks.",
    "late_neighbour": "Check the core and the node of the late rank.",
    "machine_noise": "Move interrupts and timer ticks to one core of each node that is left free.",
    "network": "Compare placements, to tell the network from the library.",
}
_DOCTOR = {"preempted", "page_faults", "late_neighbour"}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for the figure that lost most time in slow calls, if it is much."""
    telling = [each for each in evidence.jitter if each.excess_fraction >= _WORTH_TELLING]
    if telling:
        yield _finding(evidence, max(telling, key=lambda one: one.excess_fraction), telling)


def _finding(evidence: Evidence, worst: Jitter, group: list[Jitter]) -> Finding:
    causes = [name for name, part in worst.causes.items() if part >= _SMALL]
    works = any(one.point == worst.point and one.costs for one in evidence.noise)
    sends = evidence.sends(evidence.points[worst.point].benchmark) and not works
    parts = "; ".join(_part(worst, name, sends) for name in causes)
    cured = causes[0] != "network" or sends
    return Finding(
        severity="notice",
        text=f"{count(worst.outliers, 'slow call')} cost {percent(worst.excess_fraction)} of the "
        f"time in {name_of(evidence, worst.point)}. {'Causes' if len(causes) > 1 else 'Cause'}: "
        f"{parts}.{_format_passed(worst)}{worst_of([one.point for one in group])}",
        evidence={
            "excess_fraction": worst.excess_fraction,
            "outliers": float(worst.outliers),
            **{f"{name}_fraction": part for name, part in worst.causes.items()},
            "passed_on_fraction": worst.passed_on_fraction,
            "longest_chain": float(worst.longest_chain),
            "worst_rank": float(worst.ranks[0].rank),
            "worst_rank_fraction": worst.ranks[0].caused_fraction,
        },
        advice=_ADVICE[causes[0]] if cured else None,
        command="leadline doctor" if causes[0] in _DOCTOR else None,
        points=tuple(one.point for one in group),
    )


def _part(jitter: Jitter, name: str, sends: bool) -> str:
    """Return a cause with its share, and the rank where most of it began if that stands out.

    Where nothing is sent, what is left over is neither network nor library.
    """
    if name == "network" and not sends:
        return f"unknown ({percent(jitter.causes[name])})"
    most = max(jitter.ranks, key=lambda rank: rank.causes.get(name, 0.0))
    share = most.causes.get(name, 0.0) / jitter.causes[name]
    usual = 1 / jitter.tasks
    where = f", mostly on rank {most.rank}" if share > (1 + usual) / 2 else ""
    return f"{CAUSE[name]} ({percent(jitter.causes[name])}{where})"


def _format_passed(jitter: Jitter) -> str:
    if not jitter.passed or jitter.passed_on_fraction < _SMALL:
        return ""
    first = jitter.passed[0]
    return (
        f" {percent(jitter.passed_on_fraction)} of the loss was waiting: mostly rank {first.rank} "
        f"for rank {first.from_rank}, {HELD_UP[first.cause]}."
    )
