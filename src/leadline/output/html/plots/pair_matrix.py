"""Which ranks are slow to each other."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from leadline.analysis.samples import PointSamples
from leadline.model.run import Run
from leadline.model.samples import excluding_bits
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row, name_row
from leadline.output.html.plot import Keep, Plot
from leadline.output.html.report_data import ReportData
from leadline.output.html.thinning import sampled_points

_TIMES = ("median_us", "relative")

# A machine whose pairs are all alike shall look so.
_LEAST_RANGE = 1.25
# What keeps a page near a megabyte: figures of a panel, and rows and columns of a matrix.
_FIGURES = 2
_RANKS = 32


def _keep(run: Run, whole_page: bool) -> Keep:
    points = sampled_points(run, _FIGURES)
    excluding = excluding_bits(run.flags)

    def keep(samples: PointSamples) -> Iterator[tuple[int, Row]]:
        point, columns = samples.point, samples.columns
        if point.index not in points or point.placement.processes < 3:
            return
        own = ((columns["flags"] & excluding) == 0) & np.isfinite(columns["seconds"])
        own &= columns["peer"] >= 0
        for index in np.unique(columns["series"][own]).tolist():
            rows = own & (columns["series"] == index)
            pairs = {name: columns[name][rows] for name in ("rank", "peer", "seconds")}
            if found := _median_of_pairs(pairs, point.placement.processes):
                yield index, found

    return keep


def _median_of_pairs(columns: Mapping[str, Any], processes: int) -> Row | None:
    """Return a row of lists, neighbouring ranks of a large machine together, the slowest shown."""
    pairs, which = np.unique(
        np.stack([columns["rank"], columns["peer"]]), axis=1, return_inverse=True
    )
    if len(np.unique(pairs)) < 3:
        return None
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.flatnonzero(np.diff(which.ravel()[order])) + 1
    medians = [np.median(part) for part in np.split(columns["seconds"][order], ends)]
    each = -(-processes // _RANKS)
    cells: dict[tuple[int, int], float] = {}
    for (rank, peer), median in zip((pairs // each * each).T.tolist(), medians, strict=True):
        cells[rank, peer] = max(float(median), cells.get((rank, peer), 0.0))
    fastest = min(cells.values())
    return {
        "ranks_a_cell": each,
        "rank": [rank for rank, _ in cells],
        "peer": [peer for _, peer in cells],
        "median_us": [float(f"{median * 1e6:.4g}") for median in cells.values()],
        "relative": [float(f"{median / fastest:.4g}") for median in cells.values()],
    }


def _data(panel: Panel, data: ReportData) -> list[Row]:
    """Return a row for the smallest and the largest size of which there are pairs."""
    by_size = sorted(panel.row_of.items(), key=lambda each: each[1]["bytes"] or 0)
    rows = [
        {"figure": name_row(row), **kept}
        for index, row in by_size
        if (kept := data.kept.of("pair_matrix", data.analysis.points[index]))
    ]
    return rows if len(rows) <= _FIGURES else [rows[0], rows[-1]]


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    choice = vl.chooser("figure", [row["figure"] for row in rows])
    ranks = sorted({rank for row in rows for rank in (*row["rank"], *row["peer"])})
    slowest = max(_LEAST_RANGE, *(max(row["relative"]) for row in rows))
    own = {"domain": ranks}
    labels = {"labelOverlap": "greedy", "labelAngle": 0, "grid": False}
    return vl.chart(
        rows,
        *("figure", "ranks_a_cell", "rank", "peer", *_TIMES),
        height=max(120, min(420, 26 * len(ranks))),
        params=choice.params,
        transform=[*choice.transform, {"flatten": ["rank", "peer", *_TIMES]}],
        mark={"type": "rect"},
        encoding={
            "x": vl.axis("peer", "partner", own, "ordinal", **labels),
            "y": vl.axis("rank", "rank that stops the clock", own, "ordinal", **labels),
            "color": vl.heat("over the fastest pair", domain=[1, slowest]),
            "tooltip": vl.tooltip(
                rank="rank", peer="partner", median_us="median (µs)",
                relative="over the fastest pair", ranks_a_cell="ranks a cell",
            ),
        },
    )  # fmt: skip


PLOT = Plot(
    name="pair_matrix",
    order=45,
    title="Times between pairs of ranks",
    shows=(
        "Median time of each pair of ranks that exchanged messages over that of the fastest pair, "
        "for the smallest and the largest size. Blocks of one colour are nodes or switches, a "
        "bright row or column is a slow rank. On large machines neighbouring ranks share a cell, "
        "which shows the slowest of them."
    ),
    data=_data,
    draw=_draw,
    keep=_keep,
)
