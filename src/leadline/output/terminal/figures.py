"""The figures of a run for people: a table for each curve."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from leadline.core.units import format_bytes, format_figure
from leadline.model.run import variant
from leadline.model.summary import PointSummary, Sweep
from leadline.output.table import Column, Row, Table, number, without_empty_columns, words
from leadline.output.terminal.table import Drawn
from leadline.output.terminal.text import printable
from leadline.output.words import interval_text, time_unit

_BAR = 12
# A curve of more sizes is shown at those that tell; people compare these with other machines.
_FEW_SIZES = 8
_COMPARED = (8, 2**20)
# A flag on fewer samples than this fraction moves no quantile that is shown.
_FLAG_FRACTION = 0.01


def groups(points: Sequence[PointSummary]) -> list[list[PointSummary]]:
    """Return the figures that differ in size alone together, in the order of the run."""
    found: dict[tuple[str, ...], list[PointSummary]] = {}
    for point in points:
        chosen = variant(point.axes, point.conditions)
        where = f"{point.nodes}x{point.processes_per_node}"
        key = (point.benchmark, point.series, chosen, point.mpi, where)
        found.setdefault(key, []).append(point)
    return list(found.values())


def print_group(
    console: Console, points: Sequence[PointSummary], sweeps: Sequence[Sweep], *, full: bool
) -> None:
    """Print the figures of one curve: of the sizes that tell, or with `full` of all."""
    first = points[0]
    chosen = variant(first.axes, first.conditions)
    title = Text(first.benchmark, style="bold")
    title.append(f" {first.series.replace('_', ' ')}", style="not bold")
    where = f"{first.nodes}x{first.processes_per_node}"
    starts = sorted({start for point in points for start in point.starts})
    began = f"started {' or '.join(starts)}".replace("_", " ") if starts else ""
    details = " · ".join(filter(None, (first.mpi, where, chosen.replace(",", ", "), began)))
    console.print()
    console.print(title)
    console.print(Text(printable(details), style="dim"))
    shown = points if full else _telling(points, sweeps)
    console.print(Drawn(_table(shown, bars=not console.options.ascii_only), ruled=False))
    if len(shown) < len(points):
        console.print(f"{len(points) - len(shown)} more sizes: --full", style="dim")


def _telling(points: Sequence[PointSummary], sweeps: Sequence[Sweep]) -> list[PointSummary]:
    """Return the figures of the sizes that tell a curve, all of them where they are few.

    The smallest and the largest, 8 B and 1 MiB, both sides of each protocol switch, and the best.
    """
    ordered = sorted(points, key=lambda point: point.bytes or 0)
    if len(ordered) <= _FEW_SIZES:
        return ordered
    sizes = [point.bytes or 0 for point in ordered]
    first = ordered[0]
    wanted = {sizes[0], sizes[-1], *_COMPARED}
    for sweep in sweeps:
        if (sweep.benchmark, sweep.series, sweep.mpi) == (
            first.benchmark,
            first.series,
            first.mpi,
        ):
            wanted.add(sweep.best_size_bytes or 0)
            for switch in sweep.switches_bytes:
                wanted |= {switch, max((s for s in sizes if s < switch), default=0)}
    return [point for point in ordered if (point.bytes or 0) in wanted]


def _table(points: Sequence[PointSummary], bars: bool) -> Table:
    """Return the figures as a table, by size, with bars of the rate where these can be drawn.

    Without room the bars go first, then what describes the tail of the times.
    """
    unit, factor = time_unit(points)
    counted = any(point.message_rate_per_s is not None for point in points)
    fastest = max((point.bandwidth_MBps or 0.0 for point in points), default=0.0)
    bars = bars and len(points) > 1 and fastest > 0 and not counted
    columns = (
        number("bytes"),
        number(f"{_statistic(points)} {unit}"),
        number(f"95 % interval {unit}"),
        _spare(f"p99 {unit}", 2),
        _spare(f"max {unit}", 3),
        number("MB/s"),
        number("messages/s"),
        Column("", spare=4),
        _spare("samples", 1),
        words("flags"),
    )
    rows = (
        Row(
            (
                format_bytes(point.bytes),
                format_figure(point.median_s, factor),
                interval_text(point.ci95_low_s, point.ci95_high_s, factor),
                format_figure(point.p99_s, factor),
                format_figure(point.max_s, factor),
                format_figure(point.bandwidth_MBps),
                format_figure(point.message_rate_per_s),
                _bar((point.bandwidth_MBps or 0.0) / fastest) if bars else "",
                str(point.samples or "-"),
                ", ".join(_marks(point)),
            ),
            style=_style(point),
        )
        for point in sorted(points, key=lambda point: point.bytes or 0)
    )
    return without_empty_columns(Table("", columns, tuple(rows)), kept=0)


def _spare(name: str, rank: int) -> Column:
    return Column(name, kind="number", spare=rank)


def _style(point: PointSummary) -> str:
    if not point.verified:
        return "red"
    return "yellow" if point.oversubscribed or point.misplaced else ""


def _statistic(points: Sequence[PointSummary]) -> str:
    names = {"single": "time"}
    kinds = {names.get(point.statistic, point.statistic) for point in points}
    return kinds.pop() if len(kinds) == 1 else "time"


def _bar(fraction: float) -> str:
    eighths = round(fraction * _BAR * 8)
    return "█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths % 8 else "")


def _marks(point: PointSummary) -> list[str]:
    wrong = f"WRONG: {', '.join(point.failed_trials)}" if point.failed_trials else "WRONG DATA"
    marks = [] if point.verified else [wrong]
    if point.oversubscribed:
        marks.append("OVERSUBSCRIBED")
    if point.misplaced:
        marks.append("MISPLACED")
    taken = point.samples + point.excluded
    for name, flagged in point.flags.items():
        if taken and flagged / taken >= _FLAG_FRACTION:
            marks.append(f"{name.replace('_', ' ')} {flagged / taken:.0%}")
    return marks
