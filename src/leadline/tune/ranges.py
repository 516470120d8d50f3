"""Sizes for which a rule holds: where two ways cross, and what ranges follow."""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from leadline.model.profile import LIBRARY

# Of each candidate, what its launches took at one size.
Times = Mapping[str, Sequence[float]]


class Measured(NamedTuple):
    """A measured size in bytes, what is chosen there, and all candidates' times.

    The times are the medians of launches in seconds, the n-th of each candidate of one launch;
    some candidates may have fewer.
    """

    bytes: int
    choice: str
    times: Times


def reaches(low: Measured, high: Measured) -> tuple[int, int]:
    """Return the last size for which `low` speaks, and the first for which `high` does.

    Between these two the library is faster than both. Where a candidate was not measured at both
    sizes, neighbours meet at the geometric mean.

    >>> few = Measured(1024, "shared", {"library": [2.0], "shared": [1.0], "ring": [4.0]})
    >>> many = Measured(4096, "ring", {"library": [2.0], "shared": [2.0], "ring": [1.6]})
    >>> reaches(few, many)
    (3379, 3380)
    """
    if low.choice == high.choice:
        middle = math.isqrt(low.bytes * high.bytes)
        return middle, middle + 1
    both, library = {low.choice, high.choice}, {LIBRARY}
    last = min(_crossing(low, high, low.choice, each) for each in (both | library) - {low.choice})
    first = max(
        _crossing(low, high, each, high.choice) for each in (both | library) - {high.choice}
    )
    return (
        max(low.bytes, min(math.floor(last), high.bytes - 1)),
        min(high.bytes, math.floor(first) + 1),
    )


def _crossing(low: Measured, high: Measured, smaller: str, larger: str) -> float:
    """Return the size from which on `larger` is faster than `smaller`."""
    middle = math.sqrt(low.bytes * high.bytes)
    at_low, at_high = (_log_ratio(each.times, smaller, larger) for each in (low, high))
    if low.bytes <= 0 or at_low is None or at_high is None:
        return middle
    if at_low < 0 < at_high:
        part = at_low / (at_low - at_high)
        return math.exp((1 - part) * math.log(low.bytes) + part * math.log(high.bytes))
    if (smaller, larger) == (low.choice, high.choice):  # what is chosen did not win its race
        return middle
    return low.bytes if min(at_low, at_high) >= 0 else high.bytes


def _log_ratio(times: Times, one: str, other: str) -> float | None:
    """Return how much longer `one` takes than `other`, launch by launch, or None."""
    pairs = zip(times.get(one, ()), times.get(other, ()), strict=False)
    ratios = [mine / its for mine, its in pairs if min(mine, its) > 0]
    return math.log(statistics.median(ratios)) if ratios else None


# Below such a size a message costs what the smallest one does.
_SMALL = 64


class Range(NamedTuple):
    """A choice for all sizes from `first` to `last` bytes, both included; `of` were measured."""

    choice: str
    first: int
    last: int
    of: tuple[int, ...]


def ranges(
    sizes: Sequence[int], choices: Mapping[int, str], races: Mapping[int, Times] | None = None
) -> list[Range]:
    """Return the ranges of the `choices`, by size, sizes without a choice left out.

    `sizes` are all that were measured, n >= 1, and `races` holds what the candidates took at each.
    Neighbours reach as far as `reaches` says. Nothing is said beyond the largest size,
    nor below the smallest unless that is small already.
    """
    ordered = sorted(sizes)
    measured = [
        Measured(size, choices.get(size, LIBRARY), (races or {}).get(size, {})) for size in ordered
    ]
    inner = [reaches(low, high) for low, high in itertools.pairwise(measured)]
    begin = 0 if ordered[0] <= _SMALL else ordered[0]
    firsts = [begin, *(first for _, first in inner)]
    lasts = [*(last for last, _ in inner), ordered[-1]]
    return _joined(
        Range(choices[size], first, last, (size,))
        for first, size, last in zip(firsts, ordered, lasts, strict=True)
        if size in choices
    )


class Span(NamedTuple):
    """All sizes from `first` to `last` bytes, both included."""

    first: int
    last: int


def class_of(size: int) -> Span:
    """Return the sizes of as many binary digits as `size` has, as recordings count calls.

    >>> class_of(0), class_of(1500)
    (Span(first=0, last=0), Span(first=1024, last=2047))
    """
    digits = size.bit_length()
    return Span(1 << digits - 1, (1 << digits) - 1) if digits else Span(0, 0)


def spanned(spans: Mapping[int, Span], choices: Mapping[int, str]) -> list[Range]:
    """Return the ranges of the `choices`, by measured size, each for its own span alone.

    A size without a span is left out.
    """
    return _joined(
        Range(choices[size], *spans[size], (size,)) for size in sorted(spans.keys() & choices)
    )


def _joined(single: Iterable[Range]) -> list[Range]:
    """Return the ranges, ascending; neighbours with the same choice that touch are one."""
    found: list[Range] = []
    for each in single:
        former = found[-1] if found else None
        if former and former.choice == each.choice and former.last + 1 == each.first:
            found[-1] = former._replace(last=each.last, of=(*former.of, *each.of))
        else:
            found.append(each)
    return found
