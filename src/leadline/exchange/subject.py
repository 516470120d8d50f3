"""What a word names: a run, a run folder, a file of another program, or a part of one of these."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.store.folder import RunFolder

if TYPE_CHECKING:
    from leadline.model.plan import Value
    from leadline.model.samples import Columns, SampleSource
    from leadline.model.summary import PointSummary


class Subject(NamedTuple):
    """A run with its samples; one that was imported has none. `folder` is None for a file."""

    run: Run
    samples: SampleSource
    folder: RunFolder | None


class Side(NamedTuple):
    """Figures to compare under the name by which the user knows them, and the run they are of.

    `source` is the run's folder, or the file of another program.
    """

    name: str
    run: Run
    points: tuple[PointSummary, ...]
    source: Path


class _NoSamples:
    """The samples of a file that holds none."""

    def columns(self, point: int) -> Columns:
        raise LookupError(f"an import has no samples of point {point}")


def subject(word: str, runs: Path) -> Subject:
    """Return what `word` names: a file to import, or what `RunFolder.open` takes.

    Raises `UserError` where it names nothing.
    """
    from leadline.store.samples import StoredSamples

    if Path(word).is_file():
        from leadline.exchange.imports.collect import import_files

        return Subject(import_files([Path(word)]), _NoSamples(), None)
    folder = RunFolder.open(word, runs)
    return Subject(folder.read(), StoredSamples(folder), folder)


def part(word: str, runs: Path) -> tuple[str, Subject]:
    """Return what `word` names, and its name: what `subject` takes, and after a colon a part of it.

    The part is `NAME=VALUE,...`, as `narrowed` takes each. Raises `UserError` where there is no
    such run, or nothing is left of it.
    """
    what, conditions = _split_word(word)
    found = subject(what, runs)
    run = found.run
    for condition in filter(None, conditions.split(",")):
        run = narrowed(run, condition, [condition.partition("=")[2]])
    name = f"{run.run}:{conditions}" if conditions else run.run
    return name, found._replace(run=run)


def narrowed(run: Run, condition: str, values: Sequence[str]) -> Run:
    """Return the run with those points that have one of `values` for the name in `condition`."""
    from leadline.analysis.compare.matching import only

    name = condition.partition("=")[0]
    if not (name and all(values)):
        raise UserError(f"{condition!r} is not NAME=VALUE: write algorithm=ring or bytes=8,64K")
    return only(run, name, values)


def measured(word: str, runs: Path) -> Subject:
    """Return what `subject` does.

    Raises `UserError` for a recording of a program too, which has no figures.
    """
    found = subject(word, runs)
    refuse_recording(found.run, word)
    return found


def refuse_recording(run: Run, word: str) -> None:
    """Raise `UserError` for a recording of a program, which the user names with `word`."""
    if run.explained:
        raise UserError(
            f"{word} is a recording of a program and has no figures: `leadline explain {word}` "
            "says where its time goes"
        )


def side(word: str, runs: Path) -> Side:
    """Return the figures of what `word` names, as `part` takes it.

    Raises `UserError` where there is no such run, or no such figure.
    """
    return side_of(word, *part(word, runs))


def side_of(word: str, name: str, found: Subject) -> Side:
    """Return the figures of what `part` has found for `word`. Raises `UserError` without one."""
    from leadline.exchange.analysis import figures_of

    refuse_recording(found.run, word)
    points = figures_of(found.run, found.samples)
    what = _split_word(word)[0]
    if not points:
        raise UserError(f"{word} has no figures: `leadline show {what}` says why")
    source = found.folder.path if found.folder else Path(what)
    return Side(name if found.folder else word, found.run, points, source.resolve())


def have_figures_in_common(one: Side, other: Side) -> bool:
    """Tell whether a figure of one run is on both sides: it cannot differ from itself."""
    return one.source == other.source and any(point in other.points for point in one.points)


def split(whole: Side, name: str) -> list[Side]:
    """Return a side for each value of the choice `name`, the first or the default one first.

    Raises `UserError` where the figures have no such choice, or a single value of it.
    """
    from leadline.analysis.compare.matching import choices

    chosen = [{"benchmark": point.benchmark, **choices(point)} for point in whole.points]
    values = list(dict.fromkeys(each[name] for each in chosen if name in each))
    if not values:
        known = ", ".join(dict.fromkeys(each for one in chosen for each in one))
        raise UserError(f"{whole.name} has no choice {name!r}: it has {known}")
    if len(values) < 2:
        raise UserError(
            f"{whole.name} has {name}={values[0]} only: there is nothing to hold against it"
        )
    default = next((value for value in _defaults(whole.run, name) if value in values), values[0])
    return [
        Side(
            f"{name}={value}",
            whole.run,
            tuple(
                point
                for point, each in zip(whole.points, chosen, strict=True)
                if str(each.get(name)) == str(value)
            ),
            whole.source,
        )
        for value in (default, *(value for value in values if value != default))
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


def _split_word(word: str) -> tuple[str, str]:
    what, colon, conditions = word.rpartition(":")
    if not colon or "=" not in conditions or Path(word).exists():
        return word, ""
    return what, conditions


def _defaults(run: Run, name: str) -> list[Value]:
    of_axes = [axis.default for each in run.benchmarks for axis in each.axes if axis.name == name]
    return [*of_axes, "default"]
