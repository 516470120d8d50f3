"""Detours that come again and again after the same time."""

from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.noise_words import by_library, period_text, ranks_text, source_text
from leadline.analysis.findings.words import name_of
from leadline.core.units import format_seconds, number, percent
from leadline.model.noise import Noise, Period
from leadline.model.summary import Finding

TOPIC = "steadiness"
ADVICE = (
    "A timer tick: a kernel with `nohz_full`; a daemon: stop it, or give it a core; a host's "
    "tick: other cores."
)

# A period that takes so much is worth a look, one that takes less is not worth telling. Several
# figures see the same one within this part.
_MUCH, _LITTLE, _SAME = 0.005, 2e-4, 0.01
_MOST = 4

_ADVICE = {
    "timer tick": "A kernel without ticks on busy cores (`nohz_full`), or with fewer of them, "
    "takes less; so does a short list of what each tick has to do.",
    "timer ticks": "The kernel does some of its work every few ticks only: cores that it leaves "
    "alone (`isolcpus`, `nohz_full`) have less of it.",
    "hypervisor tick": "It is the host's: only cores of your own, or a host without ticks, are "
    "free of it.",
    "daemon": "Look for what wakes up that often (`pidstat 1`, `perf sched`): stop it, let it wake "
    "up less often, or leave it a core.",
}
_UNKNOWN = (
    "Look for what wakes up that often: `perf trace -C CORE` beside the run, or the counts in "
    "/proc/interrupts before and after it."
)


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield for each benchmark and MPI the periods that cost most, each once."""
    for group in by_library(evidence):
        every = [(n, p) for n in group for p in n.periods if p.lost_fraction >= _LITTLE]
        every.sort(key=lambda pair: -pair[1].lost_fraction)
        told: list[Period] = []
        for one, period in every:
            if len(told) < _MOST and not any(_same(period, other) for other in told):
                told.append(period)
                yield _finding(evidence, one, period)


def _same(one: Period, other: Period) -> bool:
    return abs(one.period_s - other.period_s) <= _SAME * other.period_s


def _finding(evidence: Evidence, noise: Noise, period: Period) -> Finding:
    often = period.detours_per_period
    times = "" if 0.9 <= often < 1.5 else f" ({number(often)} times in each)"
    return Finding(
        severity="notice" if period.lost_fraction >= _MUCH else "fact",
        text=f"Every {period_text(period)}{source_text(period)} something takes "
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
        points=(noise.point,),
    )
