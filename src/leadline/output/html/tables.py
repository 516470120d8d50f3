"""The tables of figures: all that a chart shows, as text."""

from collections.abc import Sequence

from leadline.core.units import format_bytes, format_figure
from leadline.model.summary import Analysis, PointSummary, Sweep
from leadline.output.html.panels import Panel, curve_names, doubt
from leadline.output.table import Column, Row, Table, number, without_empty_columns

_GLANCE = (
    Column("Benchmark"),
    Column("Series"),
    Column("Where"),
    Column("Curve"),
    number("Latency (µs)"),
    number("at size"),
    number("Best (MB/s)"),
    number("at size"),
    number("r∞ (MB/s)"),
    number("n½"),
    Column("Switches at"),
    Column("In doubt"),
)


def glance(analysis: Analysis, panels: Sequence[Panel]) -> Table:
    """Return one row a curve: what a reader wants to know first."""
    sweeps = {sweep.points[0]: sweep for sweep in analysis.sweeps if sweep.points}
    rows = []
    for panel in panels:
        curve_of = [row["curve"] for row in panel.points]
        for curve in dict.fromkeys(curve_of):
            own = [
                analysis.points[index]
                for index, name in zip(panel.figures, curve_of, strict=True)
                if name == curve
            ]
            first = panel.figures[curve_of.index(curve)]
            rows.append(_glance_row(panel, curve, own, sweeps.get(first)))
    return without_empty_columns(
        Table(
            "One row a curve: time of its smallest size, and the largest rate it reached. MB/s is "
            "10⁶ bytes a second. r∞ is the asymptotic bandwidth and n½ the size that reaches half "
            "of it (Hockney).",
            _GLANCE,
            tuple(rows),
        )
    )


def _glance_row(
    panel: Panel, curve: str, points: Sequence[PointSummary], sweep: Sweep | None
) -> Row:
    smallest = min(points, key=lambda point: point.bytes or 0)
    fastest = max(points, key=lambda point: point.bandwidth_MBps or 0)
    rate = fastest.bandwidth_MBps
    return Row(
        (
            panel.benchmark,
            panel.series.replace("_", " "),
            panel.placement,
            curve if points[0].mpi in curve else f"{points[0].mpi}, {curve}",
            format_figure(smallest.median_s, 1e6),
            format_bytes(smallest.bytes),
            format_figure(rate),
            format_bytes(fastest.bytes if rate else None),
            format_figure(sweep.asymptotic_MBps if sweep else None),
            format_bytes(sweep.half_size_bytes if sweep else None),
            ", ".join(map(format_bytes, sweep.switches_bytes)) if sweep else "",
            ", ".join(sorted({doubt(point) for point in points} - {""})),
        ),
        link=panel.identifier,
    )


_FIGURES = (
    Column("Curve"),
    number("#"),
    number("Size"),
    number("Time"),
    Column("Statistic"),
    number("95 % from"),
    number("95 % to"),
    number("p90"),
    number("p99"),
    number("Min"),
    number("Max"),
    number("Mean"),
    number("MB/s"),
    number("Samples"),
    number("Set aside"),
    number("Launches"),
    Column("Stopped by"),
    Column("In doubt"),
    Column("Flags"),
    Column("Metrics"),
)


def figures(analysis: Analysis, panel: Panel) -> Table | None:
    """Return a row for every figure of the panel, None where it has none of its own."""
    if not panel.figures:
        return None
    points = [analysis.points[index] for index in panel.figures]
    return without_empty_columns(
        Table(
            f"{panel.benchmark}, {panel.title}: times in microseconds, bandwidth in MB/s (10⁶ "
            "bytes a second). Set aside: repetitions left out of the statistics for a late start "
            "or wrong data. Flags: how many repetitions carry each.",
            _FIGURES,
            tuple(
                _figure_row(index, curve, point)
                for index, curve, point in zip(
                    panel.figures, curve_names(points), points, strict=True
                )
            ),
        )
    )


def _figure_row(index: int, curve: str, point: PointSummary) -> Row:
    doubtful = doubt(point)
    cells = (
        curve,
        str(index + 1),
        format_bytes(point.bytes),
        format_figure(point.median_s, 1e6),
        point.statistic if point.statistic != "median" else "",
        format_figure(point.ci95_low_s, 1e6),
        format_figure(point.ci95_high_s, 1e6),
        format_figure(point.p90_s, 1e6),
        format_figure(point.p99_s, 1e6),
        format_figure(point.min_s, 1e6),
        format_figure(point.max_s, 1e6),
        format_figure(point.mean_s, 1e6),
        format_figure(point.bandwidth_MBps),
        str(point.samples or ""),
        str(point.excluded or ""),
        str(point.launches),
        point.stopped_by,
        doubtful,
        ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in point.flags.items() if n),
        ", ".join(
            f"{name} {format_figure(value, padded=False)}" for name, value in point.metrics.items()
        ),
    )
    return Row(cells, identifier=f"figure-{index}", classes="doubt" if doubtful else "")
