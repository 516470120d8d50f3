"""A run with some of its points only."""

from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec.structs import replace

from leadline.analysis.jitter.jitter import only_works
from leadline.core.errors import UserError
from leadline.core.units import expand_values
from leadline.model.plan import Point, Value
from leadline.model.run import Run
from leadline.model.summary import PointSummary
from leadline.store.renamed import current_value

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
    chosen = {**one.axes, **one.conditions, "mpi": one.mpi, "place": place}
    return {"benchmark": one.benchmark, **chosen}
