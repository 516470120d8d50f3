"""Samples as the Parquet file that the run folder holds."""

import shutil
from pathlib import Path
from typing import BinaryIO

from leadline.store.export import Export


def _write(samples: Path, stream: BinaryIO) -> None:
    with samples.open("rb") as source:
        shutil.copyfileobj(source, stream)


EXPORT = Export(name="parquet", text=False, write=_write)
