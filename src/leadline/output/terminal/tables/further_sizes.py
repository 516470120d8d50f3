"""The phases of a program by size on each placement, and what larger sizes are predicted to take.

As M. Pester, "CHiC als CLiC-Nachfolger" (2007), lists `64x1` and `16x4`: assembly, solve,
communication, level by level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leadline.analysis.results.program import SizeCurve, size_curves
from leadline.analysis.results.program import WORK
from leadline.core.errors import UserError
from leadline.core.units import number
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.table import Cell, Column, Table, table_of
from leadline.output.terminal.tables.fields import mark, order, place, to_fields, values, varying
from leadline.output.words import statistics_text

_ITERATIONS = "iterations"


def further_sizes(run: Run, analysis: Analysis) -> Table:
    """Return a row for each size that was measured, and below them each that is predicted.

    Raises `UserError` for a run without programs at several sizes.
    """
    curves = size_curves(analysis.points)
    if not curves:
        raise UserError(
            f"the table further-sizes takes a run of programs that tell their {WORK}, at several "
            f"sizes: {run.run} has no such figures"
        )
    size_axes = list(dict.fromkeys(name for curve in curves for name in curve.size_axes))
    names = [
        n for n in varying([to_fields(_first(curve)) for curve in curves]) if n not in size_axes
    ]
    # An axis that is the size itself has its column already.
    cases = [case for curve in curves for case in curve.cases]
    axes = [
        name
        for name in size_axes
        if any(case.figures[0].axes.get(name) != case.size for case in cases)
    ]
    ordered = sorted(curves, key=lambda curve: _order(curve, names))
    phases = list(dict.fromkeys(p for c in curves for case in c.cases for p in case.seconds))
    return table_of(
        notes=tuple(_notes(run, ordered)),
        columns=(
            *map(Column, names),
            Column("placement"),
            *map(Column, axes),
            Column(WORK, ".4g"),
            Column(_ITERATIONS, ".0f"),
            Column(""),
            *(column for phase in phases for column in _columns(phase)),
            Column(""),
        ),
        rows=tuple(row for curve in ordered for row in _rows(curve, names, axes, phases)),
    )


def _columns(phase: str) -> tuple[Column, Column]:
    return Column(f"{phase}_s", ".4g"), Column("95_%_interval")


def _first(curve: SizeCurve) -> PointSummary:
    return curve.cases[0].figures[0]


def _order(curve: SizeCurve, names: Sequence[str]) -> tuple[object, ...]:
    """By what is chosen, then by processes, the most nodes first."""
    first = _first(curve)
    return (first.benchmark, order(to_fields(first), names), first.processes, -first.nodes)


def _rows(
    curve: SizeCurve, names: Sequence[str], axes: Sequence[str], phases: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    first = _first(curve)
    chosen = (*values(to_fields(first), names), place(first))
    for case in curve.cases:
        yield (
            *chosen,
            *values(to_fields(case.figures[0]), axes),
            case.size,
            next((p.metrics[_ITERATIONS] for p in case.figures if _ITERATIONS in p.metrics), None),
            "measured",
            *(cell for phase in phases for cell in (case.seconds.get(phase), "")),
            mark(case.figures),
        )
    for further in curve.further:
        found = [further.seconds.get(phase) for phase in phases]
        cells = [(one.seconds, f"{one.low:.3g} - {one.high:.3g}") if one else (None, "")
                 for one in found]  # fmt: skip
        yield (
            *chosen,
            *values(further.chosen, axes),
            further.size,
            None,
            "predicted",
            *(cell for pair in cells for cell in pair),
            "",
        )


def _notes(run: Run, curves: Sequence[SizeCurve]) -> Iterator[str]:
    figures: list[PointSummary] = [p for c in curves for case in c.cases for p in case.figures]
    benchmarks = ", ".join(dict.fromkeys(point.benchmark for point in figures))
    yield (
        f"{run.run}: {benchmarks}, {statistics_text(figures)} of each phase's time on the slowest "
        "process. A placement is NODESxPROCESSES_PER_NODE. Communication is the mean over "
        "processes."
    )
    yield (
        "Predicted: the slope of the logarithms of time and size goes on; the interval is as wide "
        "as slopes have changed. Where it spans a factor of 100, or fewer than 3 sizes were "
        "measured, nothing is predicted. Memory that a larger size may lack is not looked at."
    )
    for curve in curves:
        if curve.checked:
            told = ", ".join(f"{phase} {number(each)}" for phase, each in curve.checked.items())
            yield (
                f"{place(_first(curve))}: predicted from the sizes below it, {WORK} "
                f"{curve.cases[-1].size:.4g} over what was measured: {told} times."
            )
