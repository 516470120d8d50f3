"""Jitter: slow calls with their causes, and the slowest task against the average one."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import name_of, place_of, ratio_text, worst_of
from leadline.analysis.stats.comparison import Ratio
from leadline.analysis.stats.statistics import Interval
from leadline.core.units import count, format_seconds, percent, times
from leadline.model.summary import Advice, Finding, Jitter, PredictedMaximum


class _Cause(NamedTuple):
    """What took a share of the lost time, what had happened to a rank that others waited for, and
    what to do, with its command, where anything is sure to help.
    """

    words: str
    held_up: str
    advice: Advice | None = None
    command: str | None = None


CAUSES = {
    "preempted": _Cause(
        "another process took the core",
        "whose core another process took",
        Advise.CORES(),
        "leadline check",
    ),
    "hypervisor": _Cause(
        "the hypervisor took the core",
        "whose core the hypervisor took",
    ),
    "page_faults": _Cause(
        "page faults",
        "which had page faults",
        Advise.KEEP_MEMORY(),
    ),
    "migrated": _Cause("moves to another core", "which moved to another core"),
    "late_neighbour": _Cause(
        "ranks that were late for an unknown reason",
        "which was late",
        Advise.LATE_RANK(),
        "leadline check",
    ),
    "machine_noise": _Cause(
        "noise of the machine",
        "which noise of its machine delayed",
    ),
    "network": _Cause(
        "network or library",
        "which the network delayed",
    ),
}


def groups(evidence: Evidence, jitter: Iterable[Jitter]) -> Iterable[list[Jitter]]:
    """Return those of one MPI together; of one benchmark too where its tasks exchange with named
    neighbours, so that a survey of many collectives does not say the same of each.
    """
    found: dict[tuple[str, str], list[Jitter]] = defaultdict(list)
    for one in jitter:
        point = evidence.points[one.point]
        found[point.mpi, point.benchmark if one.predictions else ""].append(one)
    return found.values()


# Of all the time that the ranks spent in calls, and of the time in excess.
_WORTH_TELLING, _SMALL = 0.05, 0.05


@rule(
    "steadiness",
    cure="Find out what delays the ranks that are named.",
    evidence={
        "excess_fraction": "time in calls that outliers took above the typical time of their rank",
        "outliers": "slow calls",
        "*_fraction": "part of the lost time with this cause",
        "longest_chain": "ranks that one delay passed through",
        "worst_rank": "rank on which most delays began",
    },
)
def jitter_cause(evidence: Evidence) -> Iterator[Finding]:
    """Time lost in slow calls (outliers), and its causes.

    An outlier is far above the typical time of its rank. What the kernel counted during it, a rank
    that began late, and noise known from work alone are its causes; the rest is network or library.
    """
    telling = [each for each in evidence.jitter if each.excess_fraction >= _WORTH_TELLING]
    if telling:
        yield _finding(evidence, max(telling, key=lambda one: one.excess_fraction), telling)


def _finding(evidence: Evidence, worst: Jitter, group: list[Jitter]) -> Finding:
    causes = [name for name, part in worst.causes.items() if part >= _SMALL]
    works = any(one.point == worst.point and one.costs for one in evidence.noise)
    sends = evidence.sends(evidence.points[worst.point].benchmark) and not works
    parts = "; ".join(_part(worst, name, sends) for name in causes)
    return Finding(
        severity="notice",
        text=f"{count(worst.outliers, 'slow call')} cost {percent(worst.excess_fraction)} of the "
        f"time in {name_of(evidence, worst.point)}. {'Causes' if len(causes) > 1 else 'Cause'}: "
        f"{parts}.{_format_passed(worst)}{worst_of([one.point for one in group])}",
        evidence={
            "excess_fraction": worst.excess_fraction,
            "outliers": float(worst.outliers),
            **{f"{name}_fraction": part for name, part in worst.causes.items()},
            "passed_on_fraction": worst.passed_on_fraction,
            "longest_chain": float(worst.longest_chain),
            "worst_rank": float(worst.ranks[0].rank),
            "worst_rank_fraction": worst.ranks[0].caused_fraction,
        },
        advice=CAUSES[causes[0]].advice,
        command=CAUSES[causes[0]].command,
        points=tuple(one.point for one in group),
    )


def _part(jitter: Jitter, name: str, sends: bool) -> str:
    """Return a cause with its share, and the rank where most of it began if that stands out.

    Where nothing is sent, what is left over is neither network nor library.
    """
    if name == "network" and not sends:
        return f"unknown ({percent(jitter.causes[name])})"
    most = max(jitter.ranks, key=lambda rank: rank.causes.get(name, 0.0))
    share = most.causes.get(name, 0.0) / jitter.causes[name]
    usual = 1 / jitter.tasks
    where = f", mostly on rank {most.rank}" if share > (1 + usual) / 2 else ""
    return f"{CAUSES[name].words} ({percent(jitter.causes[name])}{where})"


def _format_passed(jitter: Jitter) -> str:
    if not jitter.passed or jitter.passed_on_fraction < _SMALL:
        return ""
    first = jitter.passed[0]
    return (
        f" {percent(jitter.passed_on_fraction)} of the loss was waiting: mostly rank {first.rank} "
        f"for rank {first.from_rank}, {CAUSES[first.cause].held_up}."
    )


# Surely so much above the average, the slowest task sets the pace.
_NOTICE = 1.5
# Less is no news.
_TOLD = 1.05


@rule(
    "steadiness",
    evidence={
        "maximum_over_average": "slowest task over average task, both averaged over calls",
        "maximum_s": "mean time of the slowest task",
        "average_s": "mean time of all tasks",
        "single_s": "median time of a single task",
        "tasks": "tasks",
    },
    source="J. Hague: Switch Jitter, ECMWF 2008",
)
def max_over_average(evidence: Evidence) -> Iterator[Finding]:
    """The slowest task of a call against the average task, where tasks exchange with neighbours."""
    told = [one for one in evidence.jitter if one.predictions and one.maximum_over_average >= _TOLD]
    for group in groups(evidence, told):
        worst = max(group, key=lambda one: one.maximum_over_average)
        ratio = Ratio(worst.maximum_over_average, Interval(worst.ci95_low, worst.ci95_high), "")
        steep = worst.ci95_low >= _NOTICE
        yield Finding(
            severity="notice" if steep else "fact",
            text=f"The slowest task of {name_of(evidence, worst.point)} takes {ratio_text(ratio)} "
            f"the time of the average: {format_seconds(worst.maximum_s)} against "
            f"{format_seconds(worst.average_s)}.{_by_tasks(evidence, worst)}"
            f"{worst_of([one.point for one in group])}",
            evidence={
                "maximum_over_average": worst.maximum_over_average,
                "maximum_over_average_low": worst.ci95_low,
                "maximum_over_average_high": worst.ci95_high,
                "maximum_s": worst.maximum_s,
                "average_s": worst.average_s,
                "single_s": worst.single_s,
                "tasks": float(worst.tasks),
            },
            points=tuple(one.point for one in group),
        )


def _by_tasks(evidence: Evidence, jitter: Jitter) -> str:
    """Return the ratio of the same calls on the other placements of the run, if there are any."""
    alike = _alike(evidence, jitter)
    if len(alike) < 2:
        return ""
    alike.sort(key=lambda one: one.tasks)
    placements_text = ", ".join(
        f"{times(one.maximum_over_average)} on {place_of(evidence.points[one.point])}"
        for one in alike
    )
    return f" By placement: {placements_text}."


def _alike(evidence: Evidence, jitter: Jitter) -> list[Jitter]:
    """Return the same calls on every placement of the run."""
    figure = evidence.points[jitter.point]
    alike = []
    for one in evidence.jitter:
        point = evidence.points[one.point]
        same = (point.benchmark, point.series, point.axes, point.conditions, point.mpi)
        if same == (figure.benchmark, figure.series, figure.axes, figure.conditions, figure.mpi):
            alike.append(one)
    return alike


# A prediction that changes less than this is no news.
_GROWS = 1.1

# Fewer tasks, or a machine that other programs share, show no tail to go by; nor does it reach far.
_FEWEST_TASKS, _QUIET, _FARTHEST = 8, 0.1, 8


@rule(
    "steadiness",
    cure=(
        "Measure on more tasks before relying on the prediction: a shared link is in none from "
        "few tasks."
    ),
    evidence={
        "tasks": "tasks that were measured",
        "maximum_s": "mean time of the slowest task of a call",
        "more_tasks": "tasks of the prediction",
        "predicted_maximum_s": "predicted mean time of the slowest task",
        "predicted_maximum_*_s": "ends of its 95 % interval",
        "independent_maximum_s": "time of the slowest task if tasks were independent",
        "independent": "1 where the tasks measured are independent, 0 where not",
    },
    source="J. Hague: Switch Jitter, ECMWF 2008 (maximum and average over tasks)",
)
def max_on_more_tasks(evidence: Evidence) -> Iterator[Finding]:
    """The predicted time of the slowest task of a call on up to eight times the tasks.

    Each task is taken to have the same work and the same disturbances as those measured. Of tasks
    that are not independent, all of them together are the unit that is repeated. Tasks that share
    cores are not foretold, nor calls that were measured on other numbers of tasks, too: what those
    took is known.
    """
    if evidence.run.load_during.get("busy_fraction", 0.0) > _QUIET:
        return
    growing = [
        one
        for one in evidence.jitter
        if one.tasks >= _FEWEST_TASKS
        and _near(one)
        and _growth(one) >= _GROWS
        and not evidence.points[one.point].oversubscribed
        and len(_alike(evidence, one)) == 1
    ]
    for group in groups(evidence, growing):
        worst = max(group, key=_growth)
        far = _near(worst)[-1]
        low, high = format_seconds(far.ci95_low_s), format_seconds(far.ci95_high_s)
        yield Finding(
            severity="fact",
            text=f"The slowest of {count(worst.tasks, 'task')} takes "
            f"{format_seconds(worst.maximum_s)} in {name_of(evidence, worst.point)}. On "
            f"{far.tasks} tasks expect {format_seconds(far.maximum_s)} ({low} to {high}).",
            evidence={
                "tasks": float(worst.tasks),
                "maximum_s": worst.maximum_s,
                "more_tasks": float(far.tasks),
                "predicted_maximum_s": far.maximum_s,
                "predicted_maximum_low_s": far.ci95_low_s,
                "predicted_maximum_high_s": far.ci95_high_s,
                "independent_maximum_s": worst.independent_maximum_s,
                "independent": float(worst.independent),
            },
            advice=Advise.MORE_PROCESSES(),
            points=tuple(one.point for one in group),
        )


def _near(jitter: Jitter) -> list[PredictedMaximum]:
    return [one for one in jitter.predictions if one.tasks <= _FARTHEST * jitter.tasks]


def _growth(jitter: Jitter) -> float:
    return _near(jitter)[-1].maximum_s / jitter.maximum_s if jitter.maximum_s > 0 else 0.0
