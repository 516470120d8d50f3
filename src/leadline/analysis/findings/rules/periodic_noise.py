"""Interruptions that repeat with a fixed period: timer ticks, daemons, the host's ticks.

The turns that a busy neighbour and a rank take on one core have a period too: they are no finding
here but of the busy machine.
"""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.noise_words import period_text, ranks_text, source_text
from leadline.analysis.findings.words import name_of
from leadline.core.units import format_seconds, number, percent
from leadline.model.noise import Noise, Period
from leadline.model.summary import Finding

TOPIC = "steadiness"
ADVICE = "Boot with `nohz_full` against timer ticks; stop a daemon, or leave it a core."
EVIDENCE = {
    "period_s": "the period",
    "period_*_s": "ends of its 95 % interval",
    "duration_s": "median length of an interruption",
    "detours_per_period": "interruptions in a period",
    "lost_fraction": "time that they take",
    "preempted_fraction": "interruptions in which another process ran",
    "ranks": "ranks with this period",
    "false_alarm_fraction": "chance of such a period in figures without any",
}

# A period that takes so much is worth a look, one that takes less is not worth telling. Several
# figures see the same one within this part.
_MUCH, _LITTLE, _SAME = 0.005, 2e-4, 0.01
_MOST = 3
# Another process that takes so much of a core takes turns with the rank.
_TURNS, _TURN_FRACTION = 0.5, 0.1

_ADVICE = {
    "timer tick": "Boot a kernel without ticks on busy cores (nohz_full).",
    "timer ticks": "Keep the kernel's work off the ranks' cores (isolcpus, nohz_full).",
    "hypervisor tick": "Ask for dedicated cores, or a host without ticks.",
    "daemon": "Find the program that wakes up this often, then stop it or leave it a core.",
}
_UNKNOWN = "Compare the counts in /proc/interrupts before and after a run."


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield the periods that cost most, each once."""
    every = [
        (noise, period)
        for noise in evidence.noise
        for period in noise.periods
        if period.lost_fraction >= _LITTLE and not _takes_turns(period)
    ]
    every.sort(key=lambda pair: -pair[1].lost_fraction)
    told: list[Period] = []
    for one, period in every:
        if len(told) < _MOST and not any(_same(period, other) for other in told):
            told.append(period)
            yield _finding(evidence, one, period)


def _takes_turns(period: Period) -> bool:
    """Tell whether the scheduler shares a core between the rank and another process."""
    return period.preempted_fraction >= _TURNS and period.lost_fraction >= _TURN_FRACTION


def _same(one: Period, other: Period) -> bool:
    return abs(one.period_s - other.period_s) <= _SAME * other.period_s


def _finding(evidence: Evidence, noise: Noise, period: Period) -> Finding:
    often = period.detours_per_period
    times = "" if 0.9 <= often < 1.5 else f" ({number(often)} per period)"
    return Finding(
        severity="notice" if period.lost_fraction >= _MUCH else "fact",
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
        advice=_ADVICE[period.source] if period.source else _UNKNOWN,
        command="pidstat 1" if period.source == "daemon" else None,
        points=(noise.point,),
    )
