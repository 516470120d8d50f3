"""Tables as publications list them, and what was published beside a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leadline.core.errors import UserError
from leadline.model.published import Held
from leadline.model.run import Run, variant
from leadline.model.summary import Analysis, PointSummary
from leadline.output.table import Cell, Table, columns, table_of
from leadline.output.terminal.tables.fields import place
from leadline.output.words import statistics_text

_AXIS = "algorithm"
_DOUBLE_BYTES = 8
_MIB = 2**20
_GLOBAL_SUM_COLUMNS = columns(
    "processes, nodes, vector_length, packet_MiB .6g, data_flow_GiB .6g, library, algorithm, "
    "megabit_per_second_per_process .0f"
)


def global_sum(run: Run, analysis: Analysis) -> Table:
    """Return the rate of each process for each algorithm.

    With p = 2^n processes and vectors of N doubles, a packet is L = 8 N / 2^20 MiB, n p L flow in
    all, and the rate is 8 * 2 n L / t for the time t.
    """
    points = [point for point in analysis.points if _fits(point)]
    if not points:
        raise UserError(
            f"the table global-sum takes a run with the axis {_AXIS} over vectors of doubles, on "
            f"2, 4, 8, ... processes: {run.run} has no such figures"
        )
    ordered = sorted(points, key=lambda p: (p.processes, p.nodes, p.bytes or 0, p.mpi))
    return table_of(
        notes=tuple(_global_sum_notes(run, points)),
        columns=_GLOBAL_SUM_COLUMNS,
        rows=tuple(_global_sum_row(point, points) for point in ordered),
    )


def _fits(point: PointSummary) -> bool:
    whole = bool(point.bytes) and (point.bytes or 0) % _DOUBLE_BYTES == 0
    power_of_two = point.processes > 1 and point.processes.bit_count() == 1
    return _AXIS in point.axes and whole and power_of_two


def _global_sum_row(point: PointSummary, points: Sequence[PointSummary]) -> tuple[Cell, ...]:
    size = point.bytes or 0
    packet_mib = size / _MIB
    dimensions = point.processes.bit_length() - 1
    return (
        point.processes,
        point.nodes,
        size // _DOUBLE_BYTES,
        packet_mib,
        dimensions * point.processes * packet_mib / 1024,
        point.mpi,
        _name_algorithm(point, points),
        8 * 2 * dimensions * packet_mib / point.median_s,
    )


def _name_algorithm(point: PointSummary, points: Sequence[PointSummary]) -> str:
    """Return the algorithm, with all else in which the figures of the run differ."""
    words = [str(point.axes[_AXIS])]
    if len({each.benchmark for each in points}) > 1:
        words.insert(0, point.benchmark)
    if len({each.series for each in points}) > 1:
        words.append(point.series)
    if len({_others(each) for each in points}) > 1:
        words.append(_others(point))
    return " ".join(filter(None, words)) + ("" if point.verified else " NOT VERIFIED")


def _others(point: PointSummary) -> str:
    axes = {name: value for name, value in point.axes.items() if name != _AXIS}
    return variant(axes, point.conditions)


def _global_sum_notes(run: Run, points: Sequence[PointSummary]) -> Iterator[str]:
    benchmarks = ", ".join(dict.fromkeys(point.benchmark for point in points))
    yield f"{run.run}: {benchmarks}, {statistics_text(points)}."
    yield (
        "p = 2^n processes, vectors of N doubles: packet L = 8 N / 2^20 MiB, data flow n p L, rate "
        "of a process 8 * 2 n L / t. One Mbit is 2^20 bits here, as in the source."
    )
    if any(point.oversubscribed for point in points):
        yield "Some figures are of more processes than cores."


_WORD_BYTES = 8
# What a published table says of its figures: an axis, and two numbers beside the times.
_MACHINE, _RUN, _TICKS = "machine", "run", "clock_ticks"
# In the order of the newsletter. Only the receiver knows how long the data took.
_ROLES = ("receiver", "sender")
_NEWSLETTER_COLUMNS = columns(
    "machine, run, role, words, clock_ticks, microseconds .3f, megabytes_per_second .3f"
)


def newsletter(run: Run, analysis: Analysis) -> Table:
    """Return the times of both sides for each number of words.

    What the newsletter calls a run is here a library, a placement and a choice of axes. Figures of
    the newsletter itself keep their machine, run and clock ticks as it printed them.
    """
    curves = _curves(analysis.points)
    if not curves:
        raise UserError(
            "the table newsletter takes a run in which a sender and a receiver are both timed, by "
            f"bytes in whole words of {_WORD_BYTES}: {run.run} has no such figures"
        )
    rows = [
        row
        for number, points in enumerate(curves.values(), start=1)
        for role in _ROLES
        for row in _rows(run, number, role, points)
    ]
    notes = (*_clock_notes(run, curves), *_definitions(run, curves), *_curve_notes(curves))
    return table_of(notes=notes, columns=_NEWSLETTER_COLUMNS, rows=tuple(rows))


Curves = dict[str, list[PointSummary]]


def _curves(points: Sequence[PointSummary]) -> Curves:
    found: Curves = {}
    for point in points:
        if point.series in _ROLES and point.bytes and point.bytes % _WORD_BYTES == 0:
            chosen = variant(point.axes, point.conditions).replace(",", ", ")
            name = ", ".join(filter(None, (point.benchmark, point.mpi, place(point), chosen)))
            found.setdefault(name, []).append(point)
    return {
        name: curve
        for name, curve in found.items()
        if {point.series for point in curve} == set(_ROLES)
    }


def _rows(
    run: Run, number: int, role: str, points: Sequence[PointSummary]
) -> Iterator[tuple[Cell, ...]]:
    frequency = run.machine.get("nominal_frequency_hz")
    of_role = (point for point in points if point.series == role)
    for point in sorted(of_role, key=lambda point: point.bytes or 0):
        yield (
            _machine(run, point),
            _number(point, number),
            role,
            (point.bytes or 0) // _WORD_BYTES,
            _ticks(point, frequency),
            point.median_s * 1e6,
            point.bandwidth_MBps if role == "receiver" else None,
        )


def _machine(run: Run, point: PointSummary) -> str:
    return str(point.axes.get(_MACHINE) or run.machine.get("host") or "")


def _number(point: PointSummary, number: int) -> int:
    """Return the run's number as it was published, or else this one."""
    return round(point.metrics.get(_RUN, number))


