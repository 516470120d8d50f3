"""Samples as the Parquet file that the run folder holds."""

import shutil
from pathlib import Path
from typing import BinaryIO

from leadline.exchange.exports.format import SampleExport


def _write(samples: Path, stream: BinaryIO) -> None:
    with samples.open("rb") as source:
        shutil.copyfileobj(source, stream)


EXPORT = SampleExport(
    title="raw samples as the file that the run folder holds", text=False, write=_write
)
