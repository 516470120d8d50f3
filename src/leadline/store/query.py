"""SQL over all run folders, and rows of a query or of a run's samples as CSV or JSON.

| view | a row is |
|---|---|
| `samples` | a sample of a finished point, as `samples.parquet` holds it |
| `points` | a finished point in one launch, as the probe reported it |
| `figures` | a figure that another program printed, of an imported run |
| `runs` | a run folder, one that cannot be read included |

A run whose leadline was killed is in `points` and `runs`; its samples are there once it is
recovered. What a run holds beside these, who asks may give as further views.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.model.plan import Point
from leadline.model.run import Launch, PointResult, Run, variant
from leadline.store.folder import PARQUET
from leadline.store.overview import Overview, overviews
from leadline.store.parquet import (
    connected,
    empty_samples,
    find_damage,
    interruptible,
    is_sound,
    quoted,
)

if TYPE_CHECKING:
    import duckdb

_BATCH = 10_000


class Rows(NamedTuple):
    """Column names, and the rows in batches: memory does not grow with their number.

    `left_out` says in a line for each run whose samples could not be read why they are not there.
    """

    names: tuple[str, ...]
    batches: Iterator[list[tuple[Any, ...]]]
    left_out: tuple[str, ...] = ()


def fetched(result: duckdb.DuckDBPyConnection) -> Rows:
    """Return the rows of a statement that was executed."""
    names = tuple(str(column[0]) for column in result.description or ())
    return Rows(names, iter(lambda: result.fetchmany(_BATCH), []))


def write_csv(rows: Rows, stream: BinaryIO) -> None:
    """Write a line of names, then the rows. What is not known is empty."""
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=True)
    try:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(rows.names)
        for batch in rows.batches:
            writer.writerows(batch)
    finally:
        text.detach()


def write_json(rows: Rows, stream: BinaryIO) -> None:
    """Write an array of objects, one a line. What is not known, or not finite, is null."""
    separator = b"[\n"
    for batch in rows.batches:
        for row in batch:
            stream.write(separator + msgspec.json.encode(dict(zip(rows.names, row, strict=True))))
            separator = b",\n"
    stream.write(b"\n]\n" if separator == b",\n" else b"[]\n")


_INSIDE = "is damaged inside"

_RUNS = {
    "run": "VARCHAR",
    "folder": "VARCHAR",
    "started": "VARCHAR",
    "ended": "VARCHAR",
    "state": "VARCHAR",
    "message": "VARCHAR",
    "benchmarks": "VARCHAR",
    "mpi": "VARCHAR",
    "placements": "VARCHAR",
    "launches": "INTEGER",
    "points": "INTEGER",
    "finished": "INTEGER",
    "size_bytes": "BIGINT",
}


class _Measured(NamedTuple):
    """A point as one launch of a run measured it."""

    run: Run
    launch: Launch
    point: Point
    result: PointResult


# The columns of `points`, with their type and where they come from.
_POINTS: dict[str, tuple[str, Callable[[_Measured], Any]]] = {
    "run": ("VARCHAR", lambda one: one.run.run),
    "launch": ("INTEGER", lambda one: one.launch.launch),
    "point": ("INTEGER", lambda one: one.point.index),
    "benchmark": ("VARCHAR", lambda one: one.point.benchmark),
    "variant": ("VARCHAR", lambda one: variant(one.point.axes, one.point.conditions)),
    "mpi": ("VARCHAR", lambda one: one.point.mpi),
    "library": ("VARCHAR", lambda one: one.launch.library),
    "bytes": ("BIGINT", lambda one: one.result.bytes),
    "processes": ("INTEGER", lambda one: one.launch.processes),
    "nodes": ("INTEGER", lambda one: one.launch.nodes),
    "processes_per_node": ("INTEGER", lambda one: one.launch.processes_per_node),
    "oversubscribed": ("BOOLEAN", lambda one: one.launch.oversubscribed),
    "repetitions": ("BIGINT", lambda one: one.result.repetitions),
    "batch": ("BIGINT", lambda one: one.result.batch),
    "verified": ("BOOLEAN", lambda one: one.result.verified),
    "wrong_bytes": ("BIGINT", lambda one: one.result.wrong_bytes),
    "stopped_by": ("VARCHAR", lambda one: one.result.stopped_by),
    "clock_error_s": ("DOUBLE", lambda one: one.result.clock_error_s),
    "wall_s": ("DOUBLE", lambda one: one.result.wall_s),
}

_FIGURES = {
    "run": "VARCHAR",
    "benchmark": "VARCHAR",
    "series": "VARCHAR",
    "variant": "VARCHAR",
    "mpi": "VARCHAR",
    "bytes": "BIGINT",
    "processes": "BIGINT",
    "nodes": "BIGINT",
    "processes_per_node": "BIGINT",
    "launches": "INTEGER",
    "statistic": "VARCHAR",
    "median_s": "DOUBLE",
    "ci95_low_s": "DOUBLE",
    "ci95_high_s": "DOUBLE",
    "bandwidth_MBps": "DOUBLE",
    "message_rate_per_s": "DOUBLE",
    "flops_per_s": "DOUBLE",
    "verified": "BOOLEAN",
}


Row = tuple[Any, ...]
Found = Sequence[tuple[Overview, Run | None]]


class View(NamedTuple):
    """A view: the types of its columns, and what makes its rows of all runs.

    `rows` returns them, and why a run is left out.
    """

    columns: dict[str, str]
    rows: Callable[[Found], tuple[list[Row], list[str]]]


def query(runs: Path, sql: str, more: Mapping[str, View] | None = None) -> Rows:
    """Return the rows of the one SELECT `sql` over the runs in the folder `runs`.

    `more` are further views by name, which are made where the query names them. Nothing can be
    written. Samples that cannot be read are left out, and the rows say of which run.
    Raises `UserError`, also while the rows are taken, with DuckDB's own words.
    """
    views = more or {}
    import duckdb

    connection = connected()
    # Without these, names in a query could mean Python variables or packages from the network.
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET autoinstall_known_extensions = false")
    found = list(overviews(runs))
    with _translated_errors(views):
        kinds = [statement.type for statement in connection.extract_statements(sql)]
        if kinds != [duckdb.StatementType.SELECT]:
            raise UserError("a query is one SELECT: nothing in the run folders can be changed")
        _create_tables(connection, found)
        unread = _create_views(connection, found, views, sql)
        tables = [Path(one.folder) / PARQUET for one, _ in found]
        tables = [table for table in tables if table.exists()]
        damages = {table: damage for table in tables if (damage := find_damage(table))}
        names, batches, first = _ask(connection, sql, tables, damages)
    left_out = unread + tuple(
        f"{table.parent.name} is left out: {PARQUET} {damage}; put it back from a copy, or "
        f"`leadline runs remove {table.parent.name}`"
        for table, damage in damages.items()
    )
    asked = [table for table in tables if table not in damages]
    # Held by the rows: a connection that nobody holds closes.
    return Rows(names, _following(first, batches, connection, asked, views), left_out)


def _ask(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    tables: Sequence[Path],
    damages: dict[Path, str],
) -> tuple[tuple[str, ...], Iterator[list[tuple[Any, ...]]], list[tuple[Any, ...]]]:
    """Return names, rows and the first of them, over the tables that are not in `damages`.

    Where one of these turns out to be damaged inside, it goes there, and the others are asked.
    """
    import duckdb

    while True:
        sound = [table for table in tables if table not in damages]
        try:
            _create_samples(connection, sound)
            rows = fetched(connection.execute(sql))
            return rows.names, rows.batches, next(rows.batches, [])
        except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException):
            raise  # a mistake in the query: no table needs to be read for it
        except duckdb.Error:
            broken = _find_broken(connection, sound)
            if not broken:
                raise
            damages |= dict.fromkeys(broken, _INSIDE)


def _following(
    first: list[tuple[Any, ...]],
    batches: Iterator[list[tuple[Any, ...]]],
    connection: duckdb.DuckDBPyConnection,
    asked: Sequence[Path],
    views: Collection[str],
) -> Iterator[list[tuple[Any, ...]]]:
    import duckdb

    with connection, _translated_errors(views):
        if first:
            yield first
        try:
            yield from batches
        except duckdb.Error:
            # Rows are out that cannot be taken back.
            if broken := _find_broken(connection, asked):
                names = ", ".join(table.parent.name for table in broken)
                raise UserError(
                    f"{PARQUET} of {names} {_INSIDE}: move it away, then ask again"
                ) from None
            raise


def _find_broken(connection: duckdb.DuckDBPyConnection, tables: Sequence[Path]) -> list[Path]:
    return [table for table in tables if not is_sound(connection, table)]


@contextmanager
def _translated_errors(views: Collection[str]) -> Iterator[None]:
    import duckdb

    try:
        with interruptible():
            yield
    except duckdb.Error as error:
        raise _refusal(error, views) from error


def _refusal(error: Exception, views: Collection[str]) -> UserError:
    words = str(error).split("\n\n")[0].replace("\n", " ")
    known = ", ".join(("samples", "points", "figures", "runs", *views))
    return UserError(f"the query does not work: {words} (views: {known})")


def _create_tables(
    connection: duckdb.DuckDBPyConnection, found: list[tuple[Overview, Run | None]]
) -> None:
    _create_table(connection, "runs", _RUNS, [_run_row(overview) for overview, _ in found])
    types = {name: kind for name, (kind, _) in _POINTS.items()}
    points = [row for _, run in found if run for row in _point_rows(run)]
    _create_table(connection, "points", types, points)
    figures = [row for _, run in found if run and run.imported for row in _figure_rows(run)]
    _create_table(connection, "figures", _FIGURES, figures)


def _create_views(
    connection: duckdb.DuckDBPyConnection, found: Found, views: Mapping[str, View], sql: str
) -> tuple[str, ...]:
    """Make the views that the query names; return why runs are left out of them."""
    left_out: list[str] = []
    for name, view in views.items():
        if name in sql.lower():
            rows, unread = view.rows(found)
            _create_table(connection, name, view.columns, rows)
            left_out += unread
    return tuple(dict.fromkeys(left_out))


def _create_samples(connection: duckdb.DuckDBPyConnection, tables: Sequence[Path]) -> None:
    files = ", ".join(map(quoted, tables))
    samples = f"SELECT * FROM read_parquet([{files}], union_by_name = true)" if files else None
    connection.execute(f"CREATE OR REPLACE VIEW samples AS {samples or empty_samples()}")


def _create_table(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    columns: dict[str, str],
    rows: Sequence[tuple[Any, ...]],
) -> None:
    import numpy as np

    values = {
        column: np.array([row[index] for row in rows], dtype=object)
        for index, column in enumerate(columns)
    }
    typed = ", ".join(f"{column}::{kind} AS {column}" for column, kind in columns.items())
    connection.register("values_of_table", values)
    connection.execute(f"CREATE TABLE {name} AS SELECT {typed} FROM values_of_table")
    connection.unregister("values_of_table")


def _run_row(overview: Overview) -> tuple[Any, ...]:
    values = msgspec.structs.asdict(overview)
    return tuple(
        ", ".join(values[name]) if isinstance(values[name], tuple) else values[name]
        for name in _RUNS
    )


def _figure_rows(run: Run) -> Iterator[tuple[Any, ...]]:
    for figure in run.imported.figures if run.imported else ():
        values = msgspec.structs.asdict(figure) | {
            "run": run.run,
            "variant": variant(figure.axes, figure.conditions),
        }
        yield tuple(values[name] for name in _FIGURES)


def _point_rows(run: Run) -> Iterator[tuple[Any, ...]]:
    points = {point.index: point for point in run.points}
    for launch in run.launches:
        for result in launch.points:
            one = _Measured(run, launch, points[result.point], result)
            yield tuple(of(one) for _, of in _POINTS.values())
