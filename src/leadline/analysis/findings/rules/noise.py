"""Noise of the machine: what it takes, what it costs, and how often it comes."""

import math
from collections.abc import Iterator

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import name_of, worst_of
from leadline.core.units import format_seconds, number, percent, times
from leadline.model.noise import Noise, NoiseCost, Period, RankNoise
from leadline.model.summary import Finding

_SOURCE = {
    "timer tick": "the timer tick of this kernel ({rate} Hz)",
    "timer ticks": "kernel work at {ticks} timer ticks ({rate} Hz)",
    "hypervisor tick": "a tick of the host ({rate} Hz)",
    "daemon": "a program that sleeps for a round time",
}


def by_library(evidence: Evidence) -> Iterator[list[Noise]]:
    """Yield the noise of the figures of mere work of each benchmark and MPI."""
    of_point = {one.point: one for one in evidence.noise if one.costs}
    for group in evidence.groups(of_point):
        yield [of_point[index] for index in group]


def source_text(period: Period) -> str:
    """Return the name of the period's source."""
    if period.source is None:
        return "an unknown source"
    rate = period.rate_hz or 0.0
    return _SOURCE[period.source].format(rate=f"{rate:.3g}", ticks=round(period.period_s * rate))


def period_text(period: Period) -> str:
    """Return a period such as `4.00 ms`, with up to three digits, as its interval allows."""
    half = max((period.ci95_high_s - period.ci95_low_s) / 2, 1e-9)
    digits = min(3, max(1, 1 + math.floor(math.log10(period.period_s / half))))
    scale, unit = (1.0, "s") if period.period_s >= 1 else (1e3, "ms")
    return f"{period.period_s * scale:#.{digits}g}".rstrip(".") + f" {unit}"


def ranks_text(noise: Noise, period: Period) -> str:
    """Return which ranks a period hits, and whether at once."""
    known = len(noise.ranks)
    if len(period.ranks) == known:
        where = "on every rank" if known > 1 else f"on rank {period.ranks[0]}"
    else:
        some = ", ".join(map(str, period.ranks[:8])) + (", ..." if len(period.ranks) > 8 else "")
        where = f"on rank{'s' if len(period.ranks) > 1 else ''} {some} only"
    when = {True: ", at once", False: ", at different times", None: ""}
    return where + when[period.together]


# A loss that is worth a look, and a rank that loses far more than the others do.
_MUCH_LOST, _FAR_MORE = 0.01, 1.5


