"""The matching of results: which of one run is compared with which of another."""

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from leadline.analysis.jitter.jitter import only_works
from leadline.analysis.stats.comparison import Ratio, time_ratio
from leadline.core.errors import UserError
from leadline.core.units import expand_values, format_bytes
from leadline.model.plan import Point, Value
from leadline.model.run import Run, variant
from leadline.model.summary import PointSummary
from leadline.store.renamed import current_value

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


def launch_key(point: PointSummary) -> Hashable:
    """Return what the figures of one launch have in common."""
    return (point.mpi, point.nodes, point.processes_per_node, tuple(sorted(point.knobs.items())))


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


_One = Point | PointSummary


def only(run: Run, choice: str, values: Sequence[str]) -> Run:
    """Return the run with the points and figures that have one of `values` for `choice`.

    A choice is `benchmark`, `mpi`, of which the beginning will do, `place`, `bytes`, or an axis,
    setting or knob. Raises `UserError` where none is left.
    """
    every = _every(run)
    there = {str(_choices(one)[choice]) for one in every if choice in _choices(one)}
    if not there:
        known = ", ".join(dict.fromkeys(name for one in every for name in _choices(one)))
        raise UserError(f"{run.run} has no choice {choice!r}: it has {known}")
    benchmarks = {one.benchmark for one in every}
    called = {current_value(each, choice, value) for each in benchmarks for value in values}
    wanted = {each for value in called for each in _expand(choice, value, there)}
    if not there & wanted:
        known = ", ".join(sorted(there))
        raise UserError(
            f"{run.run} has no point with {choice}={','.join(values)}: its values are {known}"
        )
    return _keep_points(run, lambda one: str(_choices(one).get(choice)) in wanted)


def _expand(choice: str, value: str, there: Collection[str]) -> Iterable[str]:
    if choice == "bytes":
        return map(str, expand_values(value))
    if choice == "mpi" and value not in there:
        return [name for name in there if name.startswith(value)]
    return [value]


def of_benchmark(run: Run, benchmark: str) -> Run:
    """Return the run with all that the figures of one benchmark are drawn from; faster to analyse.

    A run without that benchmark stays as it is.
    """
    if not any(one.benchmark == benchmark for one in _every(run)):
        return run
    noise = {point.benchmark for point in run.points if only_works(run, point)}
    roofs = {
        roof.benchmark for each in run.benchmarks if each.name == benchmark for roof in each.roofs
    }
    return _keep_points(run, lambda one: one.benchmark in {benchmark, *noise, *roofs})


def _every(run: Run) -> list[_One]:
    return [*run.points, *(run.imported.figures if run.imported else ())]


def _keep_points(run: Run, keep: Callable[[_One], bool]) -> Run:
    points = list(filter(keep, run.points))
    there = {point.index for point in points}
    launches = [
        replace(
            launch,
            points=tuple(each for each in launch.points if each.point in there),
            skipped=tuple(each for each in launch.skipped if each.point in there),
        )
        for launch in run.launches
    ]
    imported = run.imported and replace(
        run.imported, figures=tuple(filter(keep, run.imported.figures))
    )
    return replace(run, points=points, launches=launches, imported=imported)


def _choices(one: _One) -> dict[str, Value]:
    where = one.placement if isinstance(one, Point) else one
    place = f"{where.nodes}x{where.processes_per_node}"
    chosen = {**one.axes, **one.conditions, _MPI: one.mpi, _PLACE: place}
    return {"benchmark": one.benchmark, **chosen}


class Pair(NamedTuple):
    """Two figures, as indices, that differ in `choice` only.

    `ratio` is how many times as long the first takes, with its interval; None where a time is not
    above zero.
    """

    choice: str
    base: int
    other: int
    ratio: Ratio | None


def pairs(run: Run, points: Sequence[PointSummary]) -> Iterator[Pair]:
    """Yield each figure beside the one with the choice's default, or the first that was measured.

    `points` are the figures of `run`. Pairs of one curve follow each other, sizes ascending.
    """
    for benchmark in run.benchmarks:
        indices = [index for index, point in enumerate(points) if point.benchmark == benchmark.name]
        axes = {name: benchmark.ways(name) for name in {points[index].series for index in indices}}
        for axis in benchmark.axes:
            with_axis = [index for index in indices if axis in axes[points[index].series]]
            yield from _of_choice(axis.name, axis.default, with_axis, points)
        for knob in dict.fromkeys(name for index in indices for name in points[index].knobs):
            yield from _of_choice(knob, "default", indices, points)


def value_of(point: PointSummary, choice: str) -> Value | None:
    """Return what the figure has for `choice`."""
    return point.axes.get(choice, point.knobs.get(choice))


def others_of(point: PointSummary, choice: str) -> str:
    """Return all other choices of the figure but the size, as one text."""
    named = {**point.axes, **point.conditions}
    return variant({name: value for name, value in named.items() if name != choice}, {})


def _of_choice(
    choice: str, default: Value, indices: Sequence[int], points: Sequence[PointSummary]
) -> Iterator[Pair]:
    values = dict.fromkeys(value_of(points[index], choice) for index in indices)
    base = default if default in values else next(iter(values), None)
    # What the figures of a curve have in common, to value, to size, to index.
    curves: dict[object, dict[Value | None, dict[int, int]]] = {}
    for index in indices:
        point = points[index]
        shape = (point.mpi, point.nodes, point.processes_per_node, point.series)
        curve = curves.setdefault((*shape, others_of(point, choice)), defaultdict(dict))
        curve[value_of(point, choice)][point.bytes or 0] = index
    for by_value in curves.values():
        first = by_value.pop(base, {})
        for sizes in by_value.values():
            for size in sorted(sizes.keys() & first.keys()):
                one, other = first[size], sizes[size]
                yield Pair(choice, one, other, time_ratio(points[one], points[other]))
