"""Which points of a finished run have samples that a figure can be made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from leadline.model.samples import excluding_bits
from leadline.store.parquet import connected, quoted, reading


def points_with_samples(parquet: Path, flags: Sequence[str]) -> set[int]:
    """Return the points with a repetition that no rank of any series has set aside.

    `parquet` is the table of samples of a run, `flags` the names of their bits.
    """
    bad = f"((flags & {excluding_bits(flags)}) != 0 OR NOT isfinite(coalesce(seconds, 'nan')))"
    samples = f"read_parquet({quoted(parquet)})"
    with reading(parquet), connected() as connection:
        spoilt = {
            row[0]
            for row in connection.execute(
                f"SELECT DISTINCT point FROM {samples} WHERE {bad}"
            ).fetchall()
        }
        every = {
            row[0] for row in connection.execute(f"SELECT DISTINCT point FROM {samples}").fetchall()
        }
        if not spoilt:
            return every
        # Only these need to be looked at repetition by repetition.
        kept = connection.execute(
            f"SELECT DISTINCT point FROM (SELECT point FROM {samples} WHERE point IN "
            f"({', '.join(map(str, spoilt))}) GROUP BY point, launch, repetition "
            f"HAVING NOT bool_or({bad}))"
        ).fetchall()
    return every - spoilt | {row[0] for row in kept}
