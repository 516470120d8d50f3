"""The summary of a run for people: findings first, then a table for each group of figures."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from leadline.analysis.compare.interference import interference_text
from leadline.analysis.results.rates import Race, races
from leadline.core.units import count, format_bytes, format_figure, format_seconds
from leadline.model.run import Run, variant
from leadline.model.summary import Analysis, Finding, PointSummary
from leadline.output.missing import missing_table
from leadline.output.published import published_tables
from leadline.output.table import Column, Row, Table, number, without_empty_columns, words
from leadline.output.terminal.table import Drawn, lines
from leadline.output.terminal.tables.impact import make as impact
from leadline.output.terminal.tables.kernels import sheet
from leadline.output.terminal.tables.published import make as published
from leadline.output.terminal.text import printable

if TYPE_CHECKING:
    from rich.console import Console

_SEVERITY = {"problem": "bold red", "notice": "yellow", "fact": "cyan"}
_WIDEST = 100
_BAR = 12
_ALIKE = 2
# Of ways to compute the same, so many at so many sizes; all of them are a table of their own.
_WAYS_OF_A_RACE, _SIZES_OF_A_RACE = 16, 4
# A flag on fewer samples than this fraction moves no quantile that is shown.
_FLAG_FRACTION = 0.01


def print_summary(run: Run, analysis: Analysis, file: TextIO | None = None) -> None:
    """Print how the run ended, its findings and its figures on `file` (default: stdout).

    At most 100 columns wide; in colour only on a terminal, and not where NO_COLOR is set.
    """
    from rich.text import Text

    console = console_for(file)
    print_head(console, run, analysis)
    print_findings(console, analysis.findings)
    print_missing(console, analysis)
    for there, table in ((analysis.published, published), (analysis.impacts, impact)):
        if there:
            console.print()
            for line in lines(table(run, analysis)):
                console.print(line, markup=False, soft_wrap=True)
    for facts in published_tables(run.imported) if run.imported else ():
        console.print()
        console.print(Text(printable(facts.caption), style="bold"))
        console.print(Drawn(facts._replace(caption=""), ruled=False))
    raced = races(run, analysis.points)
    own = {index for race in raced for way in race.ways.values() for index in way.values()}
    for points in groups([each for at, each in enumerate(analysis.points) if at not in own]):
        _print_group(console, points)
    for race in raced:
        _print_race(console, run, race, analysis.points)


def console_for(file: TextIO | None) -> Console:
    """Return a console on `file` (default: stdout), at most 100 columns wide."""
    from rich.console import Console

    if reconfigure := getattr(file or sys.stdout, "reconfigure", None):
        # A stream that cannot write a character of a finding must not lose the summary.
        reconfigure(errors="replace")
    probe = Console(file=file)
    return Console(
        file=file,
        highlight=False,
        width=min(_WIDEST, probe.width if probe.is_terminal else _columns()),
        no_color=True if os.environ.get("NO_COLOR") else None,
    )


def groups(points: Sequence[PointSummary]) -> list[list[PointSummary]]:
    """Return the figures that differ in size alone together, in the order of the run."""
    found: dict[tuple[str, ...], list[PointSummary]] = {}
    for point in points:
        chosen = variant(point.axes, point.conditions)
        where = f"{point.nodes}x{point.processes_per_node}"
        key = (point.benchmark, point.series, chosen, point.mpi, where)
        found.setdefault(key, []).append(point)
    return list(found.values())


def _columns() -> int:
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdigit() and int(columns) > 0 else _WIDEST


def _rank(finding: Finding) -> int:
    order = list(_SEVERITY)
    return order.index(finding.severity) if finding.severity in order else len(order)


def print_head(console: Console, run: Run, analysis: Analysis) -> None:
    """Print which run this is, where it ran and how it ended."""
    from rich.text import Text

    names = dict.fromkeys(point.mpi for point in analysis.points)
    where = dict.fromkeys(f"{p.nodes}x{p.processes_per_node}" for p in analysis.points)
    parts = [
        run.run,
        str(run.machine.get("host", "")),
        ", ".join(names),
        ", ".join(where),
        f"from {run.imported.program or 'tables'}"
        if run.imported
        else count(len(run.launches), "launch"),
        run.outcome.state,
        f"simulated on {run.platform.name}" if run.platform else "",
    ]
    console.print(Text(printable(" · ".join(filter(None, parts))), style="bold"))
    if run.outcome.message:
        console.print(Text(printable(run.outcome.message), style="red"))
    if clocks := _clocks_of_nodes(run):
        console.print(Text(clocks, style="dim"))
    if company := interference_text(run):
        console.print(Text(printable(f"others were there: {company}"), style="yellow"))


def _clocks_of_nodes(run: Run) -> str:
    """Return how well nodes know each other's clocks, the worst of all launches, or nothing."""
    clocks = [each.clock for each in run.launches if each.clock and not each.clock.shared]
    if not clocks:
        return ""
    bound = format_seconds(max(clock.sync_error_s for clock in clocks))
    tested = [
        clock.sync_tested_error_s for clock in clocks if clock.sync_tested_error_s is not None
    ]
    known = f"; tested on one kernel, it is {format_seconds(max(tested))}" if tested else ""
    return f"error between the nodes' clocks: at most {bound}{known}"


