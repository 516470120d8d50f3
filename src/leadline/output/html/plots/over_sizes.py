"""Plots against message size: times, rates, and what a choice saves."""

from leadline.analysis.compare.matching import Pair, pairs, value_of
from leadline.analysis.verdict.headlines import headlines
from leadline.model.verdict import Headline
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row, place_row
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData

_Curves = dict[str, list[Row]]


def _latency_data(panel: Panel, data: ReportData) -> _Curves | None:
    if len(panel.sizes) < 2:
        return None
    return {"switches": switches(panel, data), "bounds": []}


def switches(panel: Panel, data: ReportData) -> list[Row]:
    """Return the sizes from which the curves of a panel use another protocol."""
    curve_of = panel.curve_of
    return [
        {"curve": curve_of[sweep.points[0]], "bytes": size}
        for sweep in data.analysis.sweeps
        if sweep.points and sweep.points[0] in curve_of
        for size in sweep.switches_bytes
    ]


def _draw_latency(panel: Panel, data: _Curves) -> vl.Specification:
    fields = ("median_us", "ci95_low_us", "ci95_high_us")
    return vl.curve_against_size(panel, data, *fields, "time (µs)", "median (µs)")


LATENCY = Plot(
    name="latency",
    title="Latency against message size",
    shows=(
        "Time of one operation in microseconds, a median where nothing else is said, against "
        "message size, both axes logarithmic. The band, where there is one, is its 95 % interval; "
        "a dashed line stands where another protocol begins; ringed figures are in doubt."
    ),
    data=_latency_data,
    draw=_draw_latency,
)


def _bandwidth_data(panel: Panel, data: ReportData) -> _Curves | None:
    if len({row["bytes"] for row in panel.points if row["bandwidth_MBps"]}) < 2:
        return None
    return {"switches": switches(panel, data), "bounds": _bounds(panel, data)}


def _bounds(panel: Panel, data: ReportData) -> list[Row]:
    if not panel.figures:
        return []
    if data.run.imported is None:
        return _yardsticks(panel, data)
    nodes = data.analysis.points[panel.figures[0]].nodes
    where = "network" if nodes > 1 else "node"
    return [
        {"MBps": bound.value, "source": bound.source or "physical limit"}
        for bound in data.run.imported.bounds
        if bound.quantity == "bandwidth_MBps" and bound.where == where
    ]


def _yardsticks(panel: Panel, data: ReportData) -> list[Row]:
    """Return the rates of the hardware with which the verdict compares figures of a panel."""
    return [
        {
            "MBps": headline.beside.value * (1e3 if headline.unit == "GB/s" else 1),
            "source": f"{headline.beside.text}: {headline.title}",
        }
        for headline in data.once(_headlines)
        if headline.rate
        and headline.beside
        and any(value.point in panel.figures for value in headline.values)
    ]


def _headlines(data: ReportData) -> tuple[Headline, ...]:
    return headlines(data.run, data.analysis)


def _draw_bandwidth(panel: Panel, data: _Curves) -> vl.Specification:
    fields = ("bandwidth_MBps", "bandwidth_low_MBps", "bandwidth_high_MBps")
    return vl.curve_against_size(panel, data, *fields, "bandwidth", "bandwidth (MB/s)")


BANDWIDTH = Plot(
    name="bandwidth",
    title="Bandwidth against message size",
    shows=(
        "Bytes moved by one operation over its time (1 GB/s is 10⁹ bytes a second), against "
        "message size, both axes logarithmic. The band, where there is one, is the 95 % interval; "
        "a dashed line stands where another protocol begins, a level one at a known limit; ringed "
        "figures are in doubt."
    ),
    data=_bandwidth_data,
    draw=_draw_bandwidth,
)


def _pairs(data: ReportData) -> tuple[Pair, ...]:
    return tuple(pairs(data.run, data.analysis.points))


def _improvement_data(panel: Panel, data: ReportData) -> list[Row]:
    if not panel.sizes:
        return []
    curve_of = panel.curve_of
    return [
        _improvement_row(curve_of[pair.other], pair, data)
        for pair in data.once(_pairs)
        if pair.ratio and pair.base in curve_of and pair.other in curve_of
    ]


def _improvement_row(curve: str, pair: Pair, data: ReportData) -> Row:
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


def _draw_improvement(panel: Panel, rows: list[Row]) -> vl.Specification:
    names = list(dict.fromkeys(row["curve"] for row in rows))
    encoding = {
        "x": vl.size_axis(panel.sizes),
        "y": vl.log_axis("speedup", "times faster (above 1) or slower"),
        "color": vl.colour(names),
    }
    interval = vl.spread(
        "rule", encoding, "low", "high", "datum.low > 0", strokeWidth=3, opacity=0.4
    )
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
            vl.layer("line", {**encoding, "detail": {"field": "choices"}}, opacity=0.6),
            vl.symbols(encoding, 60, shape=vl.shape(names), tooltip=words),
        ],
    )


IMPROVEMENT = Plot(
    name="improvement",
    title="Speed-up of each choice over the default",
    shows=(
        "Time with the default choice over time with each other choice, against message size, both "
        "axes logarithmic, with its 95 % interval: above 1 the other choice is faster. Without a "
        "default the first choice of the plan is the base."
    ),
    data=_improvement_data,
    draw=_draw_improvement,
)
