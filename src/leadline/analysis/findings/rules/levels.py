"""Figures that have several levels: by launch, by repetition, or in the course of time."""

from collections.abc import Iterator

import numpy as np

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import (
    again,
    command,
    more_launches,
    name_of,
    notice_of,
    same_job,
    whole_run,
)
from leadline.analysis.results import states
from leadline.analysis.stats.statistics import coefficient_of_variation
from leadline.core.units import count, format_seconds, percent, times
from leadline.model.noise import Shape
from leadline.model.summary import Finding, PointSummary

_SMALL = 0.05

# Of another program's figures nobody knows how much a single launch scatters.
_SMALL_UNSURE = 0.1
_FAR_LARGER = 5.0
_ENOUGH_LAUNCHES = 10


@rule(
    "trust",
    cure="Measure 10 launches or more, and report the interval, not the best launch.",
    evidence={
        "launch_variation": "standard deviation of the launches' medians over their mean",
        "lowest_launch_s": "median of the fastest launch",
        "highest_launch_s": "median of the slowest launch",
        "launches": "launches",
        "within_launch_precision": (
            "half width of the median's interval in a launch, over the median"
        ),
    },
    source=(
        "S. Hunold, A. Carpen-Amarie: Reproducible MPI Benchmarking is Still Not as Easy as You "
        "Think, IEEE TPDS 27, 2016"
    ),
)
def launches_differ(evidence: Evidence) -> Iterator[Finding]:
    """Figures that differ between launches far more than the samples within one launch do.

    Not noise: the machine or the library has several states, of which each launch meets one.
    """
    variation = {i: _variation(evidence, i) for i in range(len(evidence.points))}
    if group := [i for i, value in variation.items() if _differs(evidence.points[i], value)]:
        worst = max(group, key=lambda index: variation[index])
        point = evidence.points[worst]
        low, high = min(point.launch_medians_s), max(point.launch_medians_s)
        launches = more_launches(evidence)
        precision = point.within_launch_precision
        inside = "" if precision is None else ", though steady within each"
        numbers = {
            "launch_variation": variation[worst],
            "lowest_launch_s": low,
            "highest_launch_s": high,
            "launches": float(point.launches),
        }
        if precision is not None:
            numbers["within_launch_precision"] = precision
        yield notice_of(
            group,
            f"{name_of(evidence, worst)} varies between {count(point.launches, 'launch')}: "
            f"{format_seconds(low)} to {format_seconds(high)} ({percent(variation[worst])})"
            f"{inside}.",
            numbers,
            advice=Advise.MORE_LAUNCHES(),
            command=again(evidence, same_job(evidence, group, worst), launches=launches),
        )


def _differs(point: PointSummary, variation: float) -> bool:
    if not point.samples:
        return variation > _SMALL_UNSURE
    precision = point.within_launch_precision
    return precision is not None and variation > max(_SMALL, _FAR_LARGER * precision)


def _variation(evidence: Evidence, index: int) -> float:
    return coefficient_of_variation(np.array(evidence.points[index].launch_medians_s)) or 0.0


# Typical values nearer to each other than this make no difference to a program.
_APART = 1.25
_FOLLOW = {
    "launch": "by launch",
    "time": "in stretches of time",
    "repetition": "in turn, every {period} repetitions",
    "chance": "at random",
}

_ADVICE = {"launch": Advise.MORE_LAUNCHES(), "time": Advise.CHANGES()}


@rule(
    "trust",
    cure="Report all values, and find what the value depends on: launch, time or repetition.",
    evidence={
        "mode_*_s": "typical time of each cluster",
        "mode_*_fraction": "repetitions in it",
        "period": "repetitions after which the clusters follow again",
    },
)
def several_modes(evidence: Evidence) -> Iterator[Finding]:
    """Figures whose times cluster at several values, far enough apart to matter.

    Clusters nearer than 25 % are no finding; they are in the figure's `shape` in JSON.
    """
    shapes = {i: p.shape for i, p in enumerate(evidence.points) if p.shape and _apart(p.shape)}
    if group := list(shapes):
        worst = max(group, key=lambda index: _weight(shapes[index]))
        shape = shapes[worst]
        follow = shape.modes_follow or "chance"
        values = [f"{format_seconds(mode.at_s)} ({percent(mode.fraction)})" for mode in shape.modes]
        numbers = {f"mode_{n}_s": mode.at_s for n, mode in enumerate(shape.modes, 1)}
        numbers |= {f"mode_{n}_fraction": mode.fraction for n, mode in enumerate(shape.modes, 1)}
        if shape.modes_period:
            numbers["period"] = float(shape.modes_period)
        cure = "leadline check" if follow == "time" else None
        if follow == "launch":
            job = same_job(evidence, group, worst)
            cure = command(evidence, job, launches=more_launches(evidence))
        yield notice_of(
            group,
            f"{name_of(evidence, worst)}: times cluster at {', '.join(values[:-1])} and "
            f"{values[-1]}, {_FOLLOW[follow].format(period=shape.modes_period)}.",
            numbers,
            advice=_ADVICE.get(follow),
            command=cure,
        )


