"""Samples as CSV."""

from pathlib import Path
from typing import BinaryIO

from leadline.exchange.exports.format import SampleExport, sample_rows
from leadline.store.query import write_csv


def _write(samples: Path, stream: BinaryIO) -> None:
    with sample_rows(samples) as rows:
        write_csv(rows, stream)


EXPORT = SampleExport(title="raw samples as comma-separated values", text=True, write=_write)
