"""The evidence of a run: its results, sweeps, jitter and noise, as the rules read them."""

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from leadline.analysis.results.sweep import erratic_sizes
from leadline.model.description import Axis, Benchmark
from leadline.model.imported import Bound, Table
from leadline.model.noise import Noise
from leadline.model.plan import Point, Value
from leadline.model.run import Launch, PointResult, Run, variant
from leadline.model.summary import Impact, Jitter, MissingFigure, PointSummary, Sweep

# A curve of single numbers is no curve where so many sizes, and this part of them, jump up. A
# library has few steps.
_JUMPS, _JUMPING = 3, 0.15


class Past(NamedTuple):
    """The figures of an earlier run, and when it started (ISO 8601).

    `interference` says who else was there, None where nobody looked.
    """

    run: str
    started: str
    points: tuple[PointSummary, ...]
    interference: str | None = None


@dataclass(frozen=True)
class Evidence:
    """A run, its figures, its sweeps, its jitter and its noise. Indices are those of `points`.

    `impacts` is what neighbours cost them, `past` are earlier runs or imports of the same things,
    the oldest first, and `bounds` the physical limits of what is measured. `missing` are the
    planned points without a figure.
    """

    run: Run
    points: tuple[PointSummary, ...]
    sweeps: tuple[Sweep, ...]
    jitter: tuple[Jitter, ...] = ()
    noise: tuple[Noise, ...] = ()
    impacts: tuple[Impact, ...] = ()
    past: tuple[Past, ...] = ()
    bounds: tuple[Bound, ...] = ()
    missing: tuple[MissingFigure, ...] = ()

    def groups(self, indices: Iterable[int] | None = None) -> Iterator[list[int]]:
        """Yield the indices (all by default) that share benchmark and MPI."""
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index in range(len(self.points)) if indices is None else indices:
            found[self.points[index].benchmark, self.points[index].mpi].append(index)
        yield from found.values()

    def reports(self, index: int) -> Sequence[tuple[Launch, PointResult]]:
        """Return what each launch that finished the point of this figure says of it."""
        return self._reports.get(self.points[index].point, ())

    def share(self, index: int, flag: str) -> float:
        """Return the fraction of a figure's repetitions that carry the flag, 0 to 1."""
        point = self.points[index]
        return point.flags.get(flag, 0) / max(1, point.samples + point.excluded)

    def mostly_disturbed(self, index: int) -> bool:
        """Tell whether other processes shaped the figure more than what it measures."""
        return self.share(index, "preempted") > 0.5

    def amounts(self, point: PointSummary) -> tuple[tuple[str, Value], ...]:
        """Return the axes of a figure that count something, but not its message size."""
        names = self._amount_names.get(point.benchmark, frozenset())
        return tuple((name, point.axes[name]) for name in sorted(names) if name in point.axes)

    def choices(self, point: PointSummary, without: Container[str] = ()) -> str:
        """Return every choice of a figure, as one text: no size, no amounts, no MPI or place."""
        amounts = dict(self.amounts(point))
        named = {**point.axes, **point.conditions}
        return variant(
            {name: v for name, v in named.items() if name not in amounts and name not in without},
            {},
        )

    def task(self, point: PointSummary) -> tuple[str, ...]:
        """Return which task of its benchmark a figure is of: what does another is not compared."""
        benchmark = self._described.get(point.benchmark)
        return benchmark.task(point.axes) if benchmark else ()

    def delivery(self, point: PointSummary) -> str | None:
        """Return the side, one-sided or two-sided, of a figure that its benchmark declares a
        delivery: it times until the target knows that it may use the data.
        """
        described = self._described.get(point.benchmark)
        declared = described.delivery if described else None
        if not declared or point.series != declared.series or point.bytes is None:
            return None
        where = declared.where.items()
        known = all(str(point.axes.get(axis)) in values for axis, values in where)
        return declared.sides if known else None

    def title(self, benchmark: str) -> str:
        """Return what people call a benchmark, its name where it does not say."""
        described = self._described.get(benchmark)
        return described.title if described and described.title else benchmark

    def axis(self, benchmark: str, name: str) -> Axis | None:
        """Return the axis of a benchmark that is called so."""
        described = self._described.get(benchmark)
        axes = described.axes if described else ()
        return next((axis for axis in axes if axis.name == name), None)

    def unusual(self, point: PointSummary) -> tuple[str, ...]:
        """Return the choices of a figure, of several ways to do the same, that are no default."""
        benchmark = self._described.get(point.benchmark)
        return tuple(
            f"{axis.name}={point.axes[axis.name]}"
            for axis in (benchmark.axes if benchmark else ())
            if axis.kind == "choice"
            and axis.ways
            and axis.name in point.axes
            and str(point.axes[axis.name]) not in axis.default.split(",")[:1]
        )

    def may(self, what: Literal["join", "split", "pad"], benchmark: str) -> bool:
        """Tell whether a program may do this with the sizes of the benchmark."""
        described = self._described.get(benchmark)
        return described is not None and what in described.sizes

    def describes(self, benchmark: str) -> bool:
        """Tell whether the benchmark says what it measures."""
        return benchmark in self._described

    def sends(self, benchmark: str) -> bool:
        """Tell whether the sizes of the benchmark are those of messages."""
        described = self._described.get(benchmark)
        return described is None or described.messages

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables of an import."""
        return self.run.imported.tables if self.run.imported else ()

    @cached_property
    def curves(self) -> tuple[Sweep, ...]:
        """The sweeps that can be explained: none that is erratic."""
        return tuple(sweep for sweep in self.sweeps if not self.erratic(sweep))

    @cached_property
    def curves_of_messages(self) -> tuple[Sweep, ...]:
        """Those of them whose sizes are of messages."""
        return tuple(sweep for sweep in self.curves if self.sends(sweep.benchmark))

    def erratic(self, sweep: Sweep) -> bool:
        """Tell whether a curve of single numbers jumps so often that chance made it."""
        curve = [self.points[index] for index in sweep.points]
        if any(point.interval for point in curve):
            return False
        return erratic_sizes(curve) >= max(_JUMPS, _JUMPING * len(curve))

    def figures_of(self, point: Point) -> list[int]:
        """Return the indices of the figures, one a series, of a point of the run."""
        return self._figures.get(point.index, [])

    @cached_property
    def varying(self) -> dict[str, frozenset[str]]:
        """The axes and settings that take more than one value, by benchmark; never the size."""
        values: dict[str, dict[str, set[object]]] = defaultdict(lambda: defaultdict(set))
        every: list[Point | PointSummary] = [*self.run.points, *self.points]
        for point in every:
            for name, value in {**point.axes, **point.conditions}.items():
                values[point.benchmark][name].add(value)
        return {
            benchmark: frozenset(n for n, seen in names.items() if len(seen) > 1) - {"bytes"}
            for benchmark, names in values.items()
        }

    @cached_property
    def _described(self) -> dict[str, Benchmark]:
        return {benchmark.name: benchmark for benchmark in self.run.benchmarks}

    @cached_property
    def _amount_names(self) -> dict[str, frozenset[str]]:
        return {
            benchmark.name: frozenset(
                axis.name
                for axis in benchmark.axes
                if axis.kind in ("integer", "number", "bytes") and axis.name != "bytes"
            )
            for benchmark in self.run.benchmarks
        }

    @cached_property
    def _reports(self) -> dict[int | None, list[tuple[Launch, PointResult]]]:
        found: dict[int | None, list[tuple[Launch, PointResult]]] = defaultdict(list)
        for launch in self.run.launches:
            for result in launch.points:
                found[result.point].append((launch, result))
        return found

    @cached_property
    def _figures(self) -> dict[int | None, list[int]]:
        found: dict[int | None, list[int]] = defaultdict(list)
        for index, figure in enumerate(self.points):
            found[figure.point].append(index)
        return found