def print_findings(
    console: Console,
    findings: Sequence[Finding],
    alike: int = _ALIKE,
    rest: str = "see the report or --json",
) -> None:
    """Print problems first; of a kind that repeats itself, the first few and how many more.

    `rest` says where the others are.
    """
    kinds: dict[tuple[int, str], list[Finding]] = {}
    for finding in findings:
        kinds.setdefault((_rank(finding), finding.kind), []).append(finding)
    for (_, kind), same in sorted(kinds.items(), key=lambda item: item[0][0]):
        for finding in same[:alike]:
            print_finding(console, finding)
        if len(same) > alike:
            more = f"  and {len(same) - alike} more of this kind ({kind.replace('_', ' ')})"
            console.print(f"{more}: {rest}", style="dim", markup=False)


def print_finding(console: Console, finding: Finding) -> None:
    """Print a finding and its advice after an empty line."""
    from rich.padding import Padding
    from rich.text import Text

    words = Text(f"{finding.severity}: ", style=_SEVERITY.get(finding.severity, ""))
    words.append(printable(finding.text), style="not bold default")
    console.print()
    console.print(words)
    if finding.advice:
        console.print(Padding(Text(printable(f"→ {finding.advice}")), (0, 0, 0, 2), expand=False))


def print_missing(console: Console, analysis: Analysis) -> None:
    """Print the planned points that have no figure, each with its reason."""
    from rich.text import Text

    if analysis.missing:
        table = missing_table(analysis.missing)
        console.print()
        console.print(Text(table.caption, style="bold"))
        console.print(Drawn(table._replace(caption=""), ruled=False))


def _print_race(console: Console, run: Run, race: Race, points: Sequence[PointSummary]) -> None:
    """Print the ways to compute the same, the best ones, and how many more there are."""
    from rich.text import Text

    whole = sheet(run, [race], points, _SIZES_OF_A_RACE)
    shown = [
        row._replace(style="" if row.cells[-1] == "right" else "red")
        for row in whole.rows[:_WAYS_OF_A_RACE]
    ]
    console.print()
    console.print(Text(race.benchmark.name, style="bold"))
    console.print(Text(whole.notes[0], style="dim"))
    console.print(Drawn(whole._replace(rows=tuple(shown)), ruled=False))
    if len(whole.rows) > len(shown):
        more = f"and {len(whole.rows) - len(shown)} more ways: leadline show RUN --as kernels"
        console.print(Text(more, style="dim"))


def _print_group(console: Console, points: Sequence[PointSummary]) -> None:
    from rich.text import Text

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
    console.print(Drawn(_table(points, bars=not console.options.ascii_only), ruled=False))


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


def interval_text(low: float | None, high: float | None, factor: float = 1, none: str = "-") -> str:
    """Return the ends of an interval times `factor`, and `none` where there is none."""
    if low is None or high is None:
        return none
    return f"{format_figure(low, factor)} - {format_figure(high, factor)}"


def _statistic(points: Sequence[PointSummary]) -> str:
    """Return what the figures are: a median, but of other programs often a mean."""
    names = {"single": "time"}
    kinds = {names.get(point.statistic, point.statistic) for point in points}
    return kinds.pop() if len(kinds) == 1 else "time"


def time_unit(points: Iterable[PointSummary]) -> tuple[str, float]:
    """Return the unit in which all medians are readable, and what seconds are multiplied by."""
    smallest = min((point.median_s for point in points), default=0.0)
    return ("s", 1.0) if smallest >= 1 else ("ms", 1e3) if smallest >= 1e-3 else ("us", 1e6)


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
