"""Samples as CSV."""

from pathlib import Path
from typing import BinaryIO

from leadline.store.export import Export, sample_rows
from leadline.store.rows import write_csv


def _write(samples: Path, stream: BinaryIO) -> None:
    with sample_rows(samples) as rows:
        write_csv(rows, stream)


EXPORT = Export(name="csv", text=True, write=_write)
