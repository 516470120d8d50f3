"""The slowdown by noise of programs whose ranks wait for the slowest after each phase.

The longest of many phases is computed from the samples. For more ranks than samples a tail is
fitted to them, and beyond that only a lower bound is known.
"""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.noise_words import by_library
from leadline.analysis.findings.words import name_of
from leadline.core.units import format_seconds, times
from leadline.model.noise import Noise, NoiseCost
from leadline.model.summary import Finding

TOPIC = "steadiness"
ADVICE = "Use fewer and longer phases, or leave one core of each node free for the system."
EVIDENCE = {
    "observed_s": "processor time that was watched",
    "phase_*_us_on_*_ranks_ratio": "time of such phases with the noise over time without",
}
SOURCE = (
    "F. Petrini, D. J. Kerbyson, S. Pakin: The Case of the Missing Supercomputer Performance, "
    "SC 2003"
)

# Phases of these lengths on these numbers of ranks are evidence; the text has the middle number.
_PHASES_S, _TASKS, _TOLD = (1e-4, 1e-3, 1e-2), (2, 1000, 100_000), 1000
# A program that loses so much is worth a look.
_MUCH = 1.1


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield for each benchmark of mere work and MPI the cost, where it was watched the longest."""
    for group in by_library(evidence, works=True):
        # A tenth more of watching is no better than a shorter quantum.
        most = max(one.observed_s for one in group)
        watched = [one for one in group if one.observed_s >= 0.9 * most]
        yield _finding(evidence, min(watched, key=lambda one: one.quantum_s))


def _finding(evidence: Evidence, noise: Noise) -> Finding:
    told = {(cost.phase_s, cost.tasks): cost for cost in noise.costs if cost.tasks in _TASKS}
    phases = [phase for phase in _PHASES_S if (phase, _TASKS[0]) in told]
    phases = phases or [noise.costs[0].phase_s]
    ends = dict.fromkeys((phases[0], phases[-1]))
    lines = "; ".join(
        f"{_cost(told[phase, _TOLD])} for phases of {format_seconds(phase)}" for phase in ends
    )
    worst = max(told[phase, tasks].slowdown for phase in phases for tasks in _TASKS[:2])
    return Finding(
        severity="notice" if worst >= _MUCH else "fact",
        text=f"{name_of(evidence, noise.point)} slows programs in step on {_TOLD} ranks: {lines}.",
        effect=max(told[phase, tasks].slowdown for phase in phases for tasks in _TASKS),
        evidence={
            "observed_s": noise.observed_s,
            **{
                f"phase_{phase * 1e6:.0f}_us_on_{tasks}_ranks_ratio": told[phase, tasks].slowdown
                for phase in phases
                for tasks in _TASKS
            },
        },
        advice=ADVICE if worst >= _MUCH else None,
        points=(noise.point,),
    )


def _cost(cost: NoiseCost) -> str:
    if cost.ci95_high is None:
        return f"at least {times(cost.slowdown)}"
    low, high = (times(end).removesuffix("x") for end in (cost.ci95_low, cost.ci95_high))
    return f"{times(cost.slowdown)} ({low} to {high})"
