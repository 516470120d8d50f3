"""What an export format is. Each format is one file in `leadline.exchange.exports.formats`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.store.parquet import connected, quoted, reading
from leadline.store.query import Rows, fetched


class SampleExport(NamedTuple):
    """`write(samples, stream)` writes the samples of the Parquet file `samples` to `stream`.

    `text` tells whether the result can be shown on a terminal.
    """

    title: str
    text: bool
    write: Callable[[Path, BinaryIO], None]


class ResultExport(NamedTuple):
    """`write(run, analysis)` returns the figures of a run as text."""

    title: str
    write: Callable[[Run, Analysis], str]


Export = SampleExport | ResultExport


@contextmanager
def sample_rows(samples: Path) -> Iterator[Rows]:
    """Give the rows of the Parquet file `samples`, in their order."""
    with reading(samples), connected() as connection:
        yield fetched(connection.execute(f"SELECT * FROM read_parquet({quoted(samples)})"))
