"""The table of libraries' selections beside our algorithms, from made-up figures."""

import msgspec
import pytest
from launched import figure

from leadline.core.errors import UserError
from leadline.model.plan import Plan
from leadline.model.run import Outcome, Run
from leadline.model.summary import Analysis
from leadline.output.terminal.table import lines
from leadline.output.terminal.tables.choices import selections

RUN = Run(
    run="the-run", leadline="1", plan=Plan(entries=()), started="",
    outcome=Outcome(state="complete"), machine={}, benchmarks=[],
)  # fmt: skip


def one(seconds, algorithm, selector="mpich", size=64, **changes):
    point = figure([seconds], size=size, axes={"bytes": size, "algorithm": algorithm})
    return msgspec.structs.replace(point, knobs={"collective_selector": selector}, **changes)


def test_each_selection_is_held_against_the_fastest_of_ours():
    points = (
        one(3e-6, "ring"), one(2e-6, "bruck"), one(1e-6, "broken", verified=False),
        one(4e-6, "library"), one(2e-6, "library", "ompi"),
        one(1e-6, "ring", size=128), one(9e-6, "library", size=128),
    )  # fmt: skip
    sheet = selections(RUN, Analysis(points=points, sweeps=()))
    assert [column.name for column in sheet.columns][-2:] == ["mpich", "ompi"]
    first, second = (row.cells for row in sheet.rows)
    assert first[2:] == ("64 B", "bruck", pytest.approx(2.0), pytest.approx(2.0), 1.0)
    assert second[2:] == ("128 B", "ring", pytest.approx(1.0), pytest.approx(9.0), None)
    assert "mpich 4.24 (2.00 to 9.00), ompi 1.00 (1.00 to 1.00)" in sheet.notes[1]
    assert lines(sheet)


def test_a_run_without_selections_is_refused():
    with pytest.raises(UserError, match="the plan selections"):
        selections(RUN, Analysis(points=(one(1e-6, "library"),), sweeps=()))
