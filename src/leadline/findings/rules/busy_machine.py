"""The machine had other work before or after the run."""

from collections.abc import Iterator

from leadline.findings.evidence import Evidence
from leadline.findings.kinds import kind_of
from leadline.findings.words import percent
from leadline.model.summary import Finding

# The kernel counts in ticks of 10 ms: below this a single tick in the sample would do.
_LIMITS = {"busy_fraction": 0.2, "stolen_fraction": 0.15}

_MEANING = {
    "busy_fraction": "other processes used {share} of the processors' time",
    "stolen_fraction": "the hypervisor gave {share} of the processors' time to other machines",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each kind of load that was there when no rank ran."""
    before, after = evidence.run.load_before, evidence.run.load_after
    for name, limit in _LIMITS.items():
        seen = {"before": before.get(name, 0.0), "after": after.get(name, 0.0)}
        times = [when for when, share in seen.items() if share > limit]
        if times:
            share = percent(max(seen.values()))
            yield Finding(
                kind=kind_of(__name__),
                severity="notice",
                text=f"{' and '.join(times).capitalize()} the run "
                f"{_MEANING[name].format(share=share)}: the figures are those of a shared machine.",
                evidence={f"{name}_{when}": share for when, share in seen.items()},
                advice="`leadline doctor` names the busiest processes.",
            )
