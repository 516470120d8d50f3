"""Figures that belong on one chart: the tables that every plot draws from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from leadline.analysis.compare.choices import Pair, pairs, value_of
from leadline.core.units import format_bytes
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary, Sweep

Row = dict[str, Any]

# More curves than the palette has colours cannot be told apart.
MAXIMUM_CURVES = 8


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """One series of a benchmark on one placement, as rows of a table each.

    Every row names its `curve` and, where the benchmark has sizes, `bytes` and the text `size`.
    Times are in microseconds, rates in 10^6 bytes/s.

    points: one row a figure (median, interval, quantiles, rate, `mark` when in doubt).
    launches: one row a figure: `launch` and `median_us` are lists of one length, `figure_us` is
        the median of all launches.
    samples: one row a distribution: `time_us`, ascending, and `share` are lists of one length,
        `drawn` of `samples`. The share is Hazen's, (rank + 1/2) / samples with ranks from 0, so
        that the slowest sample has a place too.
    switches: the sizes from which another protocol is used.
    calls: one row a figure: `call`, `maximum_us`, `average_us`, `rank` (the slowest) and `cause`
        are lists of one length.
    map: one row a figure: `rank`, `call` and `relative` (longest time over the rank's median) are
        lists of one length.
    tasks: one row a number of tasks: `maximum_us` with `low_us` and `high_us` where it is
        predicted, with `average_us` where it is measured, which `kind` says.
    spectra: one row a figure: `frequency_hz` and `power` of its detours are lists of one length.
    periods: one row a period of a figure: `at_hz`, `period_ms`, `duration_us`, `source`.
    costs: one row a figure, a `phase` and a number of `tasks`: `slowdown` with `low` and `high`,
        and the `reach` of that.
    gains: one row a figure beside that of another choice in the panel: `percent` with `low` and
        `high` is what the time is shorter, and `choices` names both.
    residuals: one row a figure: by what `percent`, from `low` to `high`, its time is above the
        straight line `line_us` that latency and asymptotic bandwidth make.
    strips: one row a figure: `repetition`, `launch` and `time_us` are lists of one length, in the
        order measured, `drawn` of `samples`.
    matrix: one row a figure: `rank`, `peer`, `median_us` and `relative` (over the fastest pair) are
        lists of one length.
    scaling: one row a number of processes: `speedup` over the fewest, with `low` and `high`.
    bounds: physical limits: `MBps` and what states it, `source`.
    generations: one row a machine of a published table: `machine`, `year`, `value`, `trend`.
    ratios: one row a figure of two runs: `ratio` with `low` and `high`, and the `verdict`.
    rates: one row a figure of a way to compute: `amount` of the `axis`, `Mflops` from `low_Mflops`
        to `high_Mflops`, `percent` of the bound, `mark` when in doubt and whether `wrong`.
    roofs: one row a size: the `Mflops` that the bound `by` a benchmark allows at an `amount`.
    levels: one row a cache: its name and size, `level`, and the `amount` that fills it.
    figures: indices into the analysis' points, in the order of `points`.
    """

    identifier: str
    benchmark: str
    series: str
    placement: str
    title: str
    definition: str
    curves: tuple[str, ...]
    figures: tuple[int, ...]
    points: tuple[Row, ...]
    launches: tuple[Row, ...]
    switches: tuple[Row, ...]
    samples: tuple[Row, ...] = ()
    calls: tuple[Row, ...] = ()
    map: tuple[Row, ...] = ()
    tasks: tuple[Row, ...] = ()
    spectra: tuple[Row, ...] = ()
    periods: tuple[Row, ...] = ()
    costs: tuple[Row, ...] = ()
    gains: tuple[Row, ...] = ()
    residuals: tuple[Row, ...] = ()
    strips: tuple[Row, ...] = ()
    matrix: tuple[Row, ...] = ()
    scaling: tuple[Row, ...] = ()
    bounds: tuple[Row, ...] = ()
    generations: tuple[Row, ...] = ()
    ratios: tuple[Row, ...] = ()
    rates: tuple[Row, ...] = ()
    roofs: tuple[Row, ...] = ()
    levels: tuple[Row, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """The message sizes in the panel, ascending."""
        return tuple(sorted({row["bytes"] for row in self.points if row["bytes"] is not None}))


def panels(run: Run, analysis: Analysis) -> tuple[Panel, ...]:
    """Return the panels of a run in the order of its figures, without their samples."""
    groups: dict[tuple[str, str, str], list[int]] = {}
    for index, point in enumerate(analysis.points):
        groups.setdefault((point.benchmark, point.series, placement(point)), []).append(index)
    compared = tuple(pairs(run, analysis.points))
    parts = [(key, *part) for key, group in groups.items() for part in _split(analysis, group)]
    return tuple(
        _panel(run, analysis, f"panel-{number}", key, part, suffix, compared)
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
    compared: Sequence[Pair],
) -> Panel:
    benchmark, series, where = key
    points = [analysis.points[index] for index in group]
    names = curve_names(points)
    curve_of = dict(zip(group, names, strict=True))
    named = list(zip(names, points, strict=True))
    return Panel(
        identifier=identifier,
        benchmark=benchmark,
        series=series,
        placement=where,
        title=f"{series.replace('_', ' ')} on {where}{suffix}",
        definition=definition(run, benchmark, series),
        curves=tuple(dict.fromkeys(names)),
        figures=tuple(group),
        points=tuple(point_row(curve, point) for curve, point in named),
        launches=tuple(_launch_row(curve, point) for curve, point in named),
        switches=tuple(
            {"curve": curve_of[sweep.points[0]], "bytes": size}
            for sweep in analysis.sweeps
            if sweep.points and sweep.points[0] in curve_of
            for size in sweep.switches_bytes
        ),
        gains=tuple(
            _gain_row(curve_of[pair.other], pair, analysis.points)
            for pair in compared
            if pair.improvement and pair.base in curve_of and pair.other in curve_of
        ),
        residuals=tuple(
            row
            for sweep in analysis.sweeps
            if sweep.points and sweep.points[0] in curve_of and sweep.asymptotic_MBps
            for row in _residual_rows(curve_of, sweep, analysis.points)
        ),
        bounds=_bounds(run, points[0]),
    )


def _bounds(run: Run, point: PointSummary) -> tuple[Row, ...]:
    where = "network" if point.nodes > 1 else "node"
    known = run.imported.bounds if run.imported else ()
    return tuple(
        {"MBps": bound.value, "source": bound.source or "physical limit"}
        for bound in known
        if bound.quantity == "bandwidth_MBps" and bound.where == where
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


def _gain_row(curve: str, pair: Pair, points: Sequence[PointSummary]) -> Row:
    base, other = points[pair.base], points[pair.other]
    percent, low, high = pair.improvement or (0.0, 0.0, 0.0)
    values = [f"{pair.choice}={value_of(point, pair.choice)}" for point in (other, base)]
    return {
        **place_row(curve, other),
        "choices": " against ".join(values),
        "percent": percent,
        "low": low,
        "high": high,
    }


def _residual_rows(
    curve_of: Mapping[int, str], sweep: Sweep, points: Sequence[PointSummary]
) -> Iterator[Row]:
    """Yield what Hockney's line, latency and bytes over asymptotic bandwidth, leaves over."""
    for index in sweep.points:
        point = points[index]
        moved_us = (
            (point.bandwidth_MBps or 0.0) * point.median_s * 1e6 / (sweep.asymptotic_MBps or 1)
        )
        line_us = sweep.latency_s * 1e6 + moved_us
        if line_us > 0:
            low, high = point.interval or (None, None)
            yield {
                **place_row(curve_of.get(index, ""), point),
                "line_us": line_us,
                "median_us": point.median_s * 1e6,
                "percent": _above(point.median_s, line_us),
                "low": _above(low, line_us),
                "high": _above(high, line_us),
            }


def _above(seconds: float | None, line_us: float) -> float | None:
    return None if seconds is None else (seconds * 1e6 / line_us - 1) * 100


def _launch_row(curve: str, point: PointSummary) -> Row:
    return {
        **place_row(curve, point),
        "figure_us": point.median_s * 1e6,
        "launch": list(range(1, len(point.launch_medians_s) + 1)),
        "median_us": [median_s * 1e6 for median_s in point.launch_medians_s],
    }
