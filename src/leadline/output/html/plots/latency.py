"""Median time against message size."""

from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row
from leadline.output.html.plot import Plot
from leadline.output.html.report_data import ReportData

_Data = dict[str, list[Row]]


def _data(panel: Panel, data: ReportData) -> _Data | None:
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


def _draw(panel: Panel, data: _Data) -> vl.Specification:
    fields = ("median_us", "ci95_low_us", "ci95_high_us")
    return vl.curve_against_size(panel, data, *fields, "time (µs)", "median (µs)")


PLOT = Plot(
    name="latency",
    order=10,
    title="Latency against message size",
    shows=(
        "Time of one operation in microseconds, a median where nothing else is said, against "
        "message size, both axes logarithmic. The band, where there is one, is its 95 % interval; "
        "a dashed line stands where another protocol begins; ringed figures are in doubt."
    ),
    data=_data,
    draw=_draw,
)