@rule(
    "steadiness",
    evidence={
        "lost_fraction": "time of calls beyond that of undisturbed calls",
        "lost_*_fraction": "ends of its 95 % interval",
        "detours_fraction": "time of single detours",
        "detours_per_s": "detours a second of one processor",
        "quantum_s": "time of an undisturbed call",
        "observed_s": "processor time that was watched",
    },
    source=(
        "T. Hoefler, T. Schneider, A. Lumsdaine: Characterizing the Influence of System Noise on "
        "Large-Scale Applications by Simulation, SC 2010"
    ),
)
def noise_share(evidence: Evidence) -> Iterator[Finding]:
    """Processors' time that everything but the program takes, measured by work alone."""
    for group in by_library(evidence):
        worst = max(group, key=lambda one: one.lost_fraction)
        most = max(worst.ranks, key=lambda rank: rank.lost_fraction)
        yield Finding(
            severity="notice" if worst.lost_fraction >= _MUCH_LOST else "fact",
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


# Phases of these lengths on these numbers of ranks are evidence; the text has the middle number.
_PHASES_S, _TASKS, _RANKS = (1e-4, 1e-3, 1e-2), (2, 1000, 100_000), 1000

# A program that loses so much is worth a look.
_MUCH_SLOWER = 1.1
# Ends of an interval that are further apart than this leave only the lower one to tell.
_VAGUE = 4.0


@rule(
    "steadiness",
    evidence={
        "observed_s": "processor time that was watched",
        "phase_*_us_on_*_ranks_ratio": "time of such phases with the noise over time without",
    },
    source=(
        "F. Petrini, D. J. Kerbyson, S. Pakin: The Case of the Missing Supercomputer Performance, "
        "SC 2003"
    ),
)
def noise_cost(evidence: Evidence) -> Iterator[Finding]:
    """The slowdown by noise of programs whose ranks wait for the slowest after each phase.

    The longest of many phases is computed from the samples. For more ranks than samples a tail is
    fitted to them, and beyond that only a lower bound is known.
    """
    for group in by_library(evidence):
        # A tenth more of watching is no better than a shorter quantum.
        most = max(one.observed_s for one in group)
        watched = [one for one in group if one.observed_s >= 0.9 * most]
        yield _cost_finding(evidence, min(watched, key=lambda one: one.quantum_s))


def _cost_finding(evidence: Evidence, noise: Noise) -> Finding:
    costs = {(cost.phase_s, cost.tasks): cost for cost in noise.costs if cost.tasks in _TASKS}
    phases = [phase for phase in _PHASES_S if (phase, _TASKS[0]) in costs]
    phases = phases or [noise.costs[0].phase_s]
    ends = dict.fromkeys((phases[0], phases[-1]))
    lines = "; ".join(
        f"{_cost(costs[phase, _RANKS])} for phases of {format_seconds(phase)}" for phase in ends
    )
    worst = max(costs[phase, tasks].ci95_low for phase in phases for tasks in _TASKS[:2])
    return Finding(
        severity="notice" if worst >= _MUCH_SLOWER else "fact",
        text=f"{name_of(evidence, noise.point)} slows programs in step on {_RANKS} ranks: {lines}.",
        effect=max(costs[phase, tasks].slowdown for phase in phases for tasks in _TASKS),
        evidence={
            "observed_s": noise.observed_s,
            **{
                f"phase_{phase * 1e6:.0f}_us_on_{tasks}_ranks_ratio": costs[phase, tasks].slowdown
                for phase in phases
                for tasks in _TASKS
            },
        },
        points=(noise.point,),
    )


def _cost(cost: NoiseCost) -> str:
    if cost.ci95_high is None:
        return f"at least {times(cost.slowdown)}"
    if cost.ci95_high > _VAGUE * cost.ci95_low:
        return f"at least {times(cost.ci95_low)}" if cost.ci95_low >= _MUCH_SLOWER else "unclear"
    low, high = (times(end).removesuffix("x") for end in (cost.ci95_low, cost.ci95_high))
    return f"{times(cost.slowdown)} ({low} to {high})"


# A period that takes so much is worth a look, one that takes less is not worth telling. Several
# figures see the same one within this part.
_MUCH_TAKEN, _LITTLE, _SAME = 0.005, 2e-4, 0.01
_MOST = 3

# Another process that takes so much of a core takes turns with the rank.
_TURNS, _TURN_FRACTION = 0.5, 0.1
# Of a source that is not known, the counts of interrupts tell.
_ADVICE = {"daemon": Advise.DAEMON(), None: Advise.INTERRUPTS()}


@rule(
    "steadiness",
    cure="Find the program, or the interrupt, that has this period.",
    evidence={
        "period_s": "the period",
        "period_*_s": "ends of its 95 % interval",
        "duration_s": "median length of an interruption",
        "detours_per_period": "interruptions in a period",
        "lost_fraction": "time that they take",
        "preempted_fraction": "interruptions in which another process ran",
        "ranks": "ranks with this period",
        "false_alarm_fraction": "chance of such a period in figures without any",
    },
)
def periodic_noise(evidence: Evidence) -> Iterator[Finding]:
    """Interruptions that repeat with a fixed period: timer ticks, daemons, the host's ticks.

    The turns that a busy neighbour and a rank take on one core have a period too: they are no
    finding here but of the busy machine.
    """
    every = [
        (noise, period)
        for noise in evidence.noise
        for period in noise.periods
        if period.lost_fraction >= _LITTLE and not _takes_turns(period)
    ]
    every.sort(key=lambda pair: -pair[1].lost_fraction)
    reported: list[Period] = []
    for one, period in every:
        if len(reported) < _MOST and not any(_same(period, other) for other in reported):
            reported.append(period)
            yield _period_finding(evidence, one, period)


def _takes_turns(period: Period) -> bool:
    return period.preempted_fraction >= _TURNS and period.lost_fraction >= _TURN_FRACTION


def _same(one: Period, other: Period) -> bool:
    return abs(one.period_s - other.period_s) <= _SAME * other.period_s


def _period_finding(evidence: Evidence, noise: Noise, period: Period) -> Finding:
    often = period.detours_per_period
    times = "" if 0.9 <= often < 1.5 else f" ({number(often)} per period)"
    return Finding(
        severity="notice" if period.lost_fraction >= _MUCH_TAKEN else "fact",
        text=f"Every {period_text(period)} {source_text(period)} takes "
        f"{format_seconds(period.duration_s)}{times} {ranks_text(noise, period)}: "
        f"{percent(period.lost_fraction)} of the time in {name_of(evidence, noise.point)}.",
        evidence={
            "period_s": period.period_s,
            "period_low_s": period.ci95_low_s,
            "period_high_s": period.ci95_high_s,
            "duration_s": period.duration_s,
            "detours_per_period": period.detours_per_period,
            "lost_fraction": period.lost_fraction,
            "preempted_fraction": period.preempted_fraction,
            "ranks": float(len(period.ranks)),
            "false_alarm_fraction": noise.false_alarm_fraction,
        },
        advice=_ADVICE.get(period.source),
        command="pidstat 1" if period.source == "daemon" else None,
        points=(noise.point,),
    )