def _apart(shape: Shape) -> bool:
    return len(shape.modes) > 1 and shape.modes[-1].at_s >= _APART * shape.modes[0].at_s > 0


def _weight(shape: Shape) -> float:
    """Return how far the modes are apart, as a factor, weighed with how evenly they share."""
    return shape.modes[-1].at_s / shape.modes[0].at_s * min(m.fraction for m in shape.modes)


_LEVEL_MATTERS = 1.25
# First repetitions that are slower by less than this do not matter.
_MATTERS = 1.1


@rule(
    "trust",
    cure="Find out what began or ended then, and measure again when the machine is steady.",
    evidence={
        "factor": "time after the change over time before",
        "launch": "launch of the change, counted from 0",
        "repetition": "repetition of that launch",
        "changes": "changes of level of this figure",
    },
)
def level_change(evidence: Evidence) -> Iterator[Finding]:
    """Figures whose level changed during the run, from one launch or repetition on.

    Found by binary segmentation of the medians of blocks and of launches.
    """
    largest = {
        index: max(point.shape.changes, key=lambda one: _size(one.factor))
        for index, point in enumerate(evidence.points)
        if point.shape and point.shape.changes
    }
    sizes = {index: _size(one.factor) for index, one in largest.items()}
    if group := [index for index, size in sizes.items() if size >= _LEVEL_MATTERS]:
        worst = max(group, key=sizes.__getitem__)
        change, shape = largest[worst], evidence.points[worst].shape
        changes = len(shape.changes) if shape else 0
        numbers = {
            "factor": change.factor,
            "launch": float(change.launch),
            "changes": float(changes),
        }
        where = f"launch {change.launch + 1}"
        if change.repetition is not None:
            where = f"repetition {change.repetition} of {where}"
            numbers["repetition"] = float(change.repetition)
        yield notice_of(
            group,
            f"{name_of(evidence, worst)} became {_changed(change.factor)} from {where} on"
            f"{f' (largest of {changes} changes)' if changes > 1 else ''}.",
            numbers,
            effect=change.factor,
            advice=Advise.AGAIN_LATER(),
            command=whole_run(evidence),
        )


def _size(factor: float) -> float:
    return max(factor, 1 / factor)


def _changed(factor: float) -> str:
    return f"{times(_size(factor))} {'slower' if factor > 1 else 'faster'}"


# So many times the first repetitions make them a small part of all.
_MORE = 100


@rule(
    "trust",
    cure=(
        "Measure more repetitions (`--minimum`). The median is not affected; mean, p99 and "
        "maximum are."
    ),
    evidence={
        "warm_up_repetitions": "first repetitions of each launch that are slower",
        "warm_up_factor": "their time over that of the later ones",
        "warm_up_fraction": "part of all repetitions that they are",
    },
)
def warm_up(evidence: Evidence) -> Iterator[Finding]:
    """First repetitions of a launch that are slower than the later ones."""
    factors = {
        index: point.shape.warm_up_factor
        for index, point in enumerate(evidence.points)
        if point.shape and (point.shape.warm_up_factor or 0.0) >= _MATTERS
    }
    if group := list(factors):
        worst = max(group, key=lambda index: factors[index] or 0.0)
        point, factor = evidence.points[worst], factors[worst] or 0.0
        first = point.shape.warm_up_repetitions if point.shape else 0
        part = first * point.launches / max(point.samples, 1)
        yield notice_of(
            group,
            f"The first {count(first, 'repetition')} of {name_of(evidence, worst)} "
            f"{'is' if first == 1 else 'are'} {times(factor)} slower ({percent(part)} of all): the "
            "warm-up was too short.",
            {
                "warm_up_repetitions": float(first),
                "warm_up_factor": factor,
                "warm_up_fraction": part,
            },
            effect=factor,
            advice=Advise.MORE_REPETITIONS(),
            command=command(evidence, same_job(evidence, group, worst), minimum=_MORE * first),
        )


@rule(
    "trust",
    evidence={
        "slow_launches": "launches that met a slower state of the machine at some time",
        "launches": "launches of the run",
        "times": "factor by which a cache line takes longer between two cores then",
    },
)
def slow_spell(evidence: Evidence) -> Iterator[Finding]:
    """Launches that met the machine slower than the rest did, as its yardsticks show.

    Everything between two cores takes longer for a while: on virtual machines when the host moves
    them.
    """
    spell = states.slow_spell(evidence.run)
    if spell is None:
        return
    group = tuple(index for index, point in enumerate(evidence.points) if point.states)
    fast = all(evidence.points[index].states[0].state == 0 for index in group)
    others = f" Figures are of the {'other' if fast else 'slow'} launches." if group else ""
    yield Finding(
        severity="notice",
        text=f"{spell.launches} of {count(spell.of, 'launch')} met a slow spell of the machine: "
        f"cores are {times(spell.times)} farther apart.{others}",
        evidence={
            "slow_launches": float(spell.launches),
            "launches": float(spell.of),
            "times": spell.times,
        },
        points=group,
    )
