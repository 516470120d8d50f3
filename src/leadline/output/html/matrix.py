"""Times between pairs of ranks, where samples name the partner."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from leadline.model.summary import PointSummary
from leadline.output.html.measured import Measured
from leadline.output.html.panels import Panel, Row, place_row

# What keeps a page near a megabyte: figures of a panel, and rows and columns of a matrix.
_FIGURES = 2
_RANKS = 32


def with_matrices(
    points: Sequence[PointSummary], drawn: Sequence[Panel], measured: Measured
) -> tuple[Panel, ...]:
    """Return the panels with the pairs of their smallest and largest sizes, if many have peers."""
    return tuple(_with_matrix(points, panel, measured) for panel in drawn)


def _with_matrix(points: Sequence[PointSummary], panel: Panel, measured: Measured) -> Panel:
    if not panel.figures or points[panel.figures[0]].processes < 3:
        return panel
    by_size = sorted(
        zip(panel.figures, panel.points, strict=True), key=lambda each: each[1]["bytes"] or 0
    )
    chosen = by_size if len(by_size) <= _FIGURES else [by_size[0], by_size[-1]]
    rows = [_row(place_row(row["curve"], points[index]), points[index], measured)
            for index, row in chosen]  # fmt: skip
    return msgspec.structs.replace(panel, matrix=tuple(row for row in rows if row))


def _row(place: Row, figure: PointSummary, measured: Measured) -> Row | None:
    """Return a row of lists, neighbouring ranks of a large machine together, the slowest shown."""
    columns = measured.pairs(figure)
    if not columns or not len(columns["rank"]):
        return None
    pairs, which = np.unique(
        np.stack([columns["rank"], columns["peer"]]), axis=1, return_inverse=True
    )
    if len(np.unique(pairs)) < 3:
        return None
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.flatnonzero(np.diff(which.ravel()[order])) + 1
    medians = [np.median(part) for part in np.split(columns["seconds"][order], ends)]
    each = -(-figure.processes // _RANKS)
    cells: dict[tuple[int, int], float] = {}
    for (rank, peer), median in zip((pairs // each * each).T.tolist(), medians, strict=True):
        cells[rank, peer] = max(float(median), cells.get((rank, peer), 0.0))
    fastest = min(cells.values())
    return {
        **place,
        "figure": ", ".join(filter(None, (place["curve"], place["size"]))),
        "ranks_a_cell": each,
        "rank": [rank for rank, _ in cells],
        "peer": [peer for _, peer in cells],
        "median_us": [float(f"{median * 1e6:.4g}") for median in cells.values()],
        "relative": [float(f"{median / fastest:.4g}") for median in cells.values()],
    }
