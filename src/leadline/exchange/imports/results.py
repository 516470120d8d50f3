"""Rows of a table to figures, as a mapping says."""

from __future__ import annotations

import math
from collections.abc import Mapping as Named
from collections.abc import Sequence

import msgspec

from leadline.core.errors import UserError
from leadline.exchange.imports.mapping import (
    Axis,
    Cell,
    Limit,
    Mapping,
    Measure,
    Metric,
    RateUnit,
    Size,
    Text,
    TimeUnit,
    Whole,
)
from leadline.exchange.imports.printed import Place, Subject, figure, sizes_of
from leadline.model import description
from leadline.model.imported import Bound
from leadline.model.placement import Placement, parse_placement
from leadline.model.plan import Value
from leadline.model.summary import PointSummary

Row = Named[str, str]

_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_PREFIX = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


# Beyond it neither a time nor a rate, in any unit, can be compared with others.
_SMALLEST = 1e-30


class BadCell(Exception):
    """A cell that cannot be used; its text names the column, the cell and what is allowed."""


class Builder:
    """Makes figures of rows, and describes the benchmarks that they are of."""

    def __init__(self, mapping: Mapping) -> None:
        self._mapping = mapping

    def figures(self, row: Row, measure: Measure) -> list[PointSummary]:
        """Return the figure of a row, none where its cell is empty. Raises `BadCell`."""
        text = row[measure.column]
        if not text:
            return []
        mapping = self._mapping
        given = number(measure.column, text)
        place = _placement(mapping, row)
        size = size_of(mapping.size, row[mapping.size.column]) if mapping.size else None
        series = _text(measure.series or mapping.series, row)
        moved = _count_moved_bytes(measure.moved or mapping.moved, size, place)
        time, rate = _time_and_rate(measure, row, given, moved)
        axes: dict[str, Value] = {}
        for name, axis in mapping.axes.items():
            value = measure.axes.get(name) or _text(Cell(column=axis.column), row, axis.values)
            if value:
                axes[name] = _value(name, axis, value)
        low, high = (_other(measure, row, one) for one in (measure.low, measure.high))
        ends = (low, high) if low is not None and high is not None else None
        found = figure(
            Subject(_text(measure.benchmark or mapping.benchmark, row), series, axes),
            time,
            place=Place(place.processes, place.nodes),
            mpi=_text(measure.mpi or mapping.mpi, row),
            size=size,
            statistic=measure.statistic or mapping.statistic,
            settings={},
            verified=_read_verified(mapping, row),
            interval=ends,
            method="as printed" if ends else "",
            repetitions=(
                None,
                *(
                    _other(measure, row, one)
                    for one in (measure.p99, measure.maximum, measure.minimum)
                ),
            ),
            metrics=_metrics(mapping, row, series),
        )
        mean = _other(measure, row, measure.mean)
        return [msgspec.structs.replace(found, mean_s=mean, bandwidth_MBps=rate)]

    def benchmarks(self, figures: Sequence[PointSummary]) -> tuple[description.Benchmark, ...]:
        """Return what the mapping says of each benchmark, with the values that were met."""
        return tuple(
            self._benchmark(name, [figure for figure in figures if figure.benchmark == name])
            for name in dict.fromkeys(figure.benchmark for figure in figures)
        )

    def _benchmark(self, name: str, figures: Sequence[PointSummary]) -> description.Benchmark:
        mapping = self._mapping
        axes = [_describe_axis(axis, self._mapping.axes[axis], figures) for axis in mapping.axes]
        if mapping.size:
            size = description.Axis(name="bytes", kind="bytes", summary="message", default="")
            axes.insert(0, size)
        return description.Benchmark(
            name=name,
            summary=mapping.summary,
            axes=tuple(axes),
            processes=description.Processes(),
            series=tuple(
                description.Series(name=series, definition=mapping.definitions.get(series, ""))
                for series in dict.fromkeys(figure.series for figure in figures)
            ),
            api="",
            start="",
            sizes=sizes_of(name),
        )


def _describe_axis(name: str, axis: Axis, figures: Sequence[PointSummary]) -> description.Axis:
    met = tuple(dict.fromkeys(str(one.axes[name]) for one in figures if name in one.axes))
    return description.Axis(
        name=name,
        kind=axis.kind,
        summary=axis.summary,
        default=axis.default or next(iter(met), ""),
        choices=met if axis.kind == "choice" else (),
    )


def _text(given: Text, row: Row, values: Named[str, str] | None = None) -> str:
    if not isinstance(given, Cell):
        return given
    cell = row[given.column] if given.column else ""
    return (values or given.values).get(cell, cell)


def _whole(given: Whole | None, row: Row) -> int | None:
    if not isinstance(given, Cell):
        return given
    return whole(given.column, _text(given, row))


