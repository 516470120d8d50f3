"""The table of what a recorded program's calls take."""

import msgspec
import pytest
from example_run import example_run
from launched import figure

from leadline.analysis.results.published import replay
from leadline.core.errors import UserError
from leadline.model.published import Program, ProgramCalls
from leadline.model.summary import Analysis
from leadline.output.terminal.table import lines
from leadline.output.terminal.tables.programs import program

OF = {"benchmark": "family/thing", "bytes": 64, "processes": 2, "nodes": 1}
PROGRAM = Program(
    name="app", ranks=2, mpi="first",
    calls=(ProgramCalls(call="MPI_Thing", calls=2000, seconds=3.0, of=OF),),
)  # fmt: skip


def shown(*figures):
    table = program(
        example_run(), Analysis(points=figures, sweeps=(), replayed=replay(PROGRAM, figures))
    )
    return table, " ".join(" ".join(lines(table)).split())


def test_the_answer_is_a_total_for_each_mpi_and_the_fastest():
    table, text = shown(figure([1e-3] * 6, size=64), figure([1.5e-3] * 6, size=64, mpi="second"))
    assert "The calls of app take 1.00 s (1.00 s to 1.00 s) with first, 1.50 s" in text
    assert "first is the fastest: 1.5x faster than second." in text
    assert "In the program with first they took 1.50 s without waiting" in text
    assert [row.cells for row in table.rows] == [
        ("MPI_Thing", "2", "64 B", "2000", "1.50 s", "1.00 s", "1.50 s"),
        ("all", "", "", "", "1.50 s", "1.00 s", "1.50 s"),
    ]


def test_where_intervals_overlap_none_is_the_fastest():
    wide = [1e-3 * each for each in (1, 1.2, 1.4, 1.6, 1.8, 2)]
    _, text = shown(figure(wide, size=64), figure([1.5e-3] * 6, size=64, mpi="second"))
    assert "Which is the fastest is not sure" in text and "is the fastest:" not in text


def test_what_was_not_measured_has_no_total():
    wrong = msgspec.structs.replace(figure([1e-3], size=64), verified=False)
    table, text = shown(wrong)
    assert "No total with first: 1 figure of 1 not measured." in text
    assert table.rows[-1].cells[-1] == "-"


def test_a_run_of_another_plan_is_refused():
    with pytest.raises(UserError, match="explain --replay"):
        program(example_run(), Analysis(points=(), sweeps=()))
