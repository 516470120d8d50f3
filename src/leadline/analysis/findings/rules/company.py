"""Other jobs and programs that ran during launches, with an effect that is not known.

A launch with them is compared with one without by ranks, in all orders that chance can make. Where
enough launches show no effect, nothing is said.
"""

from collections.abc import Iterator

from leadline.analysis.compare.interference import Party, launches_text, parties, watched
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.party_effects import PartyEffect, party_effects
from leadline.analysis.findings.rules.slower_in_company import CHANCE
from leadline.analysis.findings.words import command, whole_run
from leadline.analysis.stats.ranks import launches_to_tell
from leadline.core.units import count, times
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = "Measure more launches, or measure again when the other work has ended."
EVIDENCE = {
    "with_ratio": "time with the other work over time without, all figures together",
    "p_value": "chance of such a difference without an effect, corrected for all tests",
    "least_p_value": "the smallest chance that so few launches can show",
    "launches": "launches that were watched",
    "launches_with": "launches with the other work",
    "companions": "other jobs and programs",
}
SOURCE = "S. Holm: A Simple Sequentially Rejective Multiple Test Procedure, 1979"

_LAUNCHES = 10
# A difference that few launches cannot prove is worth more launches from here on.
_LARGE = 1.25


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one fact of the effect that more launches would tell, and one of what none can tell."""
    run = evidence.run
    told = party_effects(evidence)
    unsure = [one for one in told if one.least_p_value > CHANCE and one.typical.median >= _LARGE]
    if unsure:
        yield _unsure(evidence, max(unsure, key=lambda one: one.typical.median))
    apart = {one.party for one in told}
    rest = [party for party in parties(run) if party not in apart]
    if rest:
        of = len(watched(run))
        more = f", and {len(rest) - 1} more" if len(rest) > 1 else ""
        where = launches_text(rest[0].launches, of)
        yield Finding(
            severity="fact",
            text=f"{rest[0].text()} ran {where}{more}. The effect on the figures is unknown.",
            evidence={"launches": float(of), "companions": float(sum(map(_size, rest)))},
            advice="Measure again when this has ended, and compare the two runs.",
            command=whole_run(evidence),
        )


def _size(party: Party) -> int:
    return len(party.members)


def _unsure(evidence: Evidence, one: PartyEffect) -> Finding:
    indices = tuple(split.figure for split in one.splits)
    needed = launches_to_tell(one.together, one.launches, CHANCE)
    launches = count(one.together, "launch")
    return Finding(
        severity="fact",
        text=f"{evidence.title(one.benchmark)} was {times(one.typical.median)} slower in "
        f"{launches} with {one.party.text()}. {count(one.launches, 'launch')} are too few to be "
        "sure.",
        effect=one.typical.median,
        evidence={
            **one.typical.evidence("with_ratio"),
            "p_value": one.p_value,
            "least_p_value": one.least_p_value,
            "launches": float(one.launches),
            "launches_with": float(one.together),
        },
        advice="Measure more launches with and without this load.",
        command=command(evidence, indices, launches=max(_LAUNCHES, 2 * needed)),
        points=indices,
    )
