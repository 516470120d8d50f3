"""The samples of a run folder, one point at a time."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from leadline.store.folder import RunFolder
from leadline.store.launches import Block, LaunchFiles
from leadline.store.parquet import quoted, reading, shared

if TYPE_CHECKING:
    import duckdb
    import numpy as np

    from leadline.model.samples import Columns

_NAMES = ("launch", "repetition", "rank", "peer", "batch", "series", "flags", "seconds")
_SELECTED = {name: name for name in _NAMES}
_SELECTED |= {"series": "series_index", "seconds": "coalesce(seconds, 'nan')"}

# What a table or stream of an earlier leadline lacks: its column, its type, and what stands in its
# place.
_LATER = {
    "begin": ("begin_s", "DOUBLE", "nan"),
    "waited": ("waited_s", "DOUBLE", "nan"),
    "page_faults": ("page_faults", "BIGINT", "0"),
}

# Points are read together, up to so many rows: small ones by the hundred in one pass over the file,
# and no more of a large run at once than a few of its points.
_TOGETHER = 2**18

_KINDS = {"seconds": "f8", "begin": "f8", "waited": "f8"}


class StoredSamples:
    """A `leadline.model.samples.SampleSource` over a run folder.

    Reads `samples.parquet`, or the launches' own files where a run has none. Who reads many runs
    gives a `connection`, which each uses through a cursor of its own.
    """

    def __init__(
        self, folder: RunFolder, connection: duckdb.DuckDBPyConnection | None = None
    ) -> None:
        self.folder = folder
        self._read: dict[int, Columns] = {}
        self._shared = connection

    def columns(self, point: int) -> Columns:
        """Return the samples of the finished measurements of `point`, as `SampleSource` says."""
        if self.folder.parquet.exists():
            return self._from_parquet(point)
        return self._from_launches(point)

    def _from_parquet(self, point: int) -> Columns:
        if point not in self._read:
            with reading(self.folder.parquet):
                # What was read before goes first: memory holds one batch.
                self._read = {}
                self._read = self._batch(self._batches.get(point, range(point, point + 1)))
        return self._read[point]

    def _batch(self, points: range) -> dict[int, Columns]:
        """Return the samples of these points, in the order of the file."""
        import numpy as np

        # DuckDB keeps the order of a file where no other is asked for.
        rows = self._connection.execute(
            f"SELECT point, {self._selection} FROM read_parquet({quoted(self.folder.parquet)}) "
            "WHERE point BETWEEN ? AND ?",
            [points.start, points.stop - 1],
        ).fetchnumpy()
        of_row = rows.pop("point")
        # A launch measures a point without a break: stretches are copied faster than rows.
        ends = [*(np.flatnonzero(of_row[1:] != of_row[:-1]) + 1).tolist(), len(of_row)]
        stretches: dict[int, list[slice]] = {point: [slice(0, 0)] for point in points}
        for low, high in zip([0, *ends], ends, strict=False):
            if low < high:
                stretches[int(of_row[low])].append(slice(low, high))
        return {
            point: {name: np.concatenate([v[one] for one in own]) for name, v in rows.items()}
            for point, own in stretches.items()
        }

    @cached_property
    def _batches(self) -> dict[int, range]:
        """The points that are read together with each point."""
        counts = self._connection.execute(
            f"SELECT point, count(*) FROM read_parquet({quoted(self.folder.parquet)}) "
            "GROUP BY point ORDER BY point"
        ).fetchall()
        found: dict[int, range] = {}
        batch: list[int] = []
        rows = 0
        for point, count in [*counts, (None, _TOGETHER)]:
            if batch and rows + count > _TOGETHER:
                together = range(batch[0], batch[-1] + 1)
                found |= dict.fromkeys(together, together)
                batch, rows = [], 0
            batch.append(point)
            rows += count
        return found

    def _from_launches(self, point: int) -> Columns:
        import numpy as np

        columns = {name: [np.empty(0, _KINDS.get(name, "i8"))] for name in (*_SELECTED, *_LATER)}
        for launch, files, blocks in self._launches:
            if point in blocks:
                block = blocks[point]
                for records in files.read(block, at_most=block.stop - block.start):
                    for name, arrays in columns.items():
                        arrays.append(_column(name, launch, records))
        return {name: np.concatenate(arrays) for name, arrays in columns.items()}

    @cached_property
    def _selection(self) -> str:
        described = self._connection.execute(
            f"DESCRIBE SELECT * FROM read_parquet({quoted(self.folder.parquet)})"
        )
        known = {row[0] for row in described.fetchall()}
        selected = [f"{column} AS {name}" for name, column in _SELECTED.items()]
        for name, (column, kind, otherwise) in _LATER.items():
            value = column if column in known else "NULL"
            selected.append(f"coalesce({value}, '{otherwise}')::{kind} AS {name}")
        return ", ".join(selected)

    @cached_property
    def _connection(self) -> duckdb.DuckDBPyConnection:
        return self._shared.cursor() if self._shared else shared()

    @cached_property
    def _launches(self) -> list[tuple[int, LaunchFiles, dict[int, Block]]]:
        found = []
        for launch in self.folder.read().launches:
            files = LaunchFiles(self.folder.launch_path(launch.launch))
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
