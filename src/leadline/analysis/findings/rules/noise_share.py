"""Processors' time that everything but the program takes, measured by work alone."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.noise_words import by_library
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import format_seconds, number, percent
from leadline.model.noise import Noise, RankNoise
from leadline.model.summary import Finding

TOPIC = "steadiness"
ADVICE = "Leave one core of each node free: it takes most of the noise off the other cores."
EVIDENCE = {
    "lost_fraction": "time of calls beyond that of undisturbed calls",
    "lost_*_fraction": "ends of its 95 % interval",
    "detours_fraction": "time of single detours",
    "detours_per_s": "detours a second of one processor",
    "quantum_s": "time of an undisturbed call",
    "observed_s": "processor time that was watched",
}
SOURCE = (
    "T. Hoefler, T. Schneider, A. Lumsdaine: Characterizing the Influence of System Noise on "
    "Large-Scale Applications by Simulation, SC 2010"
)

_CURE = "Leave one core of each node free for the system."
# A loss that is worth a look, and a rank that loses far more than the others do.
_MUCH, _FAR_MORE = 0.01, 1.5


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield for each benchmark of mere work the time that its ranks lose, where they lose most."""
    for group in by_library(evidence, works=True):
        worst = max(group, key=lambda one: one.lost_fraction)
        most = max(worst.ranks, key=lambda rank: rank.lost_fraction)
        yield Finding(
            severity="notice" if worst.lost_fraction >= _MUCH else "fact",
            text=f"Noise takes {percent(worst.lost_fraction)} ({percent(worst.ci95_low)} to "
            f"{percent(worst.ci95_high)}) of the processors' time in "
            f"{name_of(evidence, worst.point)}. {_detours(worst, most)}{_rank(worst, most)}"
            f"{worst_of([one.point for one in group])}",
            evidence={
                "lost_fraction": worst.lost_fraction,
                "lost_low_fraction": worst.ci95_low,
                "lost_high_fraction": worst.ci95_high,
                "detours_fraction": worst.detours_fraction,
                "detours_per_s": worst.detours_per_s,
                "quantum_s": worst.quantum_s,
                "observed_s": worst.observed_s,
            },
            advice="Leave one core of each node free for the system."
            if worst.lost_fraction >= _MUCH
            else None,
            points=tuple(one.point for one in group),
        )


def _detours(noise: Noise, most: RankNoise) -> str:
    if not noise.detours_per_s or most.detour_median_s is None:
        return "There are no single detours: the pace changes."
    longest = format_seconds(most.detour_max_s or 0.0)
    return f"{number(noise.detours_per_s)} detours a second; the longest took {longest}."


def _rank(noise: Noise, most: RankNoise) -> str:
    if most.lost_fraction < _FAR_MORE * noise.lost_fraction:
        return ""
    return f" Rank {most.rank} loses {percent(most.lost_fraction)}."
