"""One run against another."""

from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row
from leadline.output.html.plot import Plot

_SHORT_RANGE = 8


def _draw(panel: Panel, rows: list[Row]) -> vl.Specification:
    """Return the chart of the rows that `comparison_panels` makes."""
    curves = list(dict.fromkeys(row["curve"] for row in rows))
    sizes = sorted({row["bytes"] for row in rows if row["bytes"] is not None})
    by_size = len(sizes) > 1
    along, across, end = ("y", "x", "y2") if by_size else ("x", "y", "x2")
    ratio = _axis(rows)
    own = {
        across: vl.size_axis(sizes) if by_size else vl.name_axis(curves),
        along: ratio,
        "color": vl.colour(curves) if by_size else {**vl.colour(curves), "legend": None},
    }
    same = [{"from": row["same_from"], "to": row["same_to"]} for row in rows[:1]]
    band = {along: {**ratio, "field": "from"}, end: {"field": "to"}}
    ends = {**own, along: {**ratio, "field": "low"}, end: {"field": "high"}}
    interval = vl.layer("rule", ends, "datum.low > 0", strokeWidth=3, opacity=0.45)
    words = vl.tooltip(
        curve="curve", size="size", ratio="ratio", low="95 % from", high="95 % to",
        base_us="first (µs)", other_us="second (µs)", verdict="verdict",
    )  # fmt: skip
    shapes = {**vl.shape(curves), "legend": own["color"]["legend"]}
    return vl.chart(
        rows,
        *("curve", "bytes", "size", "ratio", "low", "high", "verdict", "base_us", "other_us"),
        height=280 if by_size else max(80, 44 * len(curves)),
        layer=[
            vl.layer("rect", band, rows=same, opacity=0.14, style="reference"),
            *([interval] if any(row["low"] for row in rows) else []),
            *([vl.layer("line", own, opacity=0.6)] if by_size else []),
            vl.symbols(own, 60, shape=shapes, tooltip=words),
        ],
    )


def _axis(rows: list[Row]) -> vl.Specification:
    """Return the axis of ratios: a logarithmic one has too few labels over a short range."""
    ends = [row[end] for row in rows for end in ("ratio", "low", "high") if row[end]]
    axis = vl.log_axis("ratio", "time over that of the first run")
    if max(ends) / min(ends) < _SHORT_RANGE:
        axis["scale"] = {"zero": False, "nice": False, "padding": 10}
    return axis


PLOT = Plot(
    name="ratio",
    order=5,
    title="One against the other",
    shows=(
        "Time of the second run over time of the first, with the 95 % interval of the ratio. Below "
        "one the second run is faster. What lies in the band counts as the same."
    ),
    draw=_draw,
)
