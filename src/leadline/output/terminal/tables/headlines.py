"""The headline figures of a run: a row each, a column for each MPI."""

from leadline.analysis.verdict import verdict_of
from leadline.core.errors import UserError
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.table import Table
from leadline.output.terminal.table import RunTable
from leadline.output.terminal.verdict import table_of


def make(run: Run, analysis: Analysis) -> Table:
    """Return the headlines with half the width of each value's interval, and a comparison."""
    found = verdict_of(run, analysis).headlines
    if not found:
        raise UserError(f"the table headlines takes a run with figures: {run.run} has none")
    return table_of(found)


TABLE = RunTable(
    name="headlines",
    summary="one line a quantity, one column an MPI, and what the best is compared with",
    make=make,
)
