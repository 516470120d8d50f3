"""What each of several pairs gets that talk at once, on every placement of a run."""

from collections import defaultdict
from collections.abc import Iterator

from msgspec.structs import replace

from leadline.core.units import format_bytes
from leadline.model.summary import PairShares
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import (
    MAXIMUM_CURVES,
    Panel,
    Row,
    curve_names,
    definition,
    placement,
)
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData
from leadline.output.html.thinning import spread_out

# What keeps a page near a megabyte.
_PAIRS = 64
_COLUMNS = (
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
    for number, ((benchmark, series, size), every) in enumerate(found.items()):
        if len(every) < 2:
            continue
        names = _names(data, every)
        curves = list(dict.fromkeys(names))
        kept = [curves[at] for at in spread_out(len(curves), MAXIMUM_CURVES)]
        ordered = sorted(
            (each for each in zip(names, every, strict=True) if each[0] in kept),
            key=lambda each: _order(data, each[1]),
        )
        yield Panel(
            identifier=f"pairs-{number}",
            benchmark=benchmark,
            series=series,
            placement=", ".join(dict.fromkeys(placement(points[one.point]) for one in every)),
            title=f"pairs at {format_bytes(size)} on every placement",
            definition=definition(data.run, benchmark, series),
            curves=tuple(kept),
            data={"pair_shares": [row for name, one in ordered for row in _rows(data, name, one)]},
        )


def _names(data: ReportData, every: list[PairShares]) -> list[str]:
    """Return what tells figures apart beside the placement and the number of pairs."""
    points = [data.analysis.points[one.point] for one in every]
    others = [{n: v for n, v in point.axes.items() if n != "pairs"} for point in points]
    return curve_names([replace(p, axes=axes) for p, axes in zip(points, others, strict=True)])


def _order(data: ReportData, one: PairShares) -> tuple[int, int, int]:
    point = data.analysis.points[one.point]
    return point.processes, point.nodes, len(one.pairs)


def _rows(data: ReportData, name: str, one: PairShares) -> Iterator[Row]:
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


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    places = list(dict.fromkeys(row["place"] for row in rows))
    own = {
        "x": vl.name_axis(places, "place"),
        "y": vl.log_axis("MBps", "MB/s of each pair"),
        "color": vl.colour(panel.curves),
    }
    if len(panel.curves) > 1:
        own["xOffset"] = {"field": "curve", "type": "nominal"}
    words = vl.tooltip(
        curve="curve", place="placement", pair="ranks", MBps="MB/s", low="95 % from",
        high="95 % to", share_percent="share (%)", fair_percent="fair share (%)",
        total_MBps="all pairs (MB/s)",
    )  # fmt: skip
    fair = {**own, "y": {**own["y"], "field": "fair_MBps"}}
    interval = vl.spread("rule", own, "low", "high", "datum.low > 0", strokeWidth=3, opacity=0.3)
    return vl.chart(
        rows,
        *_COLUMNS,
        layer=[
            *([interval] if any(row["low"] for row in rows) else []),
            vl.layer("tick", fair, thickness=2, width=36),
            vl.layer("point", {**own, "tooltip": words}, filled=False, size=60, opacity=1),
        ],
    )


PLOT = Plot(
    name="pair_shares",
    order=46,
    title="What each pair gets",
    shows=(
        "A ring for each pair of ranks that talk at once: what it moves a second, with its 95 % "
        "interval over launches where there is one. The bar at each placement is the fair share, "
        "what all pairs move over their number. On a shared medium it falls with the pairs, on a "
        "crossbar it stays."
    ),
    panels=pair_panels,
    draw=_draw,
)
