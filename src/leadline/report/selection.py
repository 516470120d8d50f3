"""A run with some of its points only."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from leadline.analyse.jitter import only_works
from leadline.errors import UserError
from leadline.model.plan import Point, Value
from leadline.model.run import Run
from leadline.model.summary import PointSummary
from leadline.units import expand_values

_One = Point | PointSummary


def only(run: Run, choice: str, values: Sequence[str]) -> Run:
    """Return the run with the points and figures that have one of `values` for `choice`.

    A choice is `mpi`, `bytes`, or an axis, setting or knob. Raises `UserError` where none is left.
    """
    sizes = expand_values(",".join(values)) if choice == "bytes" else ()

    def keep(one: _One) -> bool:
        value = _value(one, choice)
        return value in sizes if choice == "bytes" else str(value) in values

    every = _every(run)
    if not any(map(keep, every)):
        there = sorted({str(value) for one in every if (value := _value(one, choice)) is not None})
        names = sorted({"mpi", *(name for one in every for name in _choices(one))})
        known = f"its values are {', '.join(there)}" if there else f"it has {', '.join(names)}"
        raise UserError(f"{run.run} has no point with {choice}={','.join(values)}: {known}")
    return _kept(run, keep)


def of_benchmark(run: Run, benchmark: str) -> Run:
    """Return the run with all that the figures of one benchmark are drawn from; faster to analyse.

    A run without that benchmark stays as it is.
    """
    if not any(one.benchmark == benchmark for one in _every(run)):
        return run
    noise = {point.benchmark for point in run.points if only_works(run, point)}
    return _kept(run, lambda one: one.benchmark in {benchmark, *noise})


def _every(run: Run) -> list[_One]:
    return [*run.points, *(run.imported.figures if run.imported else ())]


def _kept(run: Run, keep: Callable[[_One], bool]) -> Run:
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


def _value(one: _One, choice: str) -> Value | None:
    return one.mpi if choice == "mpi" else _choices(one).get(choice)


def _choices(one: _One) -> dict[str, Value]:
    return {**one.axes, **one.conditions}
