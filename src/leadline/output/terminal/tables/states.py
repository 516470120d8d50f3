"""The figures of a run in each state of the machine that its launches met."""

from __future__ import annotations

from collections.abc import Iterator

from leadline.analysis.compare.matching import names
from leadline.core.errors import UserError
from leadline.core.units import count
from leadline.model.run import Run
from leadline.model.summary import Analysis, StateFigure
from leadline.output.table import Cell, Column, Table, table_of
from leadline.output.terminal.table import RunTable


def make(run: Run, analysis: Analysis) -> Table:
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
        columns=(
            Column("figure"),
            Column("state"),
            Column("cores_apart", ".2g"),
            Column("launches"),
            Column("median_s", ".4g"),
        ),
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


TABLE = RunTable(
    name="states",
    summary="each figure in every state of the machine that its launches met",
    make=make,
)
