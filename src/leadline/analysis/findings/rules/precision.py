"""Clocks and samples that are too coarse, or too few, for the figure."""

import math
from collections.abc import Iterator

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import command, name_of, notice_of, same_job
from leadline.analysis.stats.launches import FEWEST_SAMPLES
from leadline.core.units import format_seconds, number, percent
from leadline.model.summary import Finding

# What is not below this part of a figure is not small.
_SMALL = 0.05


@rule(
    "trust",
    cure=Advise.UPPER_BOUND(),
    evidence={
        "clock_and_harness_s": "step of the clock and time of the harness, for one operation",
        "median_s": "the figure",
    },
)
def near_clock(evidence: Evidence) -> Iterator[Finding]:
    """Figures of which the clock and the harness are a visible part."""
    added = {index: _overhead_s(evidence, index) for index in range(len(evidence.points))}
    points = evidence.points
    if group := [i for i, point in enumerate(points) if added[i] > _SMALL * point.median_s > 0]:
        worst = max(group, key=lambda index: added[index] / evidence.points[index].median_s)
        median_s = evidence.points[worst].median_s
        yield notice_of(
            group,
            f"{name_of(evidence, worst)} takes {format_seconds(median_s)}, of which up to "
            f"{format_seconds(added[worst])} ({percent(added[worst] / median_s)}) are measurement "
            "overhead.",
            {"clock_and_harness_s": added[worst], "median_s": median_s},
            advice=Advise.UPPER_BOUND(),
        )


def _overhead_s(evidence: Evidence, index: int) -> float:
    """Return what clock step and harness add to one operation: those of a sample share them."""
    return max(
        (
            (launch.clock.resolution_s + launch.clock.harness_in_figure_s) / result.operations
            for launch, result in evidence.reports(index)
            if launch.clock
        ),
        default=0.0,
    )


@rule(
    "trust",
    cure="Start after a barrier (`--start barrier`), which needs no common clock.",
    evidence={
        "clock_error_s": "most by which the ranks' clocks may differ",
        "median_s": "the figure",
        "clock_uncertain_fraction": "repetitions that are marked for their clocks",
    },
    source=(
        "S. Hunold, A. Carpen-Amarie: On the Impact of Synchronizing Clocks and Processes on "
        "Benchmarking MPI Collectives, EuroMPI 2015"
    ),
)
def clock_uncertain(evidence: Evidence) -> Iterator[Finding]:
    """The clocks of two ranks agree too poorly for the time between them.

    Times that begin on one rank and end on another need one clock. Its error is estimated from
    messages that are sent back and forth, before and after each launch.
    """
    error = {i: _error_s(evidence, i) for i in range(len(evidence.points))}
    flagged = {i: evidence.share(i, "clock_uncertain") for i in error}
    doubtful = [
        index
        for index, point in enumerate(evidence.points)
        if error[index] > _SMALL * point.median_s or flagged[index] > _SMALL
    ]
    if not doubtful:
        return
    worst = max(doubtful, key=lambda i: error[i] / max(evidence.points[i].median_s, 1e-12))
    median_s = evidence.points[worst].median_s
    marked = f" {percent(flagged[worst])} of its repetitions are marked." if flagged[worst] else ""
    yield notice_of(
        doubtful,
        f"{name_of(evidence, worst)} takes {format_seconds(median_s)}, but the ranks' clocks "
        f"agree only within {format_seconds(error[worst])}.{marked}",
        {
            "clock_error_s": error[worst],
            "median_s": median_s,
            "clock_uncertain_fraction": flagged[worst],
        },
        advice=Advise.AGAIN_FROM_BARRIER(),
        command=command(evidence, same_job(evidence, doubtful, worst), start="barrier"),
    )


def _error_s(evidence: Evidence, index: int) -> float:
    return max((result.clock_error_s for _, result in evidence.reports(index)), default=0.0)


_LONGEST_S = 60
_MOST_REPETITIONS = 1_000_000
# What is asked for where more time is no answer.
_ROUGH = 0.05
_LIMITS = ("seconds", "maximum")

# Neighbouring samples are alike: so many times as many samples as independent ones.
_TO_BE_SURE = 2


@rule(
    "trust",
    cure=(
        "Give the measurement more time, or accept less (`--precision 0.05`). On a disturbed "
        "machine more time hardly helps."
    ),
    evidence={
        "precision_reached": (
            "half width of the median's 95 % interval in a launch, over the median"
        ),
        "precision_wanted": "the precision that was asked for",
        "samples_per_launch": "samples of a launch",
        "samples_needed": "independent samples that an interval needs",
        "figures": "figures that ended too early",
    },
    source=(
        "T. Hoefler, R. Belli: Scientific Benchmarking of Parallel Computing Systems, SC 2015, "
        "rules 5 to 8"
    ),
)
def imprecise(evidence: Evidence) -> Iterator[Finding]:
    """Figures whose measurement ended before they were as precise as asked.

    The width of an interval falls with the square root of the samples: half the width takes four
    times as long.
    """
    wanted = evidence.run.plan.stopping.precision
    ended = [i for i, point in enumerate(evidence.points) if point.stopped_by in _LIMITS]
    reached = {i: evidence.points[i].within_launch_precision for i in ended}
    wide = {i: value for i, value in reached.items() if value is not None and value > wanted}
    few = [i for i in ended if reached[i] is None and evidence.points[i].samples]
    if not (every := [*few, *wide]):
        return
    if few:
        counts = {i: evidence.points[i].samples / evidence.points[i].launches for i in few}
        worst = min(few, key=counts.__getitem__)
        numbers = {"samples_per_launch": counts[worst], "samples_needed": float(FEWEST_SAMPLES)}
        what = (
            f"after {counts[worst]:.3g} samples a launch; an interval needs {FEWEST_SAMPLES} "
            "independent ones"
        )
        factor = _TO_BE_SURE * FEWEST_SAMPLES / counts[worst]
    else:
        worst = max(wide, key=wide.__getitem__)
        precision = wide[worst]
        numbers = {"precision_reached": precision, "precision_wanted": wanted}
        what = f"at {percent(precision)} precision; the goal was {percent(wanted)}"
        if precision > 1:
            what = f"with an interval of {number(precision)} medians to each side"
        factor = (precision / wanted) ** 2
    stopping = evidence.run.plan.stopping
    limit = evidence.points[worst].stopped_by or ""
    if limit == "seconds":
        limited = f"time limit ({stopping.seconds:g} s)"
        longer = {limit: min(_LONGEST_S, math.ceil(stopping.seconds * factor))}
        more = longer[limit] > stopping.seconds
    else:
        limited = f"limit of {stopping.maximum} repetitions"
        longer = {limit: min(_MOST_REPETITIONS, math.ceil(stopping.maximum * factor))}
        more = longer[limit] > stopping.maximum
    same = [i for i in same_job(evidence, every, worst) if evidence.points[i].stopped_by == limit]
    yield notice_of(
        every,
        f"{name_of(evidence, worst)}: {limited} reached {what}.",
        {**numbers, "figures": float(len(every))},
        advice=Advise.MORE_TIME() if more else Advise.LESS_PRECISION(),
        command=command(evidence, same, **(longer if more else {"precision": _ROUGH})),
    )
