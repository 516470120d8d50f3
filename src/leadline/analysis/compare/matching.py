"""The matching of results: which of one run is compared with which of another."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from leadline.core.units import format_bytes
from leadline.model.plan import Value
from leadline.model.run import variant
from leadline.model.summary import PointSummary

# Beside axes, settings and knobs, what a figure is measured with and on.
_PLACE, _MPI = "place", "mpi"


class Matches(NamedTuple):
    """Pairs of indices, what is left of each side, and the choices that differ, by benchmark."""

    pairs: tuple[tuple[int, int], ...]
    only_base: tuple[int, ...]
    only_other: tuple[int, ...]
    differing: dict[str, frozenset[str]]


def match(base: Sequence[PointSummary], other: Sequence[PointSummary]) -> Matches:
    """Pair the figures that measure the same: benchmark, series, size and all choices.

    A choice (an axis, setting or knob, the placement, the MPI) in which the two sides have no value
    in common, within a benchmark, is what they differ by: figures are paired across it. A figure is
    in one pair at most, the first that there is.
    """
    differing = {
        benchmark: frozenset(_disjoint(base, other, benchmark))
        for benchmark in {point.benchmark for point in base} & {point.benchmark for point in other}
    }
    waiting: dict[object, list[int]] = defaultdict(list)
    for index, point in enumerate(base):
        waiting[_identity(point, differing.get(point.benchmark, frozenset()))].append(index)
    pairs, only_other = [], []
    for index, point in enumerate(other):
        mates = waiting.get(_identity(point, differing.get(point.benchmark, frozenset())))
        if mates:
            pairs.append((mates.pop(0), index))
        else:
            only_other.append(index)
    taken = {index for index, _ in pairs}
    return Matches(
        tuple(sorted(pairs)),
        tuple(index for index in range(len(base)) if index not in taken),
        tuple(only_other),
        differing,
    )


def names(points: Sequence[PointSummary], without: dict[str, frozenset[str]]) -> list[str]:
    """Return words that tell each figure from all others of `points`.

    `without` has for each benchmark the choices that the words leave out.
    """
    varying = _varying_choices(points)
    return [
        _name(point, varying[point.benchmark] - without.get(point.benchmark, frozenset()))
        for point in points
    ]


def choices(point: PointSummary) -> dict[str, Value]:
    """Return all that was chosen for a figure but its size: axes, settings, knobs, place and MPI.

    The placement is called `place` and written as `--place` takes it.
    """
    place = f"{point.nodes}x{point.processes_per_node}"
    chosen = {**point.axes, **point.conditions, _PLACE: place, _MPI: point.mpi}
    return {name: value for name, value in chosen.items() if name != "bytes"}


def _values(points: Sequence[PointSummary], benchmark: str) -> list[dict[str, Value]]:
    return [choices(point) for point in points if point.benchmark == benchmark]


def _disjoint(
    base: Sequence[PointSummary], other: Sequence[PointSummary], benchmark: str
) -> set[str]:
    one, two = _values(base, benchmark), _values(other, benchmark)
    every = {name for chosen in (*one, *two) for name in chosen}
    return {
        name
        for name in every
        if {chosen.get(name) for chosen in one}.isdisjoint(chosen.get(name) for chosen in two)
    }


def _identity(point: PointSummary, without: Collection[str]) -> object:
    chosen = {name: text for name, text in choices(point).items() if name not in without}
    return (
        point.benchmark,
        point.series,
        point.bytes,
        tuple(sorted((name, str(text)) for name, text in chosen.items())),
    )


def _varying_choices(points: Sequence[PointSummary]) -> dict[str, frozenset[str]]:
    seen: dict[str, dict[str, set[Value]]] = defaultdict(lambda: defaultdict(set))
    for point in points:
        for name, value in {**choices(point), "series": point.series}.items():
            seen[point.benchmark][name].add(value)
    return {
        benchmark: frozenset(name for name, values in by_name.items() if len(values) > 1)
        for benchmark, by_name in seen.items()
    }


def _name(point: PointSummary, telling: Collection[str]) -> str:
    chosen = {n: v for n, v in choices(point).items() if n in telling and n not in (_PLACE, _MPI)}
    words = [point.benchmark + (f" ({point.series})" if "series" in telling else "")]
    words += [text for text in (variant(chosen, {}).replace(",", " "),) if text]
    if point.bytes is not None:
        words.append(f"at {format_bytes(point.bytes)}")
    if _PLACE in telling:
        words.append(f"on {point.nodes}x{point.processes_per_node}")
    if _MPI in telling:
        words.append(f"with {point.mpi}")
    return " ".join(words)
