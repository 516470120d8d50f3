"""What `compare` holds against each other: runs, files, and parts of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from leadline.errors import UserError

if TYPE_CHECKING:
    from leadline.model.plan import Value
    from leadline.model.run import Run
    from leadline.model.summary import PointSummary


class Side(NamedTuple):
    """Figures under the name by which the user will know them, and the run that they are of."""

    name: str
    run: Run
    points: tuple[PointSummary, ...]


def side(word: str, runs: Path) -> Side:
    """Return what `word` means: what `cli.subject` takes, and after a colon a part of its figures.

    The part is `NAME=VALUE,...`, of the MPI, the placement (`place`), axes, settings and knobs.
    Raises `UserError` where there is no such run, or no such figure.
    """
    from leadline.analyse.summary import summarise
    from leadline.cli.subject import subject

    what, part = parted(word)
    found = subject(what, runs)
    points = summarise(found.run, found.samples)
    if not points:
        raise UserError(f"{what} has no figures: `leadline show {what}` says why")
    for condition in filter(None, part.split(",")):
        points = _only(points, condition, what)
    name = found.run.run if found.folder else what
    return Side(f"{name}:{part}" if part else name, found.run, points)


def split(whole: Side, name: str) -> list[Side]:
    """Return a side for each value of the choice `name`, the first or the default one first.

    Raises `UserError` where the figures have no such choice, or a single value of it.
    """
    values = _values(whole.points, name, whole.name)
    if len(values) < 2:
        raise UserError(
            f"{whole.name} has {name}={values[0]} only: there is nothing to hold against it"
        )
    default = next((value for value in _defaults(whole.run, name) if value in values), values[0])
    ordered = [default, *(value for value in values if value != default)]
    return [
        Side(f"{name}={value}", whole.run, _having(whole.points, name, str(value)))
        for value in ordered
    ]


def first_since(whole: Side, date: str, runs: Path) -> Side:
    """Return the first run since `date` (UTC) that was asked for the same as the run of `whole`.

    Raises `UserError` for what is no date, and where there is no other such run.
    """
    from datetime import date as day

    from leadline.store.history import runs_like

    try:
        first = day.fromisoformat(date).isoformat()
    except ValueError:
        raise UserError(f"{date!r} is no date: write it as 2026-01-31") from None
    run = whole.run
    for _, earlier in runs_like(run.plan, run.machine.get("host", ""), runs):
        if earlier.started >= first and earlier.run != run.run:
            return side(earlier.run, runs)
    raise UserError(
        f"there is no other run like {run.run} since {first}: `leadline runs` lists them"
    )


def parted(word: str) -> tuple[str, str]:
    """Return the run and the part of it that `word` names."""
    what, colon, part = word.rpartition(":")
    if not colon or "=" not in part or Path(word).exists():
        return word, ""
    return what, part


def _only(points: tuple[PointSummary, ...], condition: str, what: str) -> tuple[PointSummary, ...]:
    name, equals, value = condition.partition("=")
    if not (name and equals and value):
        raise UserError(f"{condition!r} is not NAME=VALUE: write {what}:mpi=NAME,place=2x1")
    values = _values(points, name, what)
    chosen = _having(points, name, value)
    if not chosen:
        known = ", ".join(map(str, values))
        raise UserError(f"{what} has no figure with {condition}: there are {known}")
    return chosen


def _having(points: Sequence[PointSummary], name: str, value: str) -> tuple[PointSummary, ...]:
    from leadline.store.renamed import current_value

    exact = tuple(
        point
        for point in points
        if str(_chosen(point).get(name)) == current_value(point.benchmark, name, value)
    )
    if exact or name != "mpi":
        return exact
    # As for --mpi, the beginning of a name will do.
    return tuple(point for point in points if point.mpi.startswith(value))


def _values(points: Sequence[PointSummary], name: str, what: str) -> list[Value]:
    found = [_chosen(point)[name] for point in points if name in _chosen(point)]
    if not found:
        known = ", ".join(dict.fromkeys(each for point in points for each in _chosen(point)))
        raise UserError(f"{what} has no choice {name!r}: it has {known}")
    return list(dict.fromkeys(found))


def _chosen(point: PointSummary) -> dict[str, Value]:
    from leadline.analyse.matching import choices

    return {"benchmark": point.benchmark, **choices(point)}


def _defaults(run: Run, name: str) -> list[Value]:
    of_axes = [axis.default for each in run.benchmarks for axis in each.axes if axis.name == name]
    return [*of_axes, "default"]
