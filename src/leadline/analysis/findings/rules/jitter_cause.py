"""Calls that took far longer than is typical of their rank: what that time goes back to."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.jitter_words import CAUSE, HELD_UP, groups
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import percent
from leadline.model.summary import Finding, Jitter

TOPIC = "steadiness"
ADVICE = (
    "End what takes the cores, or leave one free; what goes back to the network, other "
    "placements may change."
)

# Of all the time that the ranks spent in calls, and of the time in excess.
_WORTH_TELLING, _SMALL = 0.05, 0.05

_ADVICE = {
    "preempted": "Leave a core free for all that is not the program, or end what runs beside it "
    "(`leadline doctor` names it).",
    "hypervisor": "Whoever runs the host of this virtual machine has lent its cores to others, "
    "too: ask for cores of your own, or measure at another time.",
    "page_faults": "Allocate memory once, write to all of it before the first call and keep it; "
    "`leadline doctor` tells whether memory is short or huge pages are being formed.",
    "migrated": "Pin the ranks: without `--no-bind` leadline does.",
    "late_neighbour": "Look at what that rank has that others lack: its core, its node (run "
    "`leadline doctor` there), its work between the calls.",
    "machine_noise": "What the kernel does by itself takes this time: move interrupts and timer "
    "ticks to a core that is left free on each node.",
    "network": "Put a benchmark of work alone into the same plan, which tells the noise of the "
    "machine apart; then compare placements and ways to send.",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for the worst figure of each group that lost much time in its tail."""
    telling = [each for each in evidence.jitter if each.excess_fraction >= _WORTH_TELLING]
    for group in groups(evidence, telling):
        yield _finding(evidence, max(group, key=lambda one: one.excess_fraction), group)


def _finding(evidence: Evidence, worst: Jitter, group: list[Jitter]) -> Finding:
    causes = [name for name, part in worst.causes.items() if part >= _SMALL]
    parts = "; ".join(_part(worst, name) for name in causes)
    return Finding(
        severity="notice",
        text=f"{percent(worst.excess_fraction)} of the time in calls of "
        f"{name_of(evidence, worst.point)} is the excess of {worst.outliers} outliers over their "
        f"ranks' typical time. It goes back to {parts}.{_format_passed(worst)}"
        f"{worst_of([one.point for one in group])}",
        evidence={
            "excess_fraction": worst.excess_fraction,
            "outliers": float(worst.outliers),
            **{f"{name}_fraction": part for name, part in worst.causes.items()},
            "passed_on_fraction": worst.passed_on_fraction,
            "longest_chain": float(worst.longest_chain),
            "worst_rank": float(worst.ranks[0].rank),
            "worst_rank_fraction": worst.ranks[0].caused_fraction,
        },
        advice=_ADVICE[causes[0]],
        points=tuple(one.point for one in group),
    )


def _part(jitter: Jitter, name: str) -> str:
    """Return a cause with its share, and the rank where most of it began if that stands out."""
    most = max(jitter.ranks, key=lambda rank: rank.causes.get(name, 0.0))
    share = most.causes.get(name, 0.0) / jitter.causes[name]
    usual = 1 / jitter.tasks
    where = f", {percent(share)} of it on rank {most.rank}" if share > (1 + usual) / 2 else ""
    return f"{CAUSE[name]} ({percent(jitter.causes[name])}{where})"


def _format_passed(jitter: Jitter) -> str:
    if not jitter.passed or jitter.passed_on_fraction < _SMALL:
        return ""
    first = jitter.passed[0]
    return (
        f" {percent(jitter.passed_on_fraction)} was lost in waiting for other ranks, most of it "
        f"when rank {first.rank} waited for rank {first.from_rank}, {HELD_UP[first.cause]}."
    )
