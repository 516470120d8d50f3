"""The table of samples: what it holds, and how the launches' records become it.

Memory does not grow with the run: windows of records become Parquet parts one after another, and
DuckDB streams the parts into one file.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leadline.core.errors import UserError
from leadline.model.run import Launch, Run, variant
from leadline.model.samples import excluding_bits
from leadline.store.disk import replacing
from leadline.store.launches import Block, LaunchFiles

if TYPE_CHECKING:
    import duckdb
    import numpy as np

# The columns of `samples.parquet` in order, with their type and where they come from: `s` is the
# record that the probe wrote, `p` the point that it belongs to.
COLUMNS = {
    "run": ("VARCHAR", "p.run"),
    "launch": ("INTEGER", "p.launch"),
    "point": ("INTEGER", "s.point"),
    "benchmark": ("VARCHAR", "p.benchmark"),
    "variant": ("VARCHAR", "p.variant"),
    "series": ("VARCHAR", "coalesce(p.series[s.series + 1], s.series::VARCHAR)"),
    "mpi": ("VARCHAR", "p.mpi"),
    "bytes": ("BIGINT", "p.bytes"),
    "processes": ("INTEGER", "p.processes"),
    "nodes": ("INTEGER", "p.nodes"),
    "processes_per_node": ("INTEGER", "p.processes_per_node"),
    "rank": ("INTEGER", "s.rank"),
    "peer": ("INTEGER", "s.peer"),
    "repetition": ("BIGINT", "s.repetition"),
    # DuckDB takes the NaN of an array for a null.
    "seconds": ("DOUBLE", "coalesce(s.seconds, 'nan')"),
    "batch": ("BIGINT", "s.batch"),
    "flags": ("INTEGER", "s.flags"),
    "series_index": ("INTEGER", "s.series"),
    "begin_s": ("DOUBLE", "s.begin"),
    "waited_s": ("DOUBLE", "s.waited"),
    "page_faults": ("BIGINT", "s.page_faults"),
}

# What is known of a point: its series by name, and the columns that come from it in their order.
_POINT = {"point": "INTEGER", "series": "VARCHAR[]"} | {
    name: kind for name, (kind, source) in COLUMNS.items() if source == f"p.{name}"
}

_MAGIC = b"PAR1"
_INTERRUPTED = "Query interrupted"
_WINDOW = 2**18
_ROW_GROUP = 2**15  # small, so that the samples of one point are found without reading the others


def empty_samples() -> str:
    """Return the SQL of the table of samples without rows."""
    columns = ", ".join(f"NULL::{kind} AS {name}" for name, (kind, _) in COLUMNS.items())
    return f"SELECT {columns} LIMIT 0"


def write_parquet(run: Run, launches: Path, path: Path) -> dict[int, int]:
    """Write the samples of the finished points of `run` to `path`, by launch, then as recorded.

    `launches` is the folder of the launch folders. Returns the number of rows of each launch.
    Raises `UserError` where `path` cannot be there whole.
    """
    parts = path.with_name(f".{path.name}.parts")
    shutil.rmtree(parts, ignore_errors=True)
    try:
        # One thread: with more, the rows that wait for their turn grow with the run.
        with interruptible(), replacing(path) as partial, shared(threads=1) as connection:
            parts.mkdir()
            rows = {
                launch.launch: _write_parts(connection, run, launch, launches, parts)
                for launch in run.launches
            }
            merged = f"SELECT * FROM {quoted(parts / '*.parquet')}" if any(parts.iterdir()) else ""
            connection.execute(_copy(merged or empty_samples(), partial))
            count = f"SELECT count(*) FROM read_parquet({quoted(partial)})"
            if connection.execute(count).fetchone() != (sum(rows.values()),):
                raise UserError(f"{path} would not hold every sample: the launches' files stay")
    finally:
        shutil.rmtree(parts, ignore_errors=True)
    return rows


def find_damage(path: Path) -> str:
    """Return what is wrong with the ends of the table `path`, nothing where they are sound.

    Cheap: what lies between them is known to whoever reads it, or to `is_sound`.
    """
    if not path.is_file():
        return "is not a file"
    try:
        with path.open("rb") as stream:
            head = stream.read(len(_MAGIC))
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - len(_MAGIC) - 4))
            index, tail = stream.read(4), stream.read()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if head != _MAGIC:
        return "is no Parquet file" if size else "is empty"
    if tail != _MAGIC or int.from_bytes(index, "little") + 12 > size:
        return "has lost its end"
    return ""


def is_sound(connection: duckdb.DuckDBPyConnection, path: Path) -> bool:
    """Tell whether every value of the table `path` can be read."""
    import duckdb

    try:
        connection.execute(f"SELECT bit_xor(hash(COLUMNS(*))) FROM read_parquet({quoted(path)})")
    except duckdb.Error:
        return False
    return True


def connected(threads: int | None = None) -> duckdb.DuckDBPyConnection:
    """Return a connection to an empty database in memory, with so many threads where it is said."""
    import duckdb

    return _quiet(duckdb.connect(config={"threads": threads} if threads else {}))


def shared(threads: int | None = None) -> duckdb.DuckDBPyConnection:
    """Return a connection as `connected` does, to a database that stays: in a tenth of the time.

    For who makes no tables but temporary ones.
    """
    return _quiet(_database(threads).cursor())


@cache
def _database(threads: int | None) -> duckdb.DuckDBPyConnection:
    return connected(threads)


def _quiet(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    # What takes long would otherwise draw itself on standard output, which is for the answer.
    connection.execute("SET enable_progress_bar = false")
    return connection


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn DuckDB's refusal to read the table `path` inside the block into a `UserError`."""
    import duckdb

    try:
        with interruptible():
            yield
    except duckdb.Error as error:
        words = str(error).splitlines()[0]
        raise UserError(f"{path} is damaged or not leadline's: {words}") from error


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise `KeyboardInterrupt` where an interrupt ended what DuckDB did inside the block.

    DuckDB raises a `RuntimeError` in its place.
    """
    try:
        yield
    except RuntimeError as error:
        if str(error) != _INTERRUPTED:
            raise
        raise KeyboardInterrupt from None


def quoted(path: Path) -> str:
    """Return `path` as a string of SQL."""
    return "'" + str(path).replace("'", "''") + "'"


def _write_parts(
    connection: duckdb.DuckDBPyConnection, run: Run, launch: Launch, launches: Path, parts: Path
) -> int:
    import numpy as np

    _load_points(connection, run, launch)
    rows = 0
    files = LaunchFiles(launches / f"{launch.launch:03d}")
    for window in _windows(files, files.accepted(launch)):
        names = window.dtype.names or ()
        records = {name: np.ascontiguousarray(window[name]) for name in names}
        part = parts / f"{launch.launch:09d}-{rows:015d}.parquet"
        connection.register("records", {**records, "row": np.arange(len(window))})
        columns = ", ".join(
            f"({value if value[:2] != 's.' or value[2:] in names else 'NULL'})::{kind} AS {name}"
            for name, (kind, value) in COLUMNS.items()
        )
        joined = f"SELECT {columns} FROM records s JOIN points p ON s.point = p.point"
        connection.execute(_copy(f"{joined} ORDER BY s.row", part))
        connection.unregister("records")
        rows += len(window)
    return rows


def _copy(selected: str, path: Path) -> str:
    return (
        f"COPY ({selected}) TO {quoted(path)} "
        f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_ROW_GROUP})"
    )


def _windows(files: LaunchFiles, blocks: list[Block]) -> Iterator[np.ndarray[Any, np.dtype[Any]]]:
    """Yield the records of the blocks, many small points together."""
    import numpy as np

    gathered: list[np.ndarray[Any, np.dtype[Any]]] = []
    count = 0
    for block in blocks:
        for records in files.read(block, at_most=_WINDOW):
            gathered.append(records)
            count += len(records)
            if count >= _WINDOW:
                yield np.concatenate(gathered)
                gathered, count = [], 0
    if gathered:
        yield np.concatenate(gathered)


def _load_points(connection: duckdb.DuckDBPyConnection, run: Run, launch: Launch) -> None:
    points = {point.index: point for point in run.points}
    series = {b.name: [one.name for one in b.series] for b in run.benchmarks}
    columns = ", ".join(f"{name} {kind}" for name, kind in _POINT.items())
    connection.execute(f"CREATE OR REPLACE TEMP TABLE points ({columns})")
    values: list[Any] = []
    for result in launch.points:
        point = points.get(result.point)
        if point is None:
            raise UserError(
                f"launch {launch.launch} measured point {result.point}, not in the plan"
            )
        values += (
            point.index,
            series.get(point.benchmark, []),
            run.run,
            launch.launch,
            point.benchmark,
            variant(point.axes, point.conditions),
            point.mpi,
            result.bytes,
            launch.processes,
            launch.nodes,
            launch.processes_per_node,
        )
    if values:
        row = f"({', '.join('?' * len(_POINT))})"
        rows = ", ".join([row] * len(launch.points))
        connection.execute(f"INSERT INTO points VALUES {rows}", values)


def points_with_samples(parquet: Path, flags: Sequence[str]) -> set[int]:
    """Return the points with a repetition that no rank of any series has set aside.

    `parquet` is the table of samples of a run, `flags` the names of their bits.
    """
    bad = f"((flags & {excluding_bits(flags)}) != 0 OR NOT isfinite(coalesce(seconds, 'nan')))"
    samples = f"read_parquet({quoted(parquet)})"
    with reading(parquet), shared(threads=1) as connection:

        def points(rest: str) -> set[int]:
            rows = connection.execute(f"SELECT DISTINCT point FROM {rest}").fetchall()
            return {row[0] for row in rows}

        spoilt, every = points(f"{samples} WHERE {bad}"), points(samples)
        if not spoilt:
            return every
        # Only these need to be looked at repetition by repetition.
        return every - spoilt | points(
            f"(SELECT point FROM {samples} WHERE point IN ({', '.join(map(str, spoilt))}) "
            f"GROUP BY point, launch, repetition HAVING NOT bool_or({bad}))"
        )
