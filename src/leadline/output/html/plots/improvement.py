"""What a choice saves against another, by message size."""

from leadline.analysis.compare.choices import Pair, pairs, value_of
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row, place_row
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData

# What takes twice as long or more: how much more is for the other charts.
_FLOOR = -100.0


def _pairs(data: ReportData) -> tuple[Pair, ...]:
    return tuple(pairs(data.run, data.analysis.points))


def _data(panel: Panel, data: ReportData) -> list[Row]:
    if not panel.sizes:
        return []
    curve_of = panel.curve_of
    return [
        _row(curve_of[pair.other], pair, data)
        for pair in data.once(_pairs)
        if pair.improvement and pair.base in curve_of and pair.other in curve_of
    ]


def _row(curve: str, pair: Pair, data: ReportData) -> Row:
    base, other = (data.analysis.points[index] for index in (pair.base, pair.other))
    percent, low, high = pair.improvement or (0.0, 0.0, 0.0)
    values = [f"{pair.choice}={value_of(point, pair.choice)}" for point in (other, base)]
    return {
        **place_row(curve, other),
        "choices": " against ".join(values),
        "percent": percent,
        "low": low,
        "high": high,
    }


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    names = list(dict.fromkeys(row["curve"] for row in rows))
    ends = [row[end] for row in rows for end in ("percent", "low", "high")]
    known = [end for end in ends if end is not None]
    scale = {
        "domain": [max(_FLOOR, min(0.0, *known)), max(0.0, *known)], "clamp": True, "nice": True,
    }  # fmt: skip
    own = {
        "x": vl.size_axis(panel.sizes),
        "y": vl.axis("percent", "time saved (%)", scale, format="d"),
        "color": vl.colour(names),
    }
    interval = vl.spread(
        "rule", own, "low", "high", "isValid(datum.low)", strokeWidth=3, opacity=0.4
    )  # fmt: skip
    words = vl.tooltip(
        choices="what", curve="curve", size="size", percent="time saved (%)",
        low="95 % from (%)", high="95 % to (%)",
    )  # fmt: skip
    return vl.chart(
        rows,
        *("curve", "bytes", "size", "choices", "percent", "low", "high"),
        layer=[
            vl.level(0),
            *([interval] if any(row["low"] is not None for row in rows) else []),
            vl.layer("line", {**own, "detail": {"field": "choices"}}, opacity=0.6),
            vl.symbols(own, 60, shape=vl.shape(names), tooltip=words),
        ],
    )


PLOT = Plot(
    name="improvement",
    order=25,
    title="What a choice saves",
    shows=(
        "By how many percent of the default choice's time each other choice is shorter, against "
        "message size, with its 95 % interval: above zero it is faster, and what takes twice as "
        "long or more stands at the edge. Without a default the first choice of the plan takes its "
        "place."
    ),
    data=_data,
    draw=_draw,
)
