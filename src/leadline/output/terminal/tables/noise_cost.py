"""How many times as long programs take on more ranks for the noise of their processors."""

from __future__ import annotations

from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.table import Column, Table, table_of
from leadline.output.terminal.table import RunTable
from leadline.output.terminal.tables.noise import figure

_COLUMNS = (
    Column("benchmark"),
    Column("library"),
    Column("place"),
    Column("choices"),
    Column("phase_us", ".0f"),
    Column("ranks"),
    Column("times_as_long", ".3f"),
    Column("low", ".3f"),
    Column("high", ".3f"),
    Column("hit_at_once", ".3f"),
    Column("rests_on"),
)


def make(run: Run, analysis: Analysis) -> Table:
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
        columns=_COLUMNS,
        rows=tuple(rows),
    )


TABLE = RunTable(
    name="noise-cost",
    summary="how many times as long phases take on 2 to a million ranks for the noise",
    make=make,
)
