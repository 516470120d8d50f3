"""Rows of a table to figures, as a mapping says."""

from __future__ import annotations

import math
from collections.abc import Mapping as Named
from collections.abc import Sequence
from typing import NamedTuple

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

_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_PREFIX = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


# Beyond it neither a time nor a rate, in any unit, can be compared with others.
_SMALLEST = 1e-30


class BadCell(Exception):
    """A cell that cannot be used; its text names the column, the cell and what is allowed."""


class Cells(NamedTuple):
    """A row of a table, under the mapping that says what its cells mean."""

    mapping: Mapping
    row: Named[str, str]

    def figure(self, measure: Measure) -> PointSummary | None:
        """Return the figure of the row, None where its cell is empty. Raises `BadCell`."""
        if not self.row[measure.column]:
            return None
        mapping, place = self.mapping, self._placement()
        size = size_of(mapping.size, self.row[mapping.size.column]) if mapping.size else None
        series = self._text(measure.series or mapping.series)
        moved = _count_moved_bytes(measure.moved or mapping.moved, size, place)
        time, rate = self._time_and_rate(measure, moved)
        axes: dict[str, Value] = {}
        for name, axis in mapping.axes.items():
            text = measure.axes.get(name) or self._text(Cell(column=axis.column), axis.values)
            if text and axis.kind == "choice":
                axes[name] = text
            elif text:
                axes[name] = number(name, text) if axis.kind == "number" else whole(name, text, 0)
        low, high, tail, longest, shortest, mean = (
            self._seconds(measure, column)
            for column in (
                measure.low,
                measure.high,
                measure.p99,
                measure.maximum,
                measure.minimum,
                measure.mean,
            )
        )
        interval = (low, high) if low is not None and high is not None else None
        made = figure(
            Subject(self._text(measure.benchmark or mapping.benchmark), series, axes),
            time,
            place=Place(place.processes, place.nodes),
            mpi=self._text(measure.mpi or mapping.mpi),
            size=size,
            statistic=measure.statistic or mapping.statistic,
            settings={},
            verified=self._is_verified(),
            interval=interval,
            method="as printed" if interval else "",
            repetitions=(None, tail, longest, shortest),
            metrics={
                name: value
                for name, metric in mapping.metrics.items()
                if metric.series in ("", series) and (value := self._metric(metric)) is not None
            },
        )
        return msgspec.structs.replace(made, mean_s=mean, bandwidth_MBps=rate)

    def _text(self, given: Text, values: Named[str, str] | None = None) -> str:
        if not isinstance(given, Cell):
            return given
        cell = self.row[given.column] if given.column else ""
        return (values or given.values).get(cell, cell)

    def _whole(self, given: Whole | None) -> int | None:
        return whole(given.column, self._text(given)) if isinstance(given, Cell) else given

    def _seconds(self, measure: Measure, column: str) -> float | None:
        text = self.row[column] if column else ""
        return seconds(number(column, text), measure.unit, measure.clock_hz) if text else None

    def _metric(self, metric: Metric) -> float | None:
        if not metric.column:
            return metric.value
        text = self.row[metric.column]
        parts = 100 if metric.unit == "percent" else 1
        return number(metric.column, text) / parts if text else None

    def _is_verified(self) -> bool:
        if self.mapping.verified is None:
            return True
        text = self._text(self.mapping.verified).lower()
        if text not in ("true", "false", "yes", "no", "1", "0"):
            raise BadCell(f"{self.mapping.verified.column} is {text!r}, not true or false")
        return text in ("true", "yes", "1")

    def _placement(self) -> Placement:
        mapping = self.mapping
        if mapping.place is not None:
            try:
                return parse_placement(self._text(mapping.place))
            except UserError as error:
                raise BadCell(str(error)) from None
        counts = (mapping.processes, mapping.nodes, mapping.processes_per_node)
        processes, nodes, each = map(self._whole, counts)
        if processes is None:
            return Placement(nodes or 1, each or 1)
        nodes = nodes or processes // (each or processes)
        if not nodes or processes % nodes or (each and nodes * each != processes):
            raise BadCell(f"{processes} processes do not fill {nodes} nodes evenly")
        return Placement(nodes, processes // nodes)

    def _time_and_rate(self, measure: Measure, moved: float | None) -> tuple[float, float | None]:
        """Return seconds, and 10^6 bytes/s where something is moved.

        A rate gives its time. A time gives its rate, unless the source has a column of rates.
        """
        given = number(measure.column, self.row[measure.column])
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
        printed = self.row[measure.rate.column]
        if not printed:
            return time, None
        rate = bytes_per_second(number(measure.rate.column, printed), measure.rate.unit)
        return time, rate / 1e6 if rate > 0 else None


def describe(
    mapping: Mapping, figures: Sequence[PointSummary]
) -> tuple[description.Benchmark, ...]:
    """Return what the mapping says of each benchmark, with the values that were met."""
    by_name: dict[str, list[PointSummary]] = {}
    for one in figures:
        by_name.setdefault(one.benchmark, []).append(one)
    size = description.Axis(name="bytes", kind="bytes", summary="message", default="")
    return tuple(
        description.Benchmark(
            name=name,
            summary=mapping.summary,
            axes=(
                *([size] if mapping.size else []),
                *(_describe_axis(axis, mapping.axes[axis], points) for axis in mapping.axes),
            ),
            processes=description.Processes(),
            series=tuple(
                description.Series(name=series, definition=mapping.definitions.get(series, ""))
                for series in dict.fromkeys(one.series for one in points)
            ),
            api="",
            start="",
            sizes=sizes_of(name),
        )
        for name, points in by_name.items()
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


def _count_moved_bytes(
    factors: Sequence[float | str], size: int | None, place: Placement
) -> float | None:
    """Return the bytes that one operation moves, None where the row has no size."""
    if size is None and "bytes" in factors:
        return None
    known = {
        "bytes": float(size or 0),
        "processes": float(place.processes),
        "processes - 1": place.processes - 1.0,
        "log2 processes": math.log2(place.processes),
    }
    return math.prod(known[each] if isinstance(each, str) else each for each in factors)


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
