"""The tables of a page: all that a chart shows as text, and what an import holds."""

from __future__ import annotations

from collections.abc import Sequence

from leadline.core.units import format_bytes, format_figure, format_measured
from leadline.model.imported import Import
from leadline.model.summary import Analysis, PointSummary, Sweep
from leadline.output.html.panels import Panel, curve_names, doubt
from leadline.output.run_tables import published_tables
from leadline.output.table import Column, Row, Table, number, without_empty_columns, words

_GLANCE = (
    Column("Benchmark", kind="name"),
    number("Latency (µs)"),
    Column("at size", kind="number spare"),
    number("Best (GB/s)"),
    Column("at size", kind="number spare"),
    number("r∞ (GB/s)"),
    number("n½"),
    Column("Switches at", kind="words"),
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
            "One row a curve: the time of its smallest size, and the highest rate it reached. "
            "1 GB/s is 10⁹ bytes a second. r∞ is the asymptotic bandwidth, n½ the size that "
            "reaches half of it (Hockney).",
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
    library = curve if points[0].mpi in curve else f"{points[0].mpi}, {curve}"
    series = panel.series.replace("_", " ")
    return Row(
        (
            panel.benchmark,
            _time(smallest),
            format_bytes(smallest.bytes),
            _rate(fastest, 1e-3) if rate else "-",
            format_bytes(fastest.bytes if rate else None),
            format_measured(sweep.asymptotic_MBps if sweep else None, None, None, 1e-3),
            format_bytes(sweep.half_size_bytes if sweep else None),
            ", ".join(map(format_bytes, sweep.switches_bytes)) if sweep else "",
            ", ".join(sorted({doubt(point) for point in points} - {""})),
        ),
        link=panel.identifier,
        under=f"{series} on {panel.placement}, {library}",
    )


# A quantile with fewer samples beyond it is the maximum by another name.
_BEYOND = 10

_FIGURES = (
    *(Column("Curve"), *map(number, ("#", "Size", "Time")), Column("Statistic")),
    *map(number, ("95 % from", "95 % to", "p90", "p99", "Min", "Max", "Mean", "MB/s")),
    *map(number, ("Samples", "Set aside", "Launches")),
    *map(Column, ("Stopped by", "In doubt", "Flags", "Metrics")),
)


def figures(analysis: Analysis, panel: Panel) -> Table | None:
    """Return a row for every figure of the panel, None where it has none of its own."""
    if not panel.figures:
        return None
    points = [analysis.points[index] for index in panel.figures]
    return without_empty_columns(
        Table(
            f"{panel.benchmark}, {panel.title}: times in microseconds, bandwidth in MB/s (10⁶ "
            "bytes a second), with the digits that the interval bears. p90 and p99 need ten "
            "samples beyond them. Set aside: repetitions left out of the statistics for a late "
            "start or wrong data. Flags: how many repetitions carry each.",
            _FIGURES,
            tuple(
                _figure_row(index, curve, point)
                for index, curve, point in zip(
                    panel.figures, curve_names(points), points, strict=True
                )
            ),
        )
    )


def _time(point: PointSummary) -> str:
    return format_measured(point.median_s, point.ci95_low_s, point.ci95_high_s, 1e6)


def _rate(point: PointSummary, factor: float = 1) -> str:
    """Return the bandwidth with the digits that the interval of the time bears."""
    rate, low, high = point.bandwidth_MBps, point.ci95_low_s, point.ci95_high_s
    if rate is None or not low or not high:
        return format_measured(rate, None, None, factor)
    return format_measured(rate, rate * point.median_s / high, rate * point.median_s / low, factor)


def _short(seconds: float | None) -> str:
    return format_measured(seconds, None, None, 1e6)


def _quantile(point: PointSummary, seconds: float | None, share: float) -> str:
    """Return a quantile in microseconds, `-` where fewer than ten samples lie beyond it."""
    return _short(seconds) if point.samples * (1 - share) >= _BEYOND else "-"


def _figure_row(index: int, curve: str, point: PointSummary) -> Row:
    doubtful = doubt(point)
    cells = (
        curve,
        str(index + 1),
        format_bytes(point.bytes),
        _time(point),
        point.statistic if point.statistic != "median" else "",
        _short(point.ci95_low_s),
        _short(point.ci95_high_s),
        _quantile(point, point.p90_s, 0.90),
        _quantile(point, point.p99_s, 0.99),
        _short(point.min_s),
        _short(point.max_s),
        _short(point.mean_s),
        _rate(point),
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


def origin(imported: Import) -> list[tuple[str, str]]:
    """Return where the figures are from, as names and texts."""
    return [
        (name, value)
        for name, value in (
            ("program", imported.program),
            ("published in", imported.source),
            ("measured", imported.when),
            ("files", ", ".join(imported.files)),
        )
        if value
    ]


def import_sheets(imported: Import) -> list[Table]:
    """Return the tables of an import: what its files leave open, known limits, published tables."""
    return [*_remarks(imported), *_bounds(imported), *published_tables(imported)]


def _remarks(imported: Import) -> list[Table]:
    rows = tuple(
        Row((f"{remark.file}:{remark.line}" if remark.line else remark.file, remark.text))
        for remark in imported.remarks
    )
    return (
        [Table("What the files leave open", (Column("Where"), words("What")), rows)] if rows else []
    )


def _bounds(imported: Import) -> list[Table]:
    where = {"node": "within a node", "network": "between nodes"}
    rows = tuple(
        Row(
            (
                bound.quantity.replace("_MBps", " (MB/s)").replace("_s", " (s)"),
                where[bound.where],
                format_figure(bound.value),
                bound.source or "-",
            )
        )
        for bound in imported.bounds
    )
    headings = (Column("Limit"), Column("Where"), number("At"), words("Stated by"))
    return [Table("Physical limits", headings, rows)] if rows else []
