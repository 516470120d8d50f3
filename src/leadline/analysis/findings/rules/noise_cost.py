"""What noise makes of programs whose ranks wait for the slowest after each phase."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.noise_words import by_library
from leadline.analysis.findings.words import name_of
from leadline.core.units import format_seconds, number
from leadline.model.noise import Noise, NoiseCost
from leadline.model.summary import Finding

TOPIC = "steadiness"
ADVICE = (
    "Fewer and longer phases lose less, and so do ranks that leave a core of each node to the "
    "system; `periodic_noise` tells what could be switched off."
)

# What is told: phases of these lengths on these numbers of ranks.
_PHASES_S, _TASKS = (1e-4, 1e-3, 1e-2), (2, 1000, 100_000)
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
    lines = "; ".join(
        f"those of {format_seconds(phase)} "
        + ", ".join(_cost(told[phase, tasks]) for tasks in _TASKS)
        for phase in phases
    )
    worst = max(told[phase, tasks].slowdown for phase in phases for tasks in _TASKS[:2])
    together = told[phases[0], _TASKS[0]].together_slowdown
    return Finding(
        severity="notice" if worst >= _MUCH else "fact",
        text="Phases of computation whose ranks then wait for the slowest take longer with the "
        f"noise of {name_of(evidence, noise.point)}: {lines}. If all ranks were always hit at "
        f"once, {number(together)} times on any number. {_basis(noise, told, phases)}",
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
    on = f"on {cost.tasks}"
    if cost.ci95_high is None:
        return f"at least {number(cost.slowdown)} times {on}"
    low, high = number(cost.ci95_low), number(cost.ci95_high)
    fitted = ", by a fitted tail" if cost.reach == "tail" else ""
    return f"{number(cost.slowdown)} times ({low} to {high}{fitted}) {on}"


def _basis(noise: Noise, told: dict[tuple[float, int], NoiseCost], phases: list[float]) -> str:
    text = f"This rests on {format_seconds(noise.observed_s)} of processor time"
    unseen = [one for one in told.values() if one.reach == "beyond" and one.phase_s in phases]
    if not unseen:
        return f"{text}."
    far = max(unseen, key=lambda one: one.phase_s * one.tasks)
    return (
        f"{text}: one phase of {format_seconds(far.phase_s)} on {far.tasks} ranks is "
        f"{number(far.phase_s * far.tasks)} s of it, in which longer detours come than any seen."
    )
