"""Tables of programs: phases and their times, larger sizes, recorded calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from leadline.analysis.results.program import WORK, SizeCurve, communication_fraction, size_curves
from leadline.core.errors import UserError
from leadline.core.units import count, format_bytes, format_seconds, times
from leadline.core.units import number as digits
from leadline.model.published import ReplayedCalls, ReplayedProgram
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.table import Cell, Column, Table, number, table_of
from leadline.output.terminal.tables.fields import mark, order, place, to_fields, values, varying
from leadline.output.words import statistics_text

# The figures of a column by the number of processes and the placement.
_Times = Mapping[tuple[int, str], PointSummary]


def by_processes(run: Run, analysis: Analysis) -> Table:
    """Return times in seconds.

    Raises `UserError` for a run in which no program ran on several numbers of processes.
    """
    points = [point for point in analysis.points if WORK in point.metrics]
    if len({point.processes for point in points}) < 2:
        raise UserError(
            f"the table by-processes takes a run of programs that tell their {WORK}, on several "
            f"numbers of processes: {run.run} has no such figures"
        )
    columns = _process_columns(points)
    places = sorted({place for times in columns.values() for place in times})
    several = len({processes for processes, _ in places}) < len(places)
    return table_of(
        notes=tuple(_by_processes_notes(run, points)),
        columns=(
            Column("processes"),
            *([Column("placement")] if several else []),
            *(Column(f"{name}_s", ".4g") for name in columns),
        ),
        rows=tuple(
            (
                place[0],
                *([place[1]] if several else []),
                *(times[place].median_s if place in times else None for times in columns.values()),
            )
            for place in places
        ),
    )


def _process_columns(points: Sequence[PointSummary]) -> Mapping[str, _Times]:
    telling = varying([to_fields(point) for point in points])
    found: dict[str, dict[tuple[int, str], PointSummary]] = {}
    for series in dict.fromkeys(point.series for point in points):
        for point in points:
            if point.series == series:
                named = to_fields(point)
                words = [series, *(str(named[name]) for name in telling if name in named)]
                doubt = "" if point.verified else " NOT VERIFIED"
                column = found.setdefault(" ".join(words) + doubt, {})
                column[point.processes, place(point)] = point
    return found


def _by_processes_notes(run: Run, points: Sequence[PointSummary]) -> Iterator[str]:
    benchmarks = ", ".join(dict.fromkeys(point.benchmark for point in points))
    yield f"{run.run}: {benchmarks}, {statistics_text(points)} in seconds."
    named = dict.fromkeys((point.benchmark, point.series) for point in points)
    for benchmark in run.benchmarks:
        for series in benchmark.series:
            if (benchmark.name, series.name) in named and series.definition:
                yield f"{series.name}: {series.definition}"
    if any(point.oversubscribed for point in points):
        yield "Some figures are of more processes than cores."


_ITERATIONS = "iterations"
# The figures of one point, by series.
_Case = Mapping[str, PointSummary]


def phases(run: Run, analysis: Analysis) -> Table:
    """Return the median time of each phase in seconds, from launches.

    Raises `UserError` for a run without figures of a problem size.
    """
    cases = [case for case in _cases(analysis.points) if _metric(case, WORK)]
    if not cases:
        raise UserError(
            f"the table phases takes a run of programs that tell their {WORK}: {run.run} has no "
            "such figures"
        )
    # An axis that is the problem size itself has its column already.
    named = [
        name
        for name in varying([to_fields(_first(case)) for case in cases])
        if any(to_fields(_first(case)).get(name) != _metric(case, WORK) for case in cases)
    ]
    phases = list(dict.fromkeys(name for case in cases for name in case))
    shares = [name for name in phases if any(_share(case.get(name)) is not None for case in cases)]
    counted = any(_metric(case, _ITERATIONS) for case in cases)
    ordered = sorted(cases, key=lambda case: _phase_order(case, named))
    return table_of(
        notes=tuple(_phases_notes(run, cases)),
        columns=(
            *map(Column, named),
            Column("placement"),
            Column(WORK, ".0f"),
            *([Column(_ITERATIONS, ".0f")] if counted else []),
            *(Column(f"{name}_s", ".4g") for name in phases),
            *(Column(f"communication_in_{name}_%", ".1f") for name in shares),
            Column(""),
        ),
        rows=tuple(
            (
                *values(to_fields(_first(case)), named),
                place(_first(case)),
                _metric(case, WORK),
                *([_metric(case, _ITERATIONS)] if counted else []),
                *(case[name].median_s if name in case else None for name in phases),
                *(_share(case.get(name)) for name in shares),
                mark(case.values()),
            )
            for case in ordered
        ),
    )


def _cases(points: Sequence[PointSummary]) -> Iterator[_Case]:
    found: dict[object, dict[str, PointSummary]] = {}
    for point in points:
        key = (point.benchmark, point.nodes, point.processes_per_node, *to_fields(point).items())
        found.setdefault(key, {})[point.series] = point
    yield from found.values()


def _first(case: _Case) -> PointSummary:
    return next(iter(case.values()))


def _metric(case: _Case, name: str) -> float | None:
    return next((p.metrics[name] for p in case.values() if name in p.metrics), None)


def _phase_order(case: _Case, named: Sequence[str]) -> tuple[object, ...]:
    """By size, then by what is chosen, then by processes, the most nodes first."""
    point = _first(case)
    chosen = order(to_fields(point), named)
    return (point.benchmark, _metric(case, WORK), chosen, point.processes, -point.nodes)


def _share(point: PointSummary | None) -> float | None:
    share = communication_fraction(point) if point else None
    return None if share is None else 100 * share


def _phases_notes(run: Run, cases: Sequence[_Case]) -> Iterator[str]:
    benchmarks = ", ".join(dict.fromkeys(_first(case).benchmark for case in cases))
    what = statistics_text(point for case in cases for point in case.values())
    yield f"{run.run}: {benchmarks}, {what} of each phase's time on the slowest process."
    yield "A placement is NODESxPROCESSES_PER_NODE. Communication is the mean over processes."


_NOT_MEASURED = "-"


def program(run: Run, analysis: Analysis) -> Table:
    """Return a row for each of the program's calls and one for all of them.

    Raises `UserError` for a run whose plan is of no program.
    """
    found = analysis.replayed
    if not found:
        raise UserError(
            f"the table program takes a run of a plan that `leadline explain --replay` wrote: "
            f"{run.run} is none"
        )
    columns = (
        Column("call"),
        number("ranks"),
        number("size"),
        number("calls"),
        number("in_the_program"),
        *(number(_name(each)) for each in found),
    )
    calls = zip(*(each.calls for each in found), strict=True)
    rows = [_row(own) for own in calls]
    total = (
        "all",
        "",
        "",
        "",
        format_seconds(found[0].recorded_s),
        *(format_seconds(each.seconds) for each in found),
    )
    return table_of(columns, [*rows, total], notes=tuple(_program_notes(found)))


def _row(calls: Sequence[ReplayedCalls]) -> tuple[Cell, ...]:
    first = calls[0]
    return (
        first.call,
        str(first.ranks) if first.nodes == 1 else f"{first.ranks} on {first.nodes} nodes",
        _NOT_MEASURED if first.bytes is None else format_bytes(first.bytes),
        str(first.calls),
        format_seconds(first.recorded_s),
        *(format_seconds(each.seconds) for each in calls),
    )


def _program_notes(found: Sequence[ReplayedProgram]) -> Iterator[str]:
    first = found[0]
    known = [each for each in found if each.seconds is not None]
    if known:
        yield f"The calls of {first.program} take {', '.join(map(_time, known))}."
    if len(known) > 1:
        yield _fastest(known)
    for each in found:
        lacking = sum(calls.seconds is None for calls in each.calls)
        if lacking:
            yield (
                f"No total with {_name(each)}: {count(lacking, 'figure')} of {len(each.calls)} "
                "not measured."
            )
    with_mpi = f" with {first.recorded_mpi}" if first.recorded_mpi else ""
    yield (
        f"Seconds are those of an average rank of {first.ranks}, calls those of all ranks. In the "
        f"program{with_mpi} they took {format_seconds(first.recorded_s)} without waiting for late "
        "ranks; here each call takes what its benchmark does, one after the other."
    )


def _time(each: ReplayedProgram) -> str:
    ends = ""
    if each.low_s is not None and each.high_s is not None:
        ends = f" ({format_seconds(each.low_s)} to {format_seconds(each.high_s)})"
    return f"{format_seconds(each.seconds)}{ends} with {_name(each)}"


def _fastest(known: Sequence[ReplayedProgram]) -> str:
    """Return which is the fastest; surely so only where its interval is apart from all others."""
    best, *rest = sorted(known, key=lambda each: each.seconds or 0.0)
    second = rest[0]
    apart = all(
        best.high_s is not None and each.low_s is not None and best.high_s < each.low_s
        for each in rest
    )
    if not apart or not best.seconds or not second.seconds:
        return "Which is the fastest is not sure: the 95 % intervals overlap, or there are none."
    ratio = times(second.seconds / best.seconds)
    return f"{_name(best)} is the fastest: {ratio} faster than {_name(second)}."


def _name(each: ReplayedProgram) -> str:
    knobs = " ".join(f"{name}={value}" for name, value in each.knobs.items())
    return f"{each.mpi} {knobs}".strip()


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
        n for n in varying([to_fields(_first_of(curve)) for curve in curves]) if n not in size_axes
    ]
    # An axis that is the size itself has its column already.
    cases = [case for curve in curves for case in curve.cases]
    axes = [
        name
        for name in size_axes
        if any(case.figures[0].axes.get(name) != case.size for case in cases)
    ]
    ordered = sorted(curves, key=lambda curve: _size_order(curve, names))
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
            *(column for phase in phases for column in _size_columns(phase)),
            Column(""),
        ),
        rows=tuple(row for curve in ordered for row in _rows(curve, names, axes, phases)),
    )


def _size_columns(phase: str) -> tuple[Column, Column]:
    return Column(f"{phase}_s", ".4g"), Column("95_%_interval")


def _first_of(curve: SizeCurve) -> PointSummary:
    return curve.cases[0].figures[0]


def _size_order(curve: SizeCurve, names: Sequence[str]) -> tuple[object, ...]:
    """By what is chosen, then by processes, the most nodes first."""
    first = _first_of(curve)
    return (first.benchmark, order(to_fields(first), names), first.processes, -first.nodes)


def _rows(
    curve: SizeCurve, names: Sequence[str], axes: Sequence[str], phases: Sequence[str]
) -> Iterator[tuple[Cell, ...]]:
    first = _first_of(curve)
    chosen = (*values(to_fields(first), names), place(first))
    for case in curve.cases:
        yield (
            *chosen,
            *values(to_fields(case.figures[0]), axes),
            case.size,
            next(
                (p.metrics[_ITERATIONS] for p in case.figures if _ITERATIONS in p.metrics),
                None,
            ),
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
            errors = ", ".join(f"{phase} {digits(each)}" for phase, each in curve.checked.items())
            yield (
                f"{place(_first_of(curve))}: predicted from the sizes below it, {WORK} "
                f"{curve.cases[-1].size:.4g} over what was measured: {errors} times."
            )
