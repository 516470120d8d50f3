"""Plots of pairs of ranks: which are slow to each other, and what each gets."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from msgspec.structs import replace

from leadline.analysis.samples import PointSamples
from leadline.core.units import format_bytes
from leadline.model.run import Run
from leadline.model.samples import excluding_bits
from leadline.model.summary import PairShares
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import (
    MAXIMUM_CURVES,
    Panel,
    Row,
    curve_names,
    name_row,
    panel_of,
    placement,
)
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import Keep, ReportData, sampled_points, spread_out

_TIMES = ("median_us", "relative")

# A machine whose pairs are all alike shall look so.
_LEAST_RANGE = 1.25
# What keeps a page near a megabyte: figures of a panel, and rows and columns of a matrix.
_FIGURES = 2
_RANKS = 32


def _keep_pair_matrix(run: Run, whole_page: bool) -> Keep:
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


def _pair_matrix_data(panel: Panel, data: ReportData) -> list[Row]:
    """Return a row for the smallest and the largest size of which there are pairs."""
    by_size = sorted(panel.row_of.items(), key=lambda each: each[1]["bytes"] or 0)
    rows = [
        {"figure": name_row(row), **kept}
        for index, row in by_size
        if (kept := data.kept.of("pair_matrix", data.analysis.points[index]))
    ]
    return rows if len(rows) <= _FIGURES else [rows[0], rows[-1]]


def _draw_pair_matrix(panel: Panel, rows: list[Row]) -> vl.Specification:
    choice = vl.chooser("figure", [row["figure"] for row in rows])
    ranks = sorted({rank for row in rows for rank in (*row["rank"], *row["peer"])})
    slowest = max(_LEAST_RANGE, *(max(row["relative"]) for row in rows))
    encoding = {"domain": ranks}
    labels = {"labelOverlap": "greedy", "labelAngle": 0, "grid": False}
    return vl.chart(
        rows,
        *("figure", "ranks_a_cell", "rank", "peer", *_TIMES),
        height=max(120, min(420, 26 * len(ranks))),
        params=choice.params,
        transform=[*choice.transform, {"flatten": ["rank", "peer", *_TIMES]}],
        mark={"type": "rect"},
        encoding={
            "x": vl.axis("peer", "partner", encoding, "ordinal", **labels),
            "y": vl.axis("rank", "rank that stops the clock", encoding, "ordinal", **labels),
            "color": vl.heat("over the fastest pair", domain=[1, slowest]),
            "tooltip": vl.tooltip(
                rank="rank", peer="partner", median_us="median (µs)",
                relative="over the fastest pair", ranks_a_cell="ranks a cell",
            ),
        },
    )  # fmt: skip


PAIR_MATRIX = Plot(
    name="pair_matrix",
    title="Times between pairs of ranks",
    shows=(
        "Median time of each pair of ranks that exchanged messages over that of the fastest pair, "
        "for the smallest and the largest size. Blocks of one colour are nodes or switches, a "
        "bright row or column is a slow rank. On large machines neighbouring ranks share a cell, "
        "which shows the slowest of them."
    ),
    data=_pair_matrix_data,
    draw=_draw_pair_matrix,
    keep=_keep_pair_matrix,
)


# What keeps a page near a megabyte.
_PAIRS = 64
_SHARE_COLUMNS = (
    "curve", "place", "pair", "MBps", "low", "high", "fair_MBps", "share_percent",
    "fair_percent", "total_MBps",
)  # fmt: skip


def pair_panels(data: ReportData) -> Iterator[Panel]:
    """Yield a panel for each size that pairs on several placements, or several pairs, moved."""
    points = data.analysis.points
    found: dict[tuple[str, str, int | None], list[PairShares]] = defaultdict(list)
    for one in data.analysis.pairs:
        if one.total_MBps:
            point = points[one.point]
            found[point.benchmark, point.series, point.bytes].append(one)
    for number, ((*_, size), every) in enumerate(found.items()):
        if len(every) < 2:
            continue
        names = _pair_shares_names(data, every)
        curves = list(dict.fromkeys(names))
        kept = [curves[at] for at in spread_out(len(curves), MAXIMUM_CURVES)]
        ordered = sorted(
            (each for each in zip(names, every, strict=True) if each[0] in kept),
            key=lambda each: _order(data, each[1]),
        )
        yield panel_of(
            data.run,
            f"pairs-{number}",
            f"pairs at {format_bytes(size)} on every placement",
            [points[one.point] for one in every],
            curves=tuple(kept),
            data={
                "pair_shares": [
                    row for name, one in ordered for row in _pair_shares_rows(data, name, one)
                ]
            },
        )


def _pair_shares_names(data: ReportData, every: list[PairShares]) -> list[str]:
    points = [data.analysis.points[one.point] for one in every]
    others = [{n: v for n, v in point.axes.items() if n != "pairs"} for point in points]
    return curve_names([replace(p, axes=axes) for p, axes in zip(points, others, strict=True)])


def _order(data: ReportData, one: PairShares) -> tuple[int, int, int]:
    point = data.analysis.points[one.point]
    return point.processes, point.nodes, len(one.pairs)


def _pair_shares_rows(data: ReportData, name: str, one: PairShares) -> Iterator[Row]:
    count = round(1 / one.fair_share)
    place = f"{placement(data.analysis.points[one.point])}, {count} pair{'s' * (count > 1)}"
    total = one.total_MBps or 0.0
    for at in spread_out(len(one.pairs), _PAIRS):
        pair = one.pairs[at]
        yield {
            "curve": name,
            "place": place,
            "pair": f"{pair.rank}-{pair.peer}",
            "MBps": pair.share * total,
            "low": None if pair.share_low is None else pair.share_low * total,
            "high": None if pair.share_high is None else pair.share_high * total,
            "fair_MBps": one.fair_share * total,
            "share_percent": 100 * pair.share,
            "fair_percent": 100 * one.fair_share,
            "total_MBps": total,
        }


def _draw_pair_shares(panel: Panel, rows: list[Row]) -> vl.Specification:
    places = list(dict.fromkeys(row["place"] for row in rows))
    encoding = {
        "x": vl.name_axis(places, "place"),
        "y": vl.log_axis("MBps", "MB/s of each pair"),
        "color": vl.colour(panel.curves),
    }
    if len(panel.curves) > 1:
        encoding["xOffset"] = {"field": "curve", "type": "nominal"}
    words = vl.tooltip(
        curve="curve", place="placement", pair="ranks", MBps="MB/s", low="95 % from",
        high="95 % to", share_percent="share (%)", fair_percent="fair share (%)",
        total_MBps="all pairs (MB/s)",
    )  # fmt: skip
    fair = {**encoding, "y": {**encoding["y"], "field": "fair_MBps"}}
    interval = vl.spread(
        "rule", encoding, "low", "high", "datum.low > 0", strokeWidth=3, opacity=0.3
    )
    return vl.chart(
        rows,
        *_SHARE_COLUMNS,
        layer=[
            *([interval] if any(row["low"] for row in rows) else []),
            vl.layer("tick", fair, thickness=2, width=36),
            vl.layer("point", {**encoding, "tooltip": words}, filled=False, size=60, opacity=1),
        ],
    )


PAIR_SHARES = Plot(
    name="pair_shares",
    title="What each pair gets",
    shows=(
        "A ring for each pair of ranks that talk at once: what it moves a second, with its 95 % "
        "interval over launches where there is one. The bar at each placement is the fair share, "
        "what all pairs move over their number. On a shared medium it falls with the pairs, on a "
        "crossbar it stays."
    ),
    panels=pair_panels,
    draw=_draw_pair_shares,
)
