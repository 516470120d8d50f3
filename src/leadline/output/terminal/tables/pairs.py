"""Rate and share of each pair of ranks, by how many pairs talk at once.

The rates of a report on a cluster with Myrinet and Fast Ethernet (Waseda): on a shared medium all
pairs together get what one gets alone, on a crossbar each gets it.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from leadline.core.errors import UserError
from leadline.model.plan import Value
from leadline.model.run import Run
from leadline.model.summary import Analysis, PairShare, PairShares
from leadline.output.table import Cell, Column, Table, table_of
from leadline.output.terminal.fields import to_fields, varying
from leadline.output.terminal.table import RunTable

_FIGURES = (
    Column("bytes"),
    Column("place"),
    Column("pairs"),
    Column("total_MB/s", ".4g"),
    Column("each_MB/s", ".4g"),
    Column("fair_%", ".1f"),
    Column("least_%", ".1f"),
    Column("95_%_interval"),
    Column("of"),
    Column("most_%", ".1f"),
    Column("95_%_interval"),
    Column("of"),
    Column(""),
)


# A pair alone has all.
_NO_OTHER = (None, None, None)


def make(run: Run, analysis: Analysis) -> Table:
    """Return a row for each placement and number of pairs, those of one size below each other.

    Raises `UserError` for a run in which no pairs were timed one by one.
    """
    if not analysis.pairs:
        raise UserError(
            "the table pairs takes a run in which each of several pairs of ranks stops a clock, "
            f"such as `leadline ask crossbar` measures: {run.run} has none"
        )
    names = varying([_fields(analysis, one) for one in analysis.pairs])
    ordered = sorted(analysis.pairs, key=lambda one: _order(analysis, one, names))
    return table_of(
        notes=(
            f"{run.run}: the rate of each pair in the median over pairs, what the least and the "
            "most favoured pair get of all that the pairs move, and the fair share of each, with "
            "intervals over launches. 1 MB/s is 10^6 bytes/s.",
        ),
        columns=(*map(Column, names), *_FIGURES),
        rows=tuple(
            (*(_fields(analysis, one).get(name) for name in names), *_row(analysis, one))
            for one in ordered
        ),
    )


def _fields(analysis: Analysis, one: PairShares) -> dict[str, Value]:
    """Return all that tells figures apart but what has a column of its own."""
    fields = to_fields(analysis.points[one.point])
    return {name: value for name, value in fields.items() if name not in ("bytes", "pairs")}


def _order(analysis: Analysis, one: PairShares, names: Sequence[str]) -> tuple[object, ...]:
    point, fields = analysis.points[one.point], _fields(analysis, one)
    told = tuple(str(fields.get(name, "")) for name in names)
    return (told, point.bytes or 0, point.processes, point.nodes, len(one.pairs))


def _row(analysis: Analysis, one: PairShares) -> tuple[Cell, ...]:
    point = analysis.points[one.point]
    rates = [each.MBps for each in one.pairs if each.MBps]
    least = min(one.pairs, key=lambda pair: pair.share)
    most = max(one.pairs, key=lambda pair: pair.share)
    wrong = "" if point.verified else "NOT VERIFIED"
    return (
        point.bytes,
        f"{point.nodes}x{point.processes_per_node}",
        round(1 / one.fair_share),
        one.total_MBps,
        statistics.median(rates) if rates else None,
        100 * one.fair_share,
        *(_of_pair(least) if len(one.pairs) > 1 else _NO_OTHER),
        *(_of_pair(most) if len(one.pairs) > 1 else _NO_OTHER),
        wrong or ("more processes than cores" if point.oversubscribed else ""),
    )


def _of_pair(pair: PairShare) -> tuple[Cell, ...]:
    interval = "-"
    if pair.share_low is not None and pair.share_high is not None:
        interval = f"{100 * pair.share_low:.1f} - {100 * pair.share_high:.1f}"
    return 100 * pair.share, interval, f"{pair.rank}-{pair.peer}"


TABLE = RunTable(
    name="pairs",
    summary="pairs that talk at once, by placement: the rate of each, the least and largest share",
    make=make,
)
