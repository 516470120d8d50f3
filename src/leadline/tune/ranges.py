"""From sizes that were measured to the ranges of sizes for which each of them speaks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

# Below such a size a message costs what the smallest one does.
_SMALL = 64


class Range(NamedTuple):
    """A choice for all sizes from `first` to `last` bytes, both included; `of` were measured."""

    choice: str
    first: int
    last: int
    of: tuple[int, ...]


def ranges(sizes: Sequence[int], choices: Mapping[int, str]) -> list[Range]:
    """Return the ranges of the `choices`, by size, sizes without a choice left out.

    `sizes` are all that were measured, n >= 1. Neighbours meet at their geometric mean. Nothing is
    said beyond the largest size, nor below the smallest unless that is small already.
    """
    ordered = sorted(sizes)
    found: list[Range] = []
    for index, size in enumerate(ordered):
        if size not in choices:
            continue
        below = _middle(ordered[index - 1], size) + 1 if index else _start(size)
        last = index + 1 == len(ordered)
        above = size if last else _middle(size, ordered[index + 1])
        former = found[-1] if found else None
        if former and former.choice == choices[size] and former.last + 1 == below:
            found[-1] = former._replace(last=above, of=(*former.of, size))
        else:
            found.append(Range(choices[size], below, above, (size,)))
    return found


def _middle(low: int, high: int) -> int:
    return math.isqrt(low * high)


def _start(size: int) -> int:
    return 0 if size <= _SMALL else size
