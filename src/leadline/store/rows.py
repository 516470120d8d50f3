"""Rows on their way out: of a query or of a run's samples, as CSV or JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import msgspec

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
