"""The machine had other work while the run lasted."""

from collections.abc import Iterator

from leadline.findings.evidence import Evidence
from leadline.findings.kinds import kind_of
from leadline.findings.words import percent
from leadline.model.summary import Finding

# Kernel threads and the system's own services take up to a few per cent.
_LIMITS = {"busy_fraction": 0.1, "stolen_fraction": 0.05}

_MEANING = {
    "busy_fraction": "others than the ranks used {share} of the processors' time",
    "stolen_fraction": "the hypervisor gave {share} of the processors' time to other machines",
}


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each kind of load that was there beside the ranks."""
    for name, limit in _LIMITS.items():
        share = evidence.run.load_during.get(name, 0.0)
        if share > limit:
            yield Finding(
                kind=kind_of(__name__),
                severity="notice",
                text=f"While the run lasted {_MEANING[name].format(share=percent(share))}: the "
                "figures are those of a shared machine.",
                evidence={name: share},
                advice="`leadline doctor` names the busiest processes.",
            )
