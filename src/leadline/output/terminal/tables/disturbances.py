"""Tables of what disturbs: noise and its cost, neighbours, states of the machine."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.analysis.compare.matching import names
from leadline.core.errors import UserError
from leadline.core.units import count, format_seconds
from leadline.model.noise import Noise
from leadline.model.run import Run, variant
from leadline.model.summary import Analysis, Impact, PointSummary, StateFigure
from leadline.output.table import Cell, Table, columns, table_of
from leadline.output.terminal.tables.fields import place

_NOISE_COLUMNS = columns(
    "benchmark, library, place, choices, rank, quantum_us .2f, lost_percent .2f, "
    "in_detours_percent .2f, detours_per_s .0f, median_us .1f, p99_us .1f, longest_us .0f"
)


def noise(run: Run, analysis: Analysis) -> Table:
    """Return a row for each rank of each figure whose calls came in a row."""
    if not analysis.noise:
        raise UserError(
            "the table noise takes a run of calls that were timed one by one in a row, as those of "
            f"work alone are: {run.run} has none"
        )
    rows = [
        (*figure(analysis.points[noise.point]), *cells)
        for noise in analysis.noise
        for cells in _ranks(noise)
    ]
    return table_of(
        notes=(
            "Lost is what calls took beyond one that nothing disturbed, over the time spent in "
            "calls; detours are stretches of calls that took longer than those around them.",
            *_periods(analysis),
        ),
        columns=_NOISE_COLUMNS,
        rows=tuple(rows),
    )


def figure(point: PointSummary) -> tuple[str, str, str, str]:
    """Return what tells a figure from others: benchmark, library, placement and its choices."""
    return point.benchmark, point.mpi, place(point), variant(point.axes, {}).replace(",", " ")


def _ranks(noise: Noise) -> Iterator[tuple[Cell, ...]]:
    for rank in sorted(noise.ranks, key=lambda one: one.rank):
        durations = (rank.detour_median_s, rank.detour_p99_s, rank.detour_max_s)
        yield (
            rank.rank,
            rank.quantum_s * 1e6,
            rank.lost_fraction * 100,
            rank.detours_fraction * 100,
            rank.detours_per_s,
            *(None if each is None else each * 1e6 for each in durations),
        )


def _periods(analysis: Analysis) -> Iterator[str]:
    for noise in analysis.noise:
        periods = "; ".join(
            f"{format_seconds(period.period_s)} ({period.source or 'unknown'}, "
            f"{format_seconds(period.duration_s)} each, {period.lost_fraction * 100:.2g} %)"
            for period in noise.periods
        )
        words = " ".join(figure(analysis.points[noise.point]))
        yield f"Periods in {words}: {periods or 'none'}"


_NOISE_COST_COLUMNS = columns(
    "benchmark, library, place, choices, phase_us .0f, ranks, times_as_long .3f, low .3f, "
    "high .3f, hit_at_once .3f, rests_on"
)


def noise_cost(run: Run, analysis: Analysis) -> Table:
    """Return a row for each length of a phase and number of ranks, of figures of work alone."""
    rows = [
        (
            *figure(analysis.points[noise.point]),
            cost.phase_s * 1e6,
            cost.tasks,
            cost.slowdown,
            cost.ci95_low,
            cost.ci95_high,
            cost.together_slowdown,
            cost.reach,
        )
        for noise in analysis.noise
        for cost in noise.costs
    ]
    if not rows:
        raise UserError(
            "the table noise-cost takes a run of work alone, such as that of the benchmark of "
            f"noise: {run.run} has none"
        )
    return table_of(
        notes=(
            "Ranks compute for a phase, then wait for the slowest. They are hit independently; "
            "hit_at_once is for noise that always hits all of them. What rests on samples was seen "
            "as often, on a tail up to a tenth as often; beyond is a lower bound.",
        ),
        columns=_NOISE_COST_COLUMNS,
        rows=tuple(rows),
    )


_IMPACT_COLUMNS = columns(
    "victim, bytes, neighbour, spacer, its_MB/s .1f, alone_us .2f, disturbed_us .2f, median .2f, "
    "95_%_interval, p99 .2f, 95_%_interval"
)


def impact(run: Run, analysis: Analysis) -> Table:
    """Return a row for each victim beside each neighbour and spacer."""
    if not analysis.impacts:
        raise UserError(
            "the table impact takes a run in which something ran beside what was measured, and "
            f"nothing did: {run.run} has no such figures (`leadline run BENCHMARK --place 4x1 "
            "--victims 2 --neighbour none,alltoall`)"
        )
    return table_of(
        notes=(
            "Impact of neighbours: how many times as long the victim takes as alone, in the median "
            "and in the 99th percentile, launch by launch, with intervals over launches. its MB/s: "
            "what the neighbour moved itself.",
        ),
        columns=_IMPACT_COLUMNS,
        rows=tuple(_row(analysis, impact) for impact in analysis.impacts),
    )


def _row(analysis: Analysis, impact: Impact) -> tuple[Cell, ...]:
    alone, disturbed = analysis.points[impact.alone], analysis.points[impact.disturbed]
    several = len({point.series for point in analysis.points}) > 1
    return (
        f"{alone.benchmark} {alone.series}" if several else alone.benchmark,
        alone.bytes,
        impact.neighbour,
        impact.spacer,
        impact.neighbour_MBps,
        alone.median_s * 1e6,
        disturbed.median_s * 1e6,
        impact.median_ratio,
        _interval(impact.median_low, impact.median_high),
        impact.p99_ratio,
        _interval(impact.p99_low, impact.p99_high),
    )


def _interval(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{low:.2f} - {high:.2f}"


def states(run: Run, analysis: Analysis) -> Table:
    """Return a row for each state of each figure that has several.

    Raises `UserError` where launches met one state, or where no yardstick tells.
    """
    if not any(point.states for point in analysis.points):
        raise UserError(
            f"the table states takes a run whose launches met several states of the machine: "
            f"{run.run} has no such figures"
        )
    return table_of(
        notes=(
            f"{run.run}: medians over the launches that met each state of the machine, as its "
            "yardsticks show. The first of each figure is the one that all other tables have.",
        ),
        columns=columns("figure, state, cores_apart .2g, launches, median_s .4g"),
        rows=tuple(_rows(analysis)),
    )


def _rows(analysis: Analysis) -> Iterator[tuple[Cell, ...]]:
    for name, point in zip(names(analysis.points, {}), analysis.points, strict=True):
        for each in point.states:
            yield (
                name,
                _word(each),
                each.times,
                f"{len(each.launches)} of {count(len(point.launch_medians_s), 'launch')}",
                each.median_s,
            )


def _word(state: StateFigure) -> str:
    if state.state is None:
        return "changed, or not known"
    return "fastest" if state.state == 0 else f"slow {state.state}"
