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
from leadline.model.run import Run, variant
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


Row = tuple[Any, ...]
Found = Sequence[tuple[Overview, Run | None]]


class View(NamedTuple):
    """A view: the types of its columns, and what makes its rows of all runs.

    `rows` returns them, and why a run is left out.
    """

    columns: dict[str, str]
    rows: Callable[[Found], tuple[list[Row], list[str]]]


def _columns(text: str) -> dict[str, str]:
    """Return the types of columns: words where nothing else is said."""
    named = (word.partition(":") for word in text.split())
    return {name: kind or "VARCHAR" for name, _, kind in named}


_RUNS = _columns(
    "run folder started ended state message benchmarks mpi placements launches:INTEGER "
    "points:INTEGER finished:INTEGER size_bytes:BIGINT"
)
_POINTS = _columns(
    "run launch:INTEGER point:INTEGER benchmark variant mpi library bytes:BIGINT "
    "processes:INTEGER nodes:INTEGER processes_per_node:INTEGER oversubscribed:BOOLEAN "
    "repetitions:BIGINT batch:BIGINT verified:BOOLEAN wrong_bytes:BIGINT stopped_by "
    "clock_error_s:DOUBLE wall_s:DOUBLE"
)
_FIGURES = _columns(
    "run benchmark series variant mpi bytes:BIGINT processes:BIGINT nodes:BIGINT "
    "processes_per_node:BIGINT launches:INTEGER statistic median_s:DOUBLE ci95_low_s:DOUBLE "
    "ci95_high_s:DOUBLE bandwidth_MBps:DOUBLE message_rate_per_s:DOUBLE flops_per_s:DOUBLE "
    "verified:BOOLEAN"
)


def query(runs: Path, sql: str, more: Mapping[str, View] | None = None) -> Rows:
    """Return the rows of the one SELECT `sql` over the runs in the folder `runs`.

    `more` are further views by name, which are made where the query names them. Nothing can be
    written. Samples that cannot be read are left out, and the rows say of which run.
    Raises `UserError`, also while the rows are taken, with DuckDB's own words.
    """
    import duckdb

    views = more or {}
    connection = connected()
    # Without these, names in a query could mean Python variables or packages from the network.
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET autoinstall_known_extensions = false")
    found = list(overviews(runs))
    left_out: dict[str, None] = {}
    with _translated_errors(views):
        kinds = [statement.type for statement in connection.extract_statements(sql)]
        if kinds != [duckdb.StatementType.SELECT]:
            raise UserError("a query is one SELECT: nothing in the run folders can be changed")
        _create_table(connection, "runs", _RUNS, [_run_row(overview) for overview, _ in found])
        _create_table(
            connection, "points", _POINTS, [r for _, run in found if run for r in _point_rows(run)]
        )
        _create_table(
            connection,
            "figures",
            _FIGURES,
            [r for _, run in found if run and run.imported for r in _figure_rows(run)],
        )
        for name, view in views.items():
            if name in sql.lower():
                rows, unread = view.rows(found)
                _create_table(connection, name, view.columns, rows)
                left_out |= dict.fromkeys(unread)
        tables = [Path(one.folder) / PARQUET for one, _ in found]
        tables = [table for table in tables if table.exists()]
        damages = {table: damage for table in tables if (damage := find_damage(table))}
        answer, first = _ask(connection, sql, tables, damages)
    for table, damage in damages.items():
        line = (
            f"{table.parent.name} is left out: {PARQUET} {damage}; put it back from a copy, or "
            f"`leadline runs remove {table.parent.name}`"
        )
        left_out[line] = None

    def batches() -> Iterator[list[Row]]:
        # Held by the rows: a connection that nobody holds closes.
        with connection, _translated_errors(views):
            if first:
                yield first
            yield from answer.batches

    return Rows(answer.names, batches(), tuple(left_out))


def _ask(
    connection: duckdb.DuckDBPyConnection,
    sql: str,
    tables: Sequence[Path],
    damages: dict[Path, str],
) -> tuple[Rows, list[Row]]:
    """Return the rows and the first of them, over the tables that are not in `damages`.

    Where one of these turns out to be damaged inside, it goes there, and the others are asked.
    """
    import duckdb

    while True:
        sound = [table for table in tables if table not in damages]
        files = ", ".join(map(quoted, sound))
        samples = f"SELECT * FROM read_parquet([{files}], union_by_name = true)" if files else ""
        try:
            connection.execute(f"CREATE OR REPLACE VIEW samples AS {samples or empty_samples()}")
            rows = fetched(connection.execute(sql))
            return rows, next(rows.batches, [])
        except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException):
            raise  # a mistake in the query: no table needs to be read for it
        except duckdb.Error:
            broken = [table for table in sound if not is_sound(connection, table)]
            if not broken:
                raise
            damages |= dict.fromkeys(broken, "is damaged inside")


@contextmanager
def _translated_errors(views: Collection[str]) -> Iterator[None]:
    import duckdb

    try:
        with interruptible():
            yield
    except duckdb.Error as error:
        words = str(error).split("\n\n")[0].replace("\n", " ")
        known = ", ".join(("samples", "points", "figures", "runs", *views))
        raise UserError(f"the query does not work: {words} (views: {known})") from error


def _create_table(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    columns: dict[str, str],
    rows: Sequence[Row],
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


def _run_row(overview: Overview) -> Row:
    values = [msgspec.structs.asdict(overview)[name] for name in _RUNS]
    return tuple(", ".join(each) if isinstance(each, tuple) else each for each in values)


def _figure_rows(run: Run) -> Iterator[Row]:
    for figure in run.imported.figures if run.imported else ():
        chosen = {"run": run.run, "variant": variant(figure.axes, figure.conditions)}
        values = msgspec.structs.asdict(figure) | chosen
        yield tuple(values[name] for name in _FIGURES)


def _point_rows(run: Run) -> Iterator[Row]:
    points = {point.index: point for point in run.points}
    for launch in run.launches:
        for result in launch.points:
            point = points[result.point]
            values: dict[str, Any] = {}
            # The library is the launch's: a point's is that of its kernel.
            for each in (point, launch, result):
                values |= msgspec.structs.asdict(each)
            values |= {"run": run.run, "variant": variant(point.axes, point.conditions)}
            yield tuple(values[name] for name in _POINTS)
