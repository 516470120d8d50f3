"""Programs: their own metrics, and the times of their phases, predicted at larger sizes.

M. Pester, "CHiC als CLiC-Nachfolger" (2007), times a solver on one level of refinement after the
other, on 64 nodes and on 16 with four processes each; what the next levels would take is the
question that such a table ends with.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from leadline.analysis.stats.line import FEWEST, Predicted, predict_growth
from leadline.model.plan import Value
from leadline.model.summary import PointSummary

# The metric that says how much work all processes do together, in any unit: equal numbers are
# equal work.
WORK = "problem_size"
# What part of a figure's time is communication.
_COMMUNICATION = "communication_percent"


def communication_fraction(point: PointSummary) -> float | None:
    """Return what part of the time is communication, 0 to 1, where the benchmark tells it."""
    share = point.metrics.get(_COMMUNICATION)
    return None if share is None else share / 100


# So many further sizes, each larger than the one before by as much as the last two differ.
_FURTHER = 2
# An interval that spans this factor says that nothing is known.
_UNKNOWN = 100.0


class Case(NamedTuple):
    """A program at one size: the figures of its phases, and their seconds by name.

    Where a phase tells its part of communication, that is `communication in PHASE`.
    """

    size: float
    figures: tuple[PointSummary, ...]
    seconds: Mapping[str, float]


class Further(NamedTuple):
    """What is predicted at a larger size, by phase, as far as anything can be told.

    `chosen` are the values of the axes that make the size, where these grow evenly.
    """

    size: float
    chosen: Mapping[str, Value]
    seconds: Mapping[str, Predicted]


class SizeCurve(NamedTuple):
    """A program on one placement by size, ascending, and what is predicted of more.

    `size_axes` make the size. `checked` is what had been predicted of the largest size from the
    others, over what was measured, by phase.
    """

    cases: tuple[Case, ...]
    size_axes: tuple[str, ...]
    further: tuple[Further, ...]
    checked: Mapping[str, float]


def size_curves(points: Sequence[PointSummary]) -> tuple[SizeCurve, ...]:
    """Return a curve for each program, way to run it, and placement, of two sizes or more."""
    axes = _size_axes(points)
    found: dict[object, dict[float, list[PointSummary]]] = defaultdict(lambda: defaultdict(list))
    for point in points:
        if WORK in point.metrics and point.median_s > 0 and point.verified:
            values = {**point.axes, **point.conditions}
            choices = tuple(
                sorted((n, v) for n, v in values.items() if n not in axes[point.benchmark])
            )
            place = (point.nodes, point.processes_per_node)
            by_size = found[point.benchmark, point.mpi, choices, place]
            by_size[point.metrics[WORK]].append(point)
    return tuple(
        _curve([_case(size, figures) for size, figures in sorted(by_size.items())])
        for by_size in found.values()
        if len(by_size) > 1
    )


def _size_axes(points: Sequence[PointSummary]) -> Mapping[str, tuple[str, ...]]:
    """Return the axes of each benchmark of which every value is one size, and every size one value.

    An axis with one value makes none.
    """
    pairs: dict[str, dict[str, set[tuple[Value, float]]]] = defaultdict(lambda: defaultdict(set))
    for point in points:
        for name, value in point.axes.items():
            if WORK in point.metrics:
                pairs[point.benchmark][name].add((value, point.metrics[WORK]))
    return defaultdict(
        tuple, {b: tuple(n for n, p in axes.items() if _makes(p)) for b, axes in pairs.items()}
    )


def _makes(pairs: set[tuple[Value, float]]) -> bool:
    values, sizes = ({pair[at] for pair in pairs} for at in (0, 1))
    return len(values) == len(sizes) == len(pairs) > 1


def _case(size: float, figures: Sequence[PointSummary]) -> Case:
    seconds = {}
    for point in figures:
        seconds[point.series] = point.median_s
        if share := communication_fraction(point):
            seconds[f"communication in {point.series}"] = share * point.median_s
    return Case(size, tuple(figures), seconds)


def _curve(cases: Sequence[Case]) -> SizeCurve:
    first = cases[0].figures[0]
    axes = tuple(
        name
        for name, value in first.axes.items()
        if all(case.figures[0].axes.get(name) != value for case in cases[1:])
    )
    ratio = cases[-1].size / cases[-2].size
    sizes = [cases[-1].size * ratio**step for step in range(1, _FURTHER + 1)]
    phases = [name for name in cases[-1].seconds if all(name in case.seconds for case in cases)]
    predicted = {phase: _predict(cases, phase, sizes) for phase in phases}
    before = {phase: _predict(cases[:-1], phase, [cases[-1].size]) for phase in phases}
    return SizeCurve(
        cases=tuple(cases),
        size_axes=axes,
        further=tuple(
            Further(
                size=size,
                chosen={name: value for name in axes if (value := _next(cases, name, at + 1))},
                seconds={
                    phase: found[at]
                    for phase, found in predicted.items()
                    if found and found[at].high < _UNKNOWN * found[at].low
                },
            )
            for at, size in enumerate(sizes)
        )
        if len(cases) >= FEWEST
        else (),
        checked={
            phase: found[0].seconds / cases[-1].seconds[phase]
            for phase, found in before.items()
            if found
        },
    )


def _predict(cases: Sequence[Case], phase: str, sizes: Sequence[float]) -> list[Predicted]:
    return predict_growth(
        [case.size for case in cases], [case.seconds[phase] for case in cases], sizes
    )


def _next(cases: Sequence[Case], axis: str, steps: int) -> Value | None:
    """Return the value of an axis so many steps on, None where its last two steps differ."""
    values = [case.figures[0].axes[axis] for case in cases]
    numbers = [value for value in values if isinstance(value, int)]
    if len(numbers) < len(values) or len(numbers) < FEWEST:
        return None
    step = numbers[-1] - numbers[-2]
    return numbers[-1] + steps * step if step == numbers[-2] - numbers[-3] else None
