"""Bandwidth against message size."""

from leadline.analysis.verdict.headlines import headlines
from leadline.model.verdict import Headline
from leadline.output.html import vegalite as vl
from leadline.output.html.panels import Panel, Row
from leadline.output.html.plot import Plot
from leadline.output.html.plots.latency import switches
from leadline.output.html.report_data import ReportData

_Data = dict[str, list[Row]]


def _data(panel: Panel, data: ReportData) -> _Data | None:
    if len({row["bytes"] for row in panel.points if row["bandwidth_MBps"]}) < 2:
        return None
    return {"switches": switches(panel, data), "bounds": _bounds(panel, data)}


def _bounds(panel: Panel, data: ReportData) -> list[Row]:
    """Return the physical limits of rates where the figures of a panel were measured."""
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


def _draw(panel: Panel, data: _Data) -> vl.Specification:
    fields = ("bandwidth_MBps", "bandwidth_low_MBps", "bandwidth_high_MBps")
    return vl.curve_against_size(panel, data, *fields, "bandwidth", "bandwidth (MB/s)")


PLOT = Plot(
    name="bandwidth",
    order=20,
    title="Bandwidth against message size",
    shows=(
        "Bytes moved by one operation over its time (1 GB/s is 10⁹ bytes a second), against "
        "message size, both axes logarithmic. The band, where there is one, is the 95 % interval; "
        "a dashed line stands where another protocol begins, a level one at a known limit; ringed "
        "figures are in doubt."
    ),
    data=_data,
    draw=_draw,
)
