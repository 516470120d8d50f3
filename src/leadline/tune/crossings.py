"""Between two measured sizes: up to where the choice of each is the fastest that is known.

What wins at one size by a tenth may take twice as long at half that size, so a choice does not
simply reach half way to the next size. As gains change between the sizes, both on logarithmic
axes, they are taken to change evenly; a choice ends where the neighbour's or the library overtakes.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
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
