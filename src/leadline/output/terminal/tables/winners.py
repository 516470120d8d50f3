"""The fastest choice of each case beside the default one: one line an operation and size."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.analysis.compare.matching import Pair, others_of, pairs, value_of
from leadline.analysis.stats.comparison import clearly_longer
from leadline.core.errors import UserError
from leadline.core.units import format_bytes, format_seconds, times
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.output.table import Cell, Column, Table, number, table_of, without_empty_columns
from leadline.output.terminal.table import RunTable

_SLOWER, _OPEN = "slower", "open"
# Where the default's name stands in a row.
_DEFAULT = 3


def make(run: Run, analysis: Analysis) -> Table:
    """Return for each case the default choice, the fastest other one, and how much it gains."""
    points = analysis.points
    cases: dict[tuple[object, ...], list[Pair]] = {}
    for pair in pairs(run, points):
        if pair.ratio and points[pair.other].verified and points[pair.base].verified:
            cases.setdefault((pair.base, pair.choice), []).append(pair)
    if not cases:
        raise UserError(
            "the table winners takes a run in which an axis such as algorithm has several values: "
            f"{run.run} has none"
        )
    rows = list(_rows(run, points, cases))
    gains = sum(bool(row[-1]) and _OPEN not in row and _SLOWER not in row for row in rows)
    note = f"Another choice than the default is faster in {gains} of {len(rows)} cases."
    defaults = {str(row[_DEFAULT]) for row in rows}
    known = defaults.pop() if len(defaults) == 1 else ""
    columns = (
        Column("operation", kind="words"),
        Column("MPI"),
        number("size"),
        Column("default"),
        number(known or "time"),
        Column("fastest other"),
        number("time"),
        Column("faster", kind="words"),
        Column("95 % interval"),
    )
    cells = [
        (*row[:_DEFAULT], "" if known else row[_DEFAULT], *row[_DEFAULT + 1 :]) for row in rows
    ]
    return without_empty_columns(table_of(columns, cells, notes=(note,)))


def _rows(
    run: Run, points: tuple[PointSummary, ...], cases: dict[tuple[object, ...], list[Pair]]
) -> Iterator[tuple[Cell, ...]]:
    titles = {benchmark.name: benchmark.title for benchmark in run.benchmarks}
    several = len({point.mpi for point in points}) > 1
    places = len({(point.nodes, point.processes_per_node) for point in points}) > 1
    others = {
        name: len({others_of(points[p.base], p.choice) for own in cases.values() for p in own
                   if points[p.base].benchmark == name}) > 1
        for name in titles
    }  # fmt: skip
    for own in cases.values():
        best = max(own, key=lambda pair: pair.ratio.median if pair.ratio else 0.0)
        base, other = points[best.base], points[best.other]
        words = [titles.get(base.benchmark) or base.benchmark]
        if places:
            words.append(f"{base.nodes}x{base.processes_per_node}")
        if others.get(base.benchmark):
            words.append(others_of(base, best.choice))
        yield (
            " ".join(words),
            base.mpi if several else "",
            "" if base.bytes is None else format_bytes(base.bytes),
            _word(value_of(base, best.choice)),
            format_seconds(base.median_s),
            _word(value_of(other, best.choice)),
            format_seconds(other.median_s),
            *_gain(best),
        )


def _gain(pair: Pair) -> tuple[str, str]:
    """Return how many times faster the other choice is, or what is known, and the interval."""
    ratio = pair.ratio
    if ratio is None or ratio.interval is None:
        return (times(ratio.median) if ratio else _OPEN), ""
    low, high = (times(end).removesuffix("x") for end in ratio.interval)
    ends = f"{low} to {high}"
    if clearly_longer(ratio):
        return times(ratio.median), ends
    return (_SLOWER if ratio.interval[1] < 1 else _OPEN), ends


def _word(value: object) -> str:
    return str(value).replace("_", " ")


TABLE = RunTable(
    name="winners",
    summary="the fastest choice of each case beside the default, and what it gains",
    make=make,
)
