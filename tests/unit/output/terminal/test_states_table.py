"""The table of figures in each state of the machine."""

import msgspec
import pytest
from example_run import example_run
from launched import figure

from leadline.core.errors import UserError
from leadline.model.summary import Analysis, StateFigure
from leadline.output.terminal.tables.disturbances import states


def made(*figures):
    return states(example_run(), Analysis(points=figures, sweeps=()))


def test_a_figure_has_a_row_for_each_state():
    found = (
        StateFigure(state=0, times=1.0, launches=(0, 2), median_s=1.0),
        StateFigure(state=1, times=3.1, launches=(1,), median_s=3.0),
        StateFigure(state=None, times=None, launches=(3,), median_s=2.0),
    )
    several = msgspec.structs.replace(figure([1.0, 3.0, 1.0, 2.0]), states=found)
    table = made(several, figure([1.0], size=16))
    assert [row.cells[0] for row in table.rows] == ["family/thing at 8 B"] * 3
    assert [row.cells[1] for row in table.rows] == ["fastest", "slow 1", "changed, or not known"]
    assert [row.cells[3] for row in table.rows] == [f"{n} of 4 launches" for n in (2, 1, 1)]
    assert "3.1" in str(table.rows[1].cells[2])


def test_a_run_in_one_state_has_no_such_table():
    with pytest.raises(UserError, match="several states"):
        made(figure([1.0, 1.1]))
