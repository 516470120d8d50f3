"""Figures that belong on one chart."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from leadline.core.units import format_bytes
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary

Row = dict[str, Any]

# More curves than the palette has colours cannot be told apart.
MAXIMUM_CURVES = 8


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """Figures that belong together, such as those of one series of a benchmark on one placement.

    points: one row a figure: on which `curve`, of how many `bytes`, as text its `size`, and median,
        interval, quantiles (in microseconds), rate (in 10^6 bytes/s), `mark` when in doubt.
    figures: indices into the analysis' points, in the order of `points`; none where the figures are
        not those of one run.
    data: what the plots draw on the panel, by the name of the plot.
    """

    identifier: str
    benchmark: str
    series: str
    placement: str
    title: str
    definition: str
    curves: tuple[str, ...]
    figures: tuple[int, ...] = ()
    points: tuple[Row, ...] = ()
    data: Mapping[str, Any] = {}

    @property
    def sizes(self) -> tuple[int, ...]:
        """The message sizes in the panel, ascending."""
        return tuple(sorted({row["bytes"] for row in self.points if row["bytes"] is not None}))

    @property
    def row_of(self) -> dict[int, Row]:
        """The row of each figure, by its index."""
        return dict(zip(self.figures, self.points, strict=bool(self.figures)))

    @property
    def curve_of(self) -> dict[int, str]:
        """The curve of each figure, by its index."""
        return {index: row["curve"] for index, row in self.row_of.items()}

    def names(self) -> dict[int, str]:
        """Return the text that tells each figure, by its index, from the others of the panel."""
        return {index: name_row(row) for index, row in self.row_of.items()}


def name_row(row: Row) -> str:
    """Return the text that tells a row's figure from the others of its panel."""
    return ", ".join(filter(None, (row["curve"], row["size"])))


def panels(run: Run, analysis: Analysis) -> tuple[Panel, ...]:
    """Return the panels of a run in the order of its figures, without what plots draw on them."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for index, point in enumerate(analysis.points):
        groups.setdefault((point.benchmark, point.series, placement(point)), []).append(index)
    parts = [(key, *part) for key, group in groups.items() for part in _split(analysis, group)]
    return tuple(
        _panel(run, analysis, f"panel-{number}", key, part, suffix)
        for number, (key, part, suffix) in enumerate(parts)
    )


def placement(point: PointSummary) -> str:
    """Return the placement of a figure as `NODESxPROCESSES_PER_NODE`."""
    return f"{point.nodes}x{point.processes_per_node}"


def choices(point: PointSummary) -> dict[str, str]:
    """Return every axis and setting but the size, and whether it is simulated, as text."""
    named = {**point.axes, **point.conditions, **({"simulated": "yes"} if point.simulated else {})}
    return {name: str(named[name]) for name in sorted(named) if name != "bytes"}


def curve_names(points: Sequence[PointSummary]) -> list[str]:
    """Return the curve that each figure lies on, named by what differs between `points`."""
    every = [{"mpi": point.mpi, **choices(point)} for point in points]
    names = list(dict.fromkeys(name for chosen in every for name in chosen))
    varying = [name for name in names if len({chosen.get(name) for chosen in every}) > 1]
    return [
        ", ".join(
            chosen[name] if name == "mpi" else f"{name}={chosen[name]}"
            for name in varying or ["mpi"]
            if name in chosen
        )
        for chosen in every
    ]


def doubt(point: PointSummary) -> str:
    """Return why a figure must not be trusted as it stands, or an empty text."""
    reasons = (
        ("wrong data", not point.verified),
        ("oversubscribed", point.oversubscribed),
        ("misplaced", point.misplaced),
    )
    return ", ".join(reason for reason, holds in reasons if holds)


def _split(analysis: Analysis, group: list[int]) -> list[tuple[list[int], str]]:
    """Return parts of a group that have few enough curves, with what their titles add."""
    names = curve_names([analysis.points[index] for index in group])
    curves = list(dict.fromkeys(names))
    if len(curves) <= MAXIMUM_CURVES:
        return [(group, "")]
    libraries = list(dict.fromkeys(analysis.points[index].mpi for index in group))
    if len(libraries) > 1:
        parts = []
        for mpi in libraries:
            own = [index for index in group if analysis.points[index].mpi == mpi]
            parts += [(part, f", {mpi}{rest}") for part, rest in _split(analysis, own)]
        return parts
    chunks = [
        set(curves[start : start + MAXIMUM_CURVES])
        for start in range(0, len(curves), MAXIMUM_CURVES)
    ]
    return [
        (
            [index for index, name in zip(group, names, strict=True) if name in chunk],
            f", part {number} of {len(chunks)}",
        )
        for number, chunk in enumerate(chunks, 1)
    ]


def _panel(
    run: Run,
    analysis: Analysis,
    identifier: str,
    key: tuple[str, str, str],
    group: list[int],
    suffix: str,
) -> Panel:
    benchmark, series, where = key
    points = [analysis.points[index] for index in group]
    names = curve_names(points)
    return Panel(
        identifier=identifier,
        benchmark=benchmark,
        series=series,
        placement=where,
        title=f"{series.replace('_', ' ')} on {where}{suffix}",
        definition=definition(run, benchmark, series),
        curves=tuple(dict.fromkeys(names)),
        figures=tuple(group),
        points=tuple(map(point_row, names, points)),
    )


def panel_of(
    run: Run, identifier: str, title: str, points: Sequence[PointSummary], **fields: Any
) -> Panel:
    """Return a panel that a plot makes of figures of one series, on all of their placements."""
    first = points[0]
    return Panel(
        identifier=identifier,
        benchmark=first.benchmark,
        series=first.series,
        placement=", ".join(dict.fromkeys(map(placement, points))),
        title=title,
        definition=definition(run, first.benchmark, first.series),
        **fields,
    )


def definition(run: Run, benchmark: str, series: str) -> str:
    """Return what the benchmark says that a series means."""
    for known in run.benchmarks:
        if known.name == benchmark:
            return next((each.definition for each in known.series if each.name == series), "")
    return ""


def place_row(curve: str, point: PointSummary) -> Row:
    """Return the part that every row of a panel has: where on which curve."""
    size = "" if point.bytes is None else format_bytes(point.bytes)
    return {"curve": curve, "bytes": point.bytes, "size": size}


def point_row(curve: str, point: PointSummary) -> Row:
    """Return the row of a figure on `curve` in the table `points`."""

    def rate(seconds: float | None) -> float | None:
        if point.bandwidth_MBps is None or seconds is None or seconds <= 0:
            return None
        return point.bandwidth_MBps * point.median_s / seconds

    return {
        **place_row(curve, point),
        "median_us": point.median_s * 1e6,
        "ci95_low_us": microseconds(point.ci95_low_s),
        "ci95_high_us": microseconds(point.ci95_high_s),
        "p99_us": microseconds(point.p99_s),
        "max_us": microseconds(point.max_s),
        "bandwidth_MBps": point.bandwidth_MBps,
        "bandwidth_low_MBps": rate(point.ci95_high_s),
        "bandwidth_high_MBps": rate(point.ci95_low_s),
        "samples": point.samples,
        "mark": doubt(point),
    }


def microseconds(seconds: float | None) -> float | None:
    """Return seconds in microseconds, None for none."""
    return None if seconds is None else seconds * 1e6
