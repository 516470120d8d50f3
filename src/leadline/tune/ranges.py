"""From sizes that were measured to the ranges of sizes for which each of them speaks."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from leadline.model.profile import LIBRARY
from leadline.tune.crossings import Measured, Times, reaches

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
    Neighbours reach as far as `crossings.reaches` says. Nothing is said beyond the largest size,
    nor below the smallest unless that is small already.
    """
    ordered = sorted(sizes)
    measured = [
        Measured(size, choices.get(size, LIBRARY), (races or {}).get(size, {})) for size in ordered
    ]
    inner = [reaches(low, high) for low, high in itertools.pairwise(measured)]
    firsts = [_start(ordered[0]), *(first for _, first in inner)]
    lasts = [*(last for last, _ in inner), ordered[-1]]
    found: list[Range] = []
    for first, size, last in zip(firsts, ordered, lasts, strict=True):
        if size not in choices:
            continue
        former = found[-1] if found else None
        if former and former.choice == choices[size] and former.last + 1 == first:
            found[-1] = former._replace(last=last, of=(*former.of, size))
        else:
            found.append(Range(choices[size], first, last, (size,)))
    return found


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

    Neighbours with the same choice that touch are one range. A size without a span is left out.
    """
    found: list[Range] = []
    for size in sorted(spans.keys() & choices.keys()):
        span, choice = spans[size], choices[size]
        former = found[-1] if found else None
        if former and former.choice == choice and former.last + 1 == span.first:
            found[-1] = former._replace(last=span.last, of=(*former.of, size))
        else:
            found.append(Range(choice, span.first, span.last, (size,)))
    return found


def _start(size: int) -> int:
    return 0 if size <= _SMALL else size
