"""The samples of a point as calls that ranks make side by side: who began when, and how long."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from leadline.analysis.stats.statistics import Integers, Mask, Matrix

if TYPE_CHECKING:
    from leadline.model.samples import Columns


# What a later leadline records, and what stands where a sample does not say.
_RECORDED = {"begin": "nan", "waited": "nan", "page_faults": "0"}


class Calls(NamedTuple):
    """One launch of a point: a row for each call in the order made, a column for each rank.

    `seconds`, `begin` (s since the launch began on one clock, NaN where not recorded), `waited`
    (s on the run queue), `page_faults` and `flags` (bit set) have the shape (calls, ranks);
    `series` and `usable` have (calls,), `ranks` has (ranks,). A call that is not usable is in no
    figure, yet may be what others waited for.
    """

    launch: int
    ranks: Integers
    series: Integers
    usable: Mask
    seconds: Matrix
    begin: Matrix
    waited: Matrix
    page_faults: Matrix
    flags: Integers


def arrange(columns: Columns, excluding: int, fewest_ranks: int = 2) -> Iterator[Calls]:
    """Yield the calls of each launch in which so many ranks or more timed single calls.

    `columns` are those of `SampleSource.columns`, `excluding` the flag bits that take a call out
    of the figures. Parts of one repetition are calls of their own. Series that only some of the
    ranks report (a sender's, a receiver's) come one by one,
    those of fewer ranks not at all.
    """
    launch = np.asarray(columns["launch"])
    for number in np.unique(launch).tolist():
        rows = np.flatnonzero(launch == number)
        if np.max(np.asarray(columns["batch"])[rows]) > 1:
            continue
        of_launch = {name: np.asarray(values)[rows] for name, values in columns.items()}
        together = _table(number, of_launch, excluding, fewest_ranks)
        if together is not None:
            yield together
            continue
        for index in np.unique(of_launch["series"]).tolist():
            only = of_launch["series"] == index
            part = {name: values[only] for name, values in of_launch.items()}
            alone = _table(number, part, excluding, fewest_ranks)
            if alone is not None:
                yield alone


def _table(launch: int, columns: Columns, excluding: int, fewest_ranks: int) -> Calls | None:
    """Return the calls of these samples, or None unless enough ranks made the same ones."""
    ranks, counts = np.unique(columns["rank"], return_counts=True)
    if len(ranks) < fewest_ranks or np.any(counts != counts[0]):
        return None
    # Stable: the parts of one repetition stay in the order in which they were recorded.
    order = np.lexsort((columns["repetition"], columns["rank"]))

    def shaped(values: Any, kind: Any) -> Any:
        table = np.asarray(values)[order].reshape(len(ranks), -1).T
        return np.ascontiguousarray(table, dtype=kind)

    series, repetition = shaped(columns["series"], int), shaped(columns["repetition"], int)
    if np.any(series != series[:, :1]) or np.any(repetition != repetition[:, :1]):
        return None
    seconds, flags = shaped(columns["seconds"], float), shaped(columns["flags"], int)
    bad = np.any(((flags & excluding) != 0) | ~np.isfinite(seconds), axis=1)
    # One part that is excluded takes the others of its repetition with it, as in the figures.
    excluded = np.unique(repetition[bad, 0])
    recorded = {
        name: shaped(columns.get(name, np.full(len(order), float(otherwise))), float)
        for name, otherwise in _RECORDED.items()
    }
    return Calls(
        launch=launch,
        ranks=ranks.astype(int),
        series=series[:, 0],
        usable=~np.isin(repetition[:, 0], excluded),
        seconds=seconds,
        flags=flags,
        **recorded,
    )
