"""How much of the processors' time everything takes that is not the program."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.noise_words import by_library
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import format_seconds, number, percent
from leadline.model.noise import Noise, RankNoise
from leadline.model.summary import Finding

TOPIC = "steadiness"
ADVICE = (
    "`periodic_noise` and `jitter_cause` tell what takes it; `noise_cost` what that costs a "
    "program. A core left free on each node takes most of it off the others."
)

# A loss that is worth a look, and a rank that loses far more than the others do.
_MUCH, _FAR_MORE = 0.01, 1.5


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield for each benchmark of mere work what its ranks lose, where they lose most."""
    for group in by_library(evidence, works=True):
        worst = max(group, key=lambda one: one.lost_fraction)
        most = max(worst.ranks, key=lambda rank: rank.lost_fraction)
        yield Finding(
            severity="notice" if worst.lost_fraction >= _MUCH else "fact",
            text=f"Processors lose {percent(worst.lost_fraction)} "
            f"({percent(worst.ci95_low)} to {percent(worst.ci95_high)}) of their time in "
            f"{name_of(evidence, worst.point)}, which does nothing but compute. "
            f"{_detours(worst, most)}{_rank(worst, most)}{worst_of([one.point for one in group])}",
            evidence={
                "lost_fraction": worst.lost_fraction,
                "lost_low_fraction": worst.ci95_low,
                "lost_high_fraction": worst.ci95_high,
                "detours_fraction": worst.detours_fraction,
                "detours_per_s": worst.detours_per_s,
                "quantum_s": worst.quantum_s,
                "observed_s": worst.observed_s,
            },
            advice=ADVICE if worst.lost_fraction >= _MUCH else None,
            points=tuple(one.point for one in group),
        )


def _detours(noise: Noise, most: RankNoise) -> str:
    if not noise.detours_per_s or most.detour_median_s is None:
        return "There is no single detour: the pace itself changes."
    quantiles = [most.detour_median_s, most.detour_p99_s or 0.0, most.detour_max_s or 0.0]
    median, p99, longest = (format_seconds(value) for value in quantiles)
    return (
        f"{percent(noise.detours_fraction)} go in {number(noise.detours_per_s)} detours a second "
        f"(half of those on rank {most.rank} take {median} or less, one in a hundred {p99} or "
        f"more, the longest {longest}), the rest in a pace that changes."
    )


def _rank(noise: Noise, most: RankNoise) -> str:
    if most.lost_fraction < _FAR_MORE * noise.lost_fraction:
        return ""
    return f" Rank {most.rank} loses {percent(most.lost_fraction)}."
