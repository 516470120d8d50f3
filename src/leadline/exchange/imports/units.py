"""Numbers in the units in which other programs print them."""

from __future__ import annotations

import math

from leadline.exchange.imports.mapping import Limit, RateUnit, Size, TimeUnit
from leadline.model.imported import Bound

_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_PREFIX = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


# Beyond it neither a time nor a rate, in any unit, can be compared with others.
_SMALLEST = 1e-30


class BadCell(Exception):
    """A cell that cannot be used; its text names the column, the cell and what is allowed."""


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
