"""Samples as JSON."""

from pathlib import Path
from typing import BinaryIO

from leadline.exchange.exports.format import SampleExport, sample_rows
from leadline.store.query import write_json


def _write(samples: Path, stream: BinaryIO) -> None:
    with sample_rows(samples) as rows:
        write_json(rows, stream)


EXPORT = SampleExport(title="raw samples as a JSON array of objects", text=True, write=_write)
