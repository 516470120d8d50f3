"""Figures whose measurement ended before they were as precise as asked.

The width of an interval falls with the square root of the samples: half the width takes four times
as long.
"""

import math
from collections.abc import Iterator

from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.words import command, name_of, same_job, worst_of
from leadline.analysis.stats.launches import FEWEST_SAMPLES
from leadline.core.units import number, percent
from leadline.model.summary import Finding, PointSummary

TOPIC = "trust"
ADVICE = (
    "Give the measurement more time, or accept less (`--precision 0.05`). On a disturbed machine "
    "more time hardly helps."
)
EVIDENCE = {
    "precision_reached": "half width of the median's 95 % interval in a launch, over the median",
    "precision_wanted": "the precision that was asked for",
    "samples_per_launch": "samples of a launch",
    "samples_needed": "independent samples that an interval needs",
    "figures": "figures that ended too early",
}
SOURCE = (
    "T. Hoefler, R. Belli: Scientific Benchmarking of Parallel Computing Systems, SC 2015, rules "
    "5 to 8"
)

_LONGEST_S = 60
_MOST_REPETITIONS = 1_000_000
_LIMITS = ("seconds", "maximum")

# Neighbouring samples are alike: so many times as many samples as independent ones.
_TO_BE_SURE = 2


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield one notice for such figures, of the least precise one."""
    wanted = evidence.run.plan.stopping.precision
    ended = [i for i, point in enumerate(evidence.points) if point.stopped_by in _LIMITS]
    reached = {i: evidence.points[i].within_launch_precision for i in ended}
    wide = {i: value for i, value in reached.items() if value is not None and value > wanted}
    few = [i for i in ended if reached[i] is None and evidence.points[i].samples]
    every = [*few, *wide]
    if few:
        worst = min(few, key=lambda index: _samples_a_launch(evidence.points[index]))
        samples = _samples_a_launch(evidence.points[worst])
        yield _finding(
            evidence,
            every,
            worst,
            f"after {samples:.3g} samples a launch; an interval needs {FEWEST_SAMPLES}",
            {"samples_per_launch": samples, "samples_needed": float(FEWEST_SAMPLES)},
            _TO_BE_SURE * FEWEST_SAMPLES / samples,
        )
    elif wide:
        worst = max(wide, key=wide.__getitem__)
        precision = wide[worst]
        told = f"at {percent(precision)} precision; the goal was {percent(wanted)}"
        if precision > 1:
            told = f"with an interval of {number(precision)} medians to each side"
        yield _finding(
            evidence,
            every,
            worst,
            told,
            {"precision_reached": precision, "precision_wanted": wanted},
            (precision / wanted) ** 2,
        )


def _finding(
    evidence: Evidence,
    every: list[int],
    worst: int,
    told: str,
    numbers: dict[str, float],
    factor: float,
) -> Finding:
    """Return the finding of all these figures; the worst takes `factor` times as long."""
    stopping = evidence.run.plan.stopping
    limit = evidence.points[worst].stopped_by or ""
    if limit == "seconds":
        reached = f"time limit ({stopping.seconds:g} s)"
        longer = {limit: min(_LONGEST_S, math.ceil(stopping.seconds * factor))}
    else:
        reached = f"limit of {stopping.maximum} repetitions"
        longer = {limit: min(_MOST_REPETITIONS, math.ceil(stopping.maximum * factor))}
    same = [i for i in same_job(evidence, every, worst) if evidence.points[i].stopped_by == limit]
    return Finding(
        severity="notice",
        text=f"{name_of(evidence, worst)}: {reached} reached {told}.{worst_of(every)}",
        evidence={**numbers, "figures": float(len(every))},
        advice="Give the measurement more time.",
        command=command(evidence, same, **longer),
        points=tuple(every),
    )


def _samples_a_launch(point: PointSummary) -> float:
    return point.samples / point.launches
