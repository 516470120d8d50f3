"""Samples as JSON."""

from pathlib import Path
from typing import BinaryIO

from leadline.store.export import Export, sample_rows
from leadline.store.rows import write_json


def _write(samples: Path, stream: BinaryIO) -> None:
    with sample_rows(samples) as rows:
        write_json(rows, stream)


EXPORT = Export(name="json", text=True, write=_write)
