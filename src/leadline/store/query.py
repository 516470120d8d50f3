"""SQL over all run folders.

| view | a row is |
|---|---|
| `samples` | a sample of a finished point, as `samples.parquet` holds it |
| `points` | a finished point in one launch, as the probe reported it |
| `figures` | a figure that another program printed, of an imported run |
| `runs` | a run folder, one that cannot be read included |

A run whose leadline was killed is in `points` and `runs`; its samples are there once it is
recovered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from leadline.core.errors import UserError
from leadline.model.run import Run, variant
from leadline.store.folder import PARQUET
from leadline.store.overview import Overview, overviews
from leadline.store.parquet import connected, empty_samples, quoted
from leadline.store.rows import Rows, fetched

if TYPE_CHECKING:
    import duckdb

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

_POINTS = {
    "run": "VARCHAR",
    "launch": "INTEGER",
    "point": "INTEGER",
    "benchmark": "VARCHAR",
    "variant": "VARCHAR",
    "mpi": "VARCHAR",
    "library": "VARCHAR",
    "bytes": "BIGINT",
    "processes": "INTEGER",
    "nodes": "INTEGER",
    "processes_per_node": "INTEGER",
    "oversubscribed": "BOOLEAN",
    "repetitions": "BIGINT",
    "batch": "BIGINT",
    "verified": "BOOLEAN",
    "wrong_bytes": "BIGINT",
    "stopped_by": "VARCHAR",
    "clock_error_s": "DOUBLE",
    "wall_s": "DOUBLE",
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


def query(runs: Path, sql: str) -> Rows:
    """Return the rows of the one SELECT `sql` over the runs in the folder `runs`.

    Nothing can be written. Raises `UserError`, also while the rows are taken, with DuckDB's
    own words.
    """
    import duckdb

    connection = connected()
    # Without these, names in a query could mean Python variables or packages from the network.
    connection.execute("SET python_enable_replacements = false")
    connection.execute("SET autoinstall_known_extensions = false")
    try:
        _create_views(connection, list(overviews(runs)))
        kinds = [statement.type for statement in connection.extract_statements(sql)]
        if kinds != [duckdb.StatementType.SELECT]:
            raise UserError("a query is one SELECT: nothing in the run folders can be changed")
        rows = fetched(connection.execute(sql))
        # Held by the rows: a connection that nobody holds closes.
        return Rows(rows.names, _translate_errors(rows.batches, connection))
    except duckdb.Error as error:
        raise _refusal(error) from error


def _translate_errors(
    batches: Iterator[list[tuple[Any, ...]]], connection: duckdb.DuckDBPyConnection
) -> Iterator[list[tuple[Any, ...]]]:
    import duckdb

    with connection:
        try:
            yield from batches
        except duckdb.Error as error:
            raise _refusal(error) from error


def _refusal(error: Exception) -> UserError:
    words = str(error).split("\n\n")[0].replace("\n", " ")
    return UserError(f"the query does not work: {words} (views: samples, points, figures, runs)")


def _create_views(
    connection: duckdb.DuckDBPyConnection, found: list[tuple[Overview, Run | None]]
) -> None:
    _create_table(connection, "runs", _RUNS, [_run_row(overview) for overview, _ in found])
    _create_table(
        connection, "points", _POINTS, [row for _, run in found if run for row in _point_rows(run)]
    )
    figures = [row for _, run in found if run and run.imported for row in _figure_rows(run)]
    _create_table(connection, "figures", _FIGURES, figures)
    tables = [Path(overview.folder) / PARQUET for overview, _ in found]
    files = ", ".join(quoted(table) for table in tables if table.is_file())
    samples = f"SELECT * FROM read_parquet([{files}], union_by_name = true)" if files else None
    connection.execute(f"CREATE VIEW samples AS {samples or empty_samples()}")


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
            point = points[result.point]
            yield (
                run.run,
                launch.launch,
                point.index,
                point.benchmark,
                variant(point.axes, point.conditions),
                point.mpi,
                launch.library,
                result.bytes,
                launch.processes,
                launch.nodes,
                launch.processes_per_node,
                launch.oversubscribed,
                result.repetitions,
                result.batch,
                result.verified,
                result.wrong_bytes,
                result.stopped_by,
                result.clock_error_s,
                result.wall_s,
            )
