"""The samples of a run folder, one point at a time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from leadline.store.folder import RunFolder
from leadline.store.launches import Block, LaunchFiles
from leadline.store.parquet import connected, quoted, reading

if TYPE_CHECKING:
    import duckdb
    import numpy as np

    from leadline.model.samples import Columns

_SELECTED = {
    "launch": "launch",
    "repetition": "repetition",
    "rank": "rank",
    "peer": "peer",
    "batch": "batch",
    "series": "series_index",
    "flags": "flags",
    "seconds": "seconds",
}

# What a table or stream of an earlier leadline lacks: its column, its type, and what stands in its
# place.
_LATER = {
    "begin": ("begin_s", "DOUBLE", "nan"),
    "waited": ("waited_s", "DOUBLE", "nan"),
    "page_faults": ("page_faults", "BIGINT", "0"),
}

_KINDS = {"seconds": "f8", "begin": "f8", "waited": "f8"}


class StoredSamples:
    """A `leadline.model.samples.SampleSource` over a run folder.

    Reads `samples.parquet`, or the launches' own files where a run has none.
    """

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder

    def columns(self, point: int) -> Columns:
        """Return the samples of the finished measurements of `point`, as `SampleSource` says."""
        if self._folder.parquet.exists():
            return self._from_parquet(point)
        return self._from_launches(point)

    def _from_parquet(self, point: int) -> Columns:
        with reading(self._folder.parquet):
            rows = self._connection.execute(
                f"SELECT {self._selection} FROM read_parquet({quoted(self._folder.parquet)}, "
                "file_row_number = true) WHERE point = ? ORDER BY file_row_number",
                [point],
            )
            return rows.fetchnumpy()

    def _from_launches(self, point: int) -> Columns:
        import numpy as np

        found: dict[str, list[np.ndarray[Any, Any]]] = {name: [] for name in (*_SELECTED, *_LATER)}
        for launch, files, blocks in self._launches:
            if point in blocks:
                block = blocks[point]
                for records in files.read(block, at_most=block.stop - block.start):
                    for name in found:
                        found[name].append(_column(name, launch, records))
        return {
            name: np.concatenate(arrays) if arrays else np.empty(0, _KINDS.get(name, "i8"))
            for name, arrays in found.items()
        }

    @cached_property
    def _selection(self) -> str:
        described = self._connection.execute(
            f"DESCRIBE SELECT * FROM read_parquet({quoted(self._folder.parquet)})"
        )
        known = {row[0] for row in described.fetchall()}
        later = [
            f"coalesce({column if column in known else 'NULL'}, '{otherwise}')::{kind} AS {name}"
            for name, (column, kind, otherwise) in _LATER.items()
        ]
        return ", ".join([*(f"{column} AS {name}" for name, column in _SELECTED.items()), *later])

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        return connected()

    @cached_property
    def _launches(self) -> list[tuple[int, LaunchFiles, dict[int, Block]]]:
        found = []
        for launch in self._folder.read().launches:
            files = LaunchFiles(self._folder.launch_path(launch.launch))
            found.append((launch.launch, files, {b.point: b for b in files.accepted(launch)}))
        return found


def _column(
    name: str, launch: int, records: np.ndarray[Any, np.dtype[Any]]
) -> np.ndarray[Any, Any]:
    import numpy as np

    if name == "launch":
        return np.full(len(records), launch)
    if name in (records.dtype.names or ()):
        return records[name]
    return np.full(len(records), float(_LATER[name][2])).astype(_KINDS.get(name, "i8"))
