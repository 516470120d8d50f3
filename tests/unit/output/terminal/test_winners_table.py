"""The table of winners: each case's default beside the fastest other choice."""

import msgspec
import pytest
from example_run import example_analysis, example_run

from leadline.core.errors import UserError
from leadline.output.terminal.tables.choices import winners


@pytest.fixture(scope="module")
def filled():
    run = example_run()
    return winners(run, example_analysis(run))


def test_each_case_has_its_fastest_other_choice(filled):
    # The example's hypercube takes 0.8 of the library's time at each of eleven sizes, for each MPI.
    names = [column.name for column in filled.columns]
    assert names == [
        "operation",
        "MPI",
        "size",
        "library",
        "fastest other",
        "time",
        "faster",
        "95 % interval",
    ]
    rows = [dict(zip(names, row.cells, strict=True)) for row in filled.rows]
    assert len(rows) == 2 * 11
    assert {row["fastest other"] for row in rows} == {"hypercube"}
    assert {row["MPI"] for row in rows} == {"mpich", "openmpi"}
    for row in rows:
        low, high = map(float, row["95 % interval"].split(" to "))
        assert low <= float(row["faster"].removesuffix("x")) <= high
        assert float(row["faster"].removesuffix("x")) == pytest.approx(1.25, rel=0.06)
    assert filled.notes == ("Another choice than the default is faster in 22 of 22 cases.",)


def test_what_only_loses_or_is_open_is_no_gain():
    run = example_run()
    analysis = example_analysis(run)
    slower = [point for point in analysis.points if point.axes.get("algorithm") != "hypercube"]
    table = winners(run, msgspec.structs.replace(analysis, points=tuple(slower)))
    assert {row.cells[-2] for row in table.rows} == {"slower"}
    assert table.notes == ("Another choice than the default is faster in 0 of 22 cases.",)


def test_a_run_without_choices_is_refused():
    run = example_run()
    analysis = example_analysis(run)
    plain = [point for point in analysis.points if point.benchmark == "mpi/pingpong"]
    with pytest.raises(UserError, match="has none"):
        winners(run, msgspec.structs.replace(analysis, points=tuple(plain)))
