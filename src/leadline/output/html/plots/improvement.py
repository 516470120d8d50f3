"""What a choice saves against another, by message size."""

from leadline.analysis.compare.matching import Pair, pairs, value_of
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row, place_row
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData


def _pairs(data: ReportData) -> tuple[Pair, ...]:
    return tuple(pairs(data.run, data.analysis.points))


def _data(panel: Panel, data: ReportData) -> list[Row]:
    if not panel.sizes:
        return []
    curve_of = panel.curve_of
    return [
        _row(curve_of[pair.other], pair, data)
        for pair in data.once(_pairs)
        if pair.ratio and pair.base in curve_of and pair.other in curve_of
    ]


def _row(curve: str, pair: Pair, data: ReportData) -> Row:
    base, other = (data.analysis.points[index] for index in (pair.base, pair.other))
    values = [f"{pair.choice}={value_of(point, pair.choice)}" for point in (other, base)]
    low, high = (pair.ratio and pair.ratio.interval) or (None, None)
    return {
        **place_row(curve, other),
        "choices": " against ".join(values),
        "speedup": pair.ratio and pair.ratio.median,
        "low": low,
        "high": high,
    }


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    names = list(dict.fromkeys(row["curve"] for row in rows))
    own = {
        "x": vl.size_axis(panel.sizes),
        "y": vl.log_axis("speedup", "times faster (above 1) or slower"),
        "color": vl.colour(names),
    }
    interval = vl.spread("rule", own, "low", "high", "datum.low > 0", strokeWidth=3, opacity=0.4)
    words = vl.tooltip(
        choices="choices", curve="curve", size="size", speedup="speed-up", low="95 % from",
        high="95 % to",
    )  # fmt: skip
    return vl.chart(
        rows,
        *("curve", "bytes", "size", "choices", "speedup", "low", "high"),
        layer=[
            vl.level(1),
            *([interval] if any(row["low"] for row in rows) else []),
            vl.layer("line", {**own, "detail": {"field": "choices"}}, opacity=0.6),
            vl.symbols(own, 60, shape=vl.shape(names), tooltip=words),
        ],
    )


PLOT = Plot(
    name="improvement",
    order=25,
    title="Speed-up of each choice over the default",
    shows=(
        "Time with the default choice over time with each other choice, against message size, both "
        "axes logarithmic, with its 95 % interval: above 1 the other choice is faster. Without a "
        "default the first choice of the plan is the base."
    ),
    data=_data,
    draw=_draw,
)