def _ticks(point: PointSummary, frequency: float | None) -> int | None:
    ticks = point.metrics.get(_TICKS, point.median_s * frequency if frequency else None)
    return None if ticks is None else round(ticks)


def _clock_notes(run: Run, curves: Curves) -> Iterator[str]:
    points = [point for curve in curves.values() for point in curve]
    what = f"{statistics_text(points).capitalize()}; 1 MB/s is 10^6 bytes/s."
    if run.imported:
        yield f"{run.run}, from {run.imported.source or run.imported.program}. {what}"
        if any(_TICKS in point.metrics for point in points):
            yield "Clock ticks are those that were published."
        return
    processor = run.machine.get("cpu_model") or "a processor without a name"
    yield f"{run.run}, on {processor}. {what}"
    read = dict.fromkeys(launch.clock.source for launch in run.launches if launch.clock)
    clock = f" The clock that was read is {', '.join(read)}." if read else ""
    frequency = run.machine.get("nominal_frequency_hz")
    if frequency:
        source = run.machine.get("nominal_frequency_source")
        yield (
            f"A clock tick is one of the processor's nominal {frequency / 1e6:.6g} MHz "
            f"({source}): the time in its ticks.{clock}"
        )
    else:
        yield f"No clock ticks: the machine does not tell its nominal frequency.{clock}"


def _definitions(run: Run, curves: Curves) -> Iterator[str]:
    named = {point.benchmark for points in curves.values() for point in points}
    for benchmark in run.benchmarks:
        if benchmark.name in named:
            for series in benchmark.series:
                if series.name in _ROLES:
                    yield f"{series.name}: {series.definition}"


def _curve_notes(curves: Curves) -> Iterator[str]:
    for position, (name, points) in enumerate(curves.items(), start=1):
        number = _number(points[0], position)
        wrong = {(p.bytes or 0) // _WORD_BYTES for p in points if not p.verified}
        doubt = f"; NOT VERIFIED at {', '.join(map(str, sorted(wrong)))} words" if wrong else ""
        shared = "; more processes than cores" if any(p.oversubscribed for p in points) else ""
        yield f"run {number}: {name}{doubt}{shared}"


_PUBLISHED_COLUMNS = columns("result, at, published, here, verdict")
_PER_CENT = "saving"
# Nearer than this, in parts of one, is the published figure itself: it was rounded.
_ROUNDED = 0.005


def published(run: Run, analysis: Analysis) -> Table:
    """Return a row for each row of each claim.

    Raises `UserError` for a run whose plan has none.
    """
    if not analysis.published:
        raise UserError(
            f"the table published takes a run of a plan with published results, such as "
            f"plans/published-placement.toml: {run.run} has none"
        )
    return table_of(
        notes=tuple(_published_notes(analysis.published)),
        columns=_PUBLISHED_COLUMNS,
        rows=tuple(_published_row(held) for held in analysis.published),
    )


def _published_notes(rows: Sequence[Held]) -> Iterator[str]:
    for claim in dict.fromkeys(each.claim for each in rows):
        first = next(each for each in rows if each.claim == claim)
        yield f"{claim + 1}: {first.text} ({first.quantity.replace('_', ' ')}; {first.source})."
        if first.why:
            yield f"   {first.why}"


def _published_row(held: Held) -> tuple[Cell, ...]:
    alike = held.low == held.high
    low, high = _format_value(held.low, held.quantity), _format_value(held.high, held.quantity)
    return (
        str(held.claim + 1),
        " ".join(f"{name}={value}" for name, value in held.at.items()),
        low if alike else f"{low} to {high}",
        "not measured" if held.found is None else _format_value(held.found, held.quantity),
        _verdict(held),
    )


def _verdict(held: Held) -> str:
    if held.found is None or held.deviation is None:
        return ""
    end = held.high if held.deviation > 0 else held.low
    scale = 1.0 if held.quantity == _PER_CENT else abs(end) or 1.0
    if abs(held.deviation) <= _ROUNDED * scale:
        return "as published"
    if held.quantity == _PER_CENT:
        by = f"{abs(100 * held.deviation):.0f} points"
    else:
        by = f"{100 * abs(held.deviation) / scale:.0f} %"
    return f"{'more' if held.deviation > 0 else 'less'} by {by}"


def _format_value(value: float, quantity: str) -> str:
    return f"{100 * value:.0f} %" if quantity == _PER_CENT else f"{value:.3g}"
