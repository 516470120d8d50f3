"""Launches that met the machine slower than the rest did, as its yardsticks show.

Everything between two cores takes longer for a while: on virtual machines when the host moves them.
"""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.results.states import slow_spell
from leadline.core.units import count, times
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Nothing to do: figures are of one state, and comparisons are within states."
EVIDENCE = {
    "slow_launches": "launches that met a slower state of the machine at some time",
    "launches": "launches of the run",
    "times": "factor by which a cache line takes longer between two cores then",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice of the run, about the figures whose launches met several states."""
    spell = slow_spell(evidence.run)
    if spell is None:
        return
    group = tuple(index for index, point in enumerate(evidence.points) if point.states)
    fast = all(evidence.points[index].states[0].state == 0 for index in group)
    others = f" Figures are of the {'other' if fast else 'slow'} launches." if group else ""
    yield Finding(
        severity="notice",
        text=f"{spell.launches} of {count(spell.of, 'launch')} met a slow spell of the machine: "
        f"cores are {times(spell.times)} farther apart.{others}",
        evidence={
            "slow_launches": float(spell.launches),
            "launches": float(spell.of),
            "times": spell.times,
        },
        advice=ADVICE,
        points=group,
    )
