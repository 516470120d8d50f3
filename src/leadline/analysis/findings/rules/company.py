"""Others who were there while launches measured, where no figure shows that they cost anything."""

from collections.abc import Iterator

from leadline.analysis.compare.interference import Party, launches_text, parties, watched
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.party_effects import PartyEffect, party_effects
from leadline.analysis.findings.party_effects import probability_text as _by_chance
from leadline.analysis.findings.rules.slower_in_company import CHANCE, is_slower
from leadline.analysis.findings.words import command, ratio_text
from leadline.analysis.stats.association import launches_to_tell
from leadline.model.summary import Finding

TOPIC = "trust"
ADVICE = (
    "Measure again when it is gone, and hold the runs against each other with `leadline compare`."
)

_LAUNCHES, _NAMED = 10, 3


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a fact for each party that was there in some launches, and one for the rest."""
    run = evidence.run
    told = party_effects(evidence)
    of = len(watched(run))
    apart = dict.fromkeys(one.party for one in told)
    for party in apart:
        mine = [one for one in told if one.party == party]
        if not any(is_slower(one) for one in mine):
            yield _of_party(evidence, min(mine, key=lambda one: one.p_value), of)
    rest = [party for party in parties(run) if party not in apart]
    if rest:
        who = [f"{each.text()} {launches_text(each.launches, of)}" for each in rest[:_NAMED]]
        yield Finding(
            severity="fact",
            text=f"Others were there: {'; '.join(who)}. No launch that is alike was without, so "
            "that these figures cannot show what it cost.",
            evidence={"launches": float(of), "companions": float(sum(map(_size, rest)))},
            advice=ADVICE,
        )


def _size(party: Party) -> int:
    return len(party.members)


def _of_party(evidence: Evidence, one: PartyEffect, of: int) -> Finding:
    indices = tuple(split.figure for split in one.splits)
    needed = launches_to_tell(one.together, one.launches, CHANCE)
    few = one.least_p_value > CHANCE
    ratio = f"{one.benchmark} took {ratio_text(one.typical)} as long with it as without"
    judged = (
        f"{ratio}, but {one.together} of {one.launches} launches cannot show more than chance: "
        f"the clearest difference has a probability of {_by_chance(one.least_p_value)} by itself"
        if few
        else f"no figure is clearly slower with it ({ratio}, which chance does with a probability "
        f"of {_by_chance(one.p_value)})"
    )
    again = command(evidence, indices, launches=max(_LAUNCHES, 2 * needed))
    return Finding(
        severity="fact",
        text=f"{one.party.text()} was there {launches_text(one.party.launches, of)}: {judged}.",
        effect=one.typical.median,
        evidence={
            **one.typical.evidence("with_ratio"),
            "p_value": one.p_value,
            "least_p_value": one.least_p_value,
            "launches": float(one.launches),
            "launches_with": float(one.together),
        },
        advice=f"More launches with and without it would tell: `{again}`." if few else None,
        points=indices,
    )
