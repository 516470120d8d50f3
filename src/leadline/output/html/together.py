"""Several runs as one, so that each of them is a curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from leadline.analysis.results.sweep import sweeps
from leadline.analysis.samples import analyse_samples
from leadline.core.errors import UserError
from leadline.model.description import Benchmark
from leadline.model.imported import Import
from leadline.model.plan import Point
from leadline.model.run import Launch, Run
from leadline.model.samples import SampleSource
from leadline.model.summary import Analysis, PointSummary
from leadline.output.html.charts import sample_collector
from leadline.output.html.report_data import KeptSamples

_One = TypeVar("_One", Point, PointSummary)
_Value = TypeVar("_Value")


class Part(NamedTuple):
    """What was measured in a run, and what its curves are called."""

    name: str
    run: Run
    analysis: Analysis
    kept: KeptSamples


def analyse_part(name: str, run: Run, source: SampleSource) -> Part:
    """Return a run with its figures, without what they mean, and samples of each chart alone."""
    kept = sample_collector(run, whole_page=False)
    results = analyse_samples(run, source, [kept])
    analysis = Analysis(
        points=results.points,
        sweeps=sweeps(results.points, run.benchmarks),
        jitter=results.jitter,
        noise=results.noise,
        pairs=results.pairs,
    )
    return Part(name, run, analysis, kept)


class _Shift(NamedTuple):
    """What is added to the numbers of a part: points and launches of the run, and figures."""

    points: int
    launches: int
    figures: int


def together(parts: Sequence[Part]) -> Part:
    """Return one part that holds the points, launches, figures and samples of all.

    The name of a part takes the place of its MPI, or stands before it where the part has several,
    and of choices that tell parts apart and nothing within any of them. Raises `UserError` where
    parts mean different things by one benchmark or flag.
    """
    names = _unique([part.name for part in parts])
    shifts = _shifts(parts)
    differing = _find_differing_choices(parts)
    moved = [_shift_part(*each, differing) for each in zip(names, parts, shifts, strict=True)]
    run = replace(
        parts[0].run,
        run=", ".join(names),
        benchmarks=_benchmarks(parts),
        flags=max((part.run.flags for part in parts), key=len),
        installations=[each for part in parts for each in part.run.installations],
        points=[point for part in moved for point in part.run.points],
        launches=[launch for part in moved for launch in part.run.launches],
        imported=_merge_imports(parts),
    )
    _check_flags(parts, run.flags)
    analysis = Analysis(
        points=tuple(point for part in moved for point in part.analysis.points),
        sweeps=tuple(sweep for part in moved for sweep in part.analysis.sweeps),
        jitter=tuple(each for part in moved for each in part.analysis.jitter),
        pairs=tuple(each for part in moved for each in part.analysis.pairs),
        noise=tuple(each for part in moved for each in part.analysis.noise),
    )
    kept = KeptSamples()
    for part, shift in zip(parts, shifts, strict=True):
        kept.add(part.kept, shift.points)
    return Part(run.run, run, analysis, kept)


def _unique(names: Sequence[str]) -> list[str]:
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(f"{name} ({seen[name]})" if seen[name] > 1 else name)
    return found


def _shifts(parts: Sequence[Part]) -> list[_Shift]:
    def sums(counts: Sequence[int]) -> list[int]:
        return [0, *accumulate(counts)][:-1]

    points = [1 + max((each.index for each in part.run.points), default=-1) for part in parts]
    launches = [1 + max((each.launch for each in part.run.launches), default=-1) for part in parts]
    figures = [len(part.analysis.points) for part in parts]
    return list(map(_Shift, sums(points), sums(launches), sums(figures)))


def _find_differing_choices(parts: Sequence[Part]) -> dict[str, set[str]]:
    """Return, for each benchmark, the choices that differ between the parts and within none."""
    found: dict[str, set[str]] = {}
    for benchmark in {point.benchmark for part in parts for point in part.analysis.points}:
        chosen = [
            [
                {**point.axes, **point.conditions}
                for point in part.analysis.points
                if point.benchmark == benchmark
            ]
            for part in parts
        ]
        names = {name for each in chosen for point in each for name in point} - {"bytes"}
        for name in names:
            values = [{point.get(name) for point in each} for each in chosen if each]
            if len(set.union(*values)) > 1 == max(map(len, values)):
                found.setdefault(benchmark, set()).add(name)
    return found


def _shift_part(name: str, part: Part, shift: _Shift, differing: dict[str, set[str]]) -> Part:
    run, analysis = part.run, part.analysis
    libraries = {point.mpi for point in analysis.points}

    def named(mpi: str) -> str:
        return f"{name}, {mpi}" if len(libraries) > 1 else name

    def plain(one: _One) -> _One:
        names = differing.get(one.benchmark, set())
        return replace(
            one,
            mpi=named(one.mpi),
            axes=_without(one.axes, names),
            settings=_without(one.settings, names),
            knobs=_without(one.knobs, names),
        )

    moved = replace(
        run,
        points=[replace(plain(point), index=point.index + shift.points) for point in run.points],
        launches=[_shift_launch(launch, named(launch.mpi), shift) for launch in run.launches],
    )
    figures = Analysis(
        points=tuple(_shift_point(plain(point), shift) for point in analysis.points),
        sweeps=tuple(
            replace(
                sweep,
                mpi=named(sweep.mpi),
                points=tuple(index + shift.figures for index in sweep.points),
            )
            for sweep in analysis.sweeps
        ),
        jitter=tuple(replace(each, point=each.point + shift.figures) for each in analysis.jitter),
        pairs=tuple(replace(each, point=each.point + shift.figures) for each in analysis.pairs),
        noise=tuple(replace(each, point=each.point + shift.figures) for each in analysis.noise),
    )
    return Part(name, moved, figures, part.kept)


def _shift_point(point: PointSummary, shift: _Shift) -> PointSummary:
    number = None if point.point is None else point.point + shift.points
    bound = point.bound and replace(point.bound, figure=point.bound.figure + shift.figures)
    return replace(point, point=number, bound=bound)


def _without(values: Mapping[str, _Value], names: set[str]) -> dict[str, _Value]:
    return {name: value for name, value in values.items() if name not in names}


def _shift_launch(launch: Launch, mpi: str, shift: _Shift) -> Launch:
    return replace(
        launch,
        launch=launch.launch + shift.launches,
        mpi=mpi,
        points=tuple(
            replace(result, point=result.point + shift.points) for result in launch.points
        ),
        skipped=tuple(replace(skip, point=skip.point + shift.points) for skip in launch.skipped),
    )


def _benchmarks(parts: Sequence[Part]) -> list[Benchmark]:
    """Return each benchmark once, as a run that has samples of it describes it."""
    found: dict[str, Benchmark] = {}
    measured: set[str] = set()
    for part in parts:
        for one in part.run.benchmarks:
            if one.name in measured and part.run.imported is None:
                _check_series(found[one.name], one)
            if one.name not in measured:
                found[one.name] = one
            if part.run.imported is None:
                measured.add(one.name)
    return list(found.values())


def _check_series(one: Benchmark, other: Benchmark) -> None:
    if [each.name for each in one.series] != [each.name for each in other.series]:
        raise UserError(
            f"{one.name}: its series differ between these runs: draw the runs one by one"
        )


def _check_flags(parts: Sequence[Part], flags: Sequence[str]) -> None:
    for part in parts:
        if list(part.run.flags) != list(flags[: len(part.run.flags)]):
            raise UserError(
                f"{part.name} has flags of other probes than the other runs: draw it alone"
            )


def _merge_imports(parts: Sequence[Part]) -> Import | None:
    imports = [part.run.imported for part in parts if part.run.imported]
    if not imports:
        return None
    return Import(
        program=", ".join(dict.fromkeys(one.program for one in imports)),
        files=tuple(name for one in imports for name in one.files),
        tables=tuple(table for one in imports for table in one.tables),
        bounds=tuple(dict.fromkeys(bound for one in imports for bound in one.bounds)),
    )
