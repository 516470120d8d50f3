"""One choice against another, such as an algorithm against the library's own, size by size."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from leadline.analysis.compare.matching import Pair, others_of, pairs, value_of
from leadline.analysis.stats.comparison import Ratio, clearly_longer, time_ratio
from leadline.core.errors import UserError
from leadline.core.units import format_bytes
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.statistic import statistics_text
from leadline.output.table import Cell, Column, Table, table_of
from leadline.output.terminal.table import RunTable
from leadline.output.verdicts import verdicts_text

_COLUMNS = (
    Column("benchmark"),
    Column("library"),
    Column("place"),
    Column("others"),
    Column("choice"),
    Column("bytes"),
    Column("base_microseconds", ".3f"),
    Column("microseconds", ".3f"),
    Column("ratio", ".2f"),
    Column("ratio_low", ".2f"),
    Column("ratio_high", ".2f"),
    Column("improvement_percent", ".1f"),
    Column("percent_low", ".1f"),
    Column("percent_high", ".1f"),
)


def make(run: Run, analysis: Analysis) -> Table:
    """Return each figure beside that of the default choice, and how many times as fast it is."""
    points = analysis.points
    found = list(pairs(run, points))
    if not found:
        raise UserError(
            "the table choices takes a run in which an axis such as algorithm has several values: "
            f"{run.run} has none"
        )
    return table_of(
        notes=tuple(_notes(run, found, points)),
        columns=_COLUMNS,
        rows=tuple((*_curve(pair, points), *_figures(pair, points)) for pair in found),
    )


def _curve(pair: Pair, points: Sequence[PointSummary]) -> tuple[str, ...]:
    other = points[pair.other]
    several = len({point.series for point in points if point.benchmark == other.benchmark}) > 1
    wrong = "" if other.verified and points[pair.base].verified else "NOT VERIFIED"
    others = (other.series if several else "", others_of(other, pair.choice), wrong)
    return (
        other.benchmark,
        other.mpi,
        f"{other.nodes}x{other.processes_per_node}",
        " ".join(filter(None, others)),
        f"{pair.choice}={value_of(other, pair.choice)}",
    )


def _figures(pair: Pair, points: Sequence[PointSummary]) -> tuple[Cell, ...]:
    base, other = points[pair.base], points[pair.other]
    ratio = _with_ends(pair.ratio) if pair.ratio else (None, None, None)
    improvement = pair.improvement or (None, None, None)
    return (other.bytes, base.median_s * 1e6, other.median_s * 1e6, *ratio, *improvement)


def _with_ends(ratio: Ratio) -> tuple[float | None, ...]:
    return (ratio.median, *(ratio.interval or (None, None)))


def _notes(run: Run, found: Sequence[Pair], points: Sequence[PointSummary]) -> Iterator[str]:
    bases = dict.fromkeys(f"{p.choice}={value_of(points[p.base], p.choice)}" for p in found)
    over = "" if run.imported else f" over {run.plan.launches} launches"
    yield (
        f"{run.run}: {statistics_text(points)}{over}. ratio: how many times as long "
        f"{' or '.join(bases)} takes, with its 95 % interval. improvement: the part of that time "
        "that is saved."
    )
    curves: dict[tuple[str, ...], list[Pair]] = {}
    for pair in found:
        if pair.ratio:
            curves.setdefault(_curve(pair, points), []).append(pair)
    for curve, members in curves.items():
        ratios = {
            points[pair.other].bytes or 0: pair.ratio.median for pair in members if pair.ratio
        }
        if len(ratios) > 1:
            least = min(ratios, key=ratios.__getitem__)
            yield (
                f"{' '.join(filter(None, curve))}: geometric mean over {len(ratios)} sizes "
                f"{statistics.geometric_mean(ratios.values()):.2f}, smallest "
                f"{ratios[least]:.2f} at {format_bytes(least)}; "
                f"{verdicts_text(_verdicts(members, points))}"
            )


def _verdicts(members: Sequence[Pair], points: Sequence[PointSummary]) -> dict[int, str]:
    """Return by size whether the choice is clearly faster or slower than the default one."""
    found = {}
    for pair in members:
        shorter = time_ratio(points[pair.other], points[pair.base])
        if pair.ratio and shorter:
            clear = "faster" if clearly_longer(pair.ratio) else "cannot tell"
            found[points[pair.other].bytes or 0] = "slower" if clearly_longer(shorter) else clear
    return found


TABLE = RunTable(
    name="choices",
    summary="times by choice, such as the algorithm, and their ratio to the default's",
    make=make,
)