def _placement(mapping: Mapping, row: Row) -> Placement:
    if mapping.place is not None:
        try:
            return parse_placement(_text(mapping.place, row))
        except UserError as error:
            raise BadCell(str(error)) from None
    processes, nodes = _whole(mapping.processes, row), _whole(mapping.nodes, row)
    each = _whole(mapping.processes_per_node, row)
    if processes is None:
        return Placement(nodes or 1, each or 1)
    nodes = nodes or processes // (each or processes)
    if not nodes or processes % nodes or (each and nodes * each != processes):
        raise BadCell(f"{processes} processes do not fill {nodes} nodes evenly")
    return Placement(nodes, processes // nodes)


def _count_moved_bytes(
    factors: Sequence[float | str], size: int | None, place: Placement
) -> float | None:
    """Return the bytes that one operation moves, None where the row has no size."""
    known = {
        "bytes": None if size is None else float(size),
        "processes": float(place.processes),
        "processes - 1": place.processes - 1.0,
        "log2 processes": math.log2(place.processes),
    }
    product = 1.0
    for factor in factors:
        value = known[factor] if isinstance(factor, str) else factor
        if value is None:
            return None
        product *= value
    return product


def _time_and_rate(
    measure: Measure, row: Row, given: float, moved: float | None
) -> tuple[float, float | None]:
    """Return seconds, and 10^6 bytes/s where something is moved.

    A rate gives its time. A time gives its rate, unless the source has a column of rates.
    """
    if is_rate(measure.unit):
        rate = bytes_per_second(given, measure.unit)
        if rate <= 0 or not moved:
            raise BadCell(f"{measure.column} is {given:g}: no time follows from such a rate")
        return moved / rate, rate / 1e6
    time = seconds(given, measure.unit, measure.clock_hz)
    if time < 0:
        raise BadCell(f"{measure.column} is {given:g}: a time is not below zero")
    if measure.rate is None:
        return time, moved / time / 1e6 if moved and time > 0 else None
    printed = row[measure.rate.column]
    if not printed:
        return time, None
    rate = bytes_per_second(number(measure.rate.column, printed), measure.rate.unit)
    return time, rate / 1e6 if rate > 0 else None


def _other(measure: Measure, row: Row, column: str) -> float | None:
    text = row[column] if column else ""
    return seconds(number(column, text), measure.unit, measure.clock_hz) if text else None


def _value(name: str, axis: Axis, text: str) -> Value:
    if axis.kind == "choice":
        return text
    return whole(name, text, least=0) if axis.kind == "integer" else number(name, text)


def _metrics(mapping: Mapping, row: Row, series: str) -> dict[str, float]:
    found = {name: _metric(one, row) for name, one in mapping.metrics.items()
             if one.series in ("", series)}  # fmt: skip
    return {name: value for name, value in found.items() if value is not None}


def _metric(metric: Metric, row: Row) -> float | None:
    if not metric.column:
        return metric.value
    text = row[metric.column]
    return number(metric.column, text) / (100 if metric.unit == "percent" else 1) if text else None


def _read_verified(mapping: Mapping, row: Row) -> bool:
    if mapping.verified is None:
        return True
    text = _text(mapping.verified, row).lower()
    if text not in ("true", "false", "yes", "no", "1", "0"):
        raise BadCell(f"{mapping.verified.column} is {text!r}, not true or false")
    return text in ("true", "yes", "1")


def number(column: str, text: str) -> float:
    """Return the number in a cell. Raises `BadCell` for anything that nobody can have measured."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BadCell(f"{column} is {text!r}, not a number")
    if value and not _SMALLEST < abs(value) < 1 / _SMALLEST:
        raise BadCell(f"{column} is {text!r}, beyond anything that can be measured")
    return value


def whole(column: str, text: str, least: int = 1) -> int:
    """Return the whole number in a cell. Raises `BadCell` for one below `least`."""
    value = number(column, text)
    if value != int(value) or value < least:
        raise BadCell(f"{column} is {text!r}, not a whole number from {least} on")
    return int(value)


def is_rate(unit: str) -> bool:
    """Tell whether the unit is one of rates."""
    return unit.endswith("/s")


def seconds(value: float, unit: TimeUnit | RateUnit, clock_hz: float | None) -> float:
    """Return a time in seconds."""
    return value / clock_hz if clock_hz and unit == "ticks" else value * _SECONDS[unit]


def bytes_per_second(value: float, unit: TimeUnit | RateUnit) -> float:
    """Return a rate in bytes/s.

    >>> bytes_per_second(8, "Mbit/s")
    1000000.0
    """
    name = unit.removesuffix("/s")
    bits = name.endswith("bit")
    return value * _PREFIX[name.removesuffix("bit" if bits else "B")] / (8 if bits else 1)


def size_of(size: Size, text: str) -> int:
    """Return a message size in bytes."""
    value = number(size.column, text) * size.each * _PREFIX[size.unit.removesuffix("B")]
    if value < 0 or value != int(value):
        raise BadCell(f"{size.column} is {text!r}, not a whole number of bytes")
    return int(value)


def limit_of(limit: Limit) -> Bound:
    """Return the physical limit in the units of figures."""
    rate = is_rate(limit.unit)
    value = (
        bytes_per_second(limit.value, limit.unit) / 1e6
        if rate
        else seconds(limit.value, limit.unit, None)
    )
    return Bound(
        quantity="bandwidth_MBps" if rate else "latency_s",
        value=value,
        where=limit.where,
        source=limit.source,
    )
