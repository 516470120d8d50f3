"""What larger sizes are predicted to take, below what was measured."""

import msgspec
import pytest
from checkout import CHECKOUT
from example_run import example_analysis, example_run

from leadline.analysis.findings import conclude
from leadline.core.errors import UserError
from leadline.exchange.imports.collect import import_files
from leadline.model.summary import Analysis
from leadline.output.terminal.tables.further_sizes import further_sizes


class NoSamples:
    def columns(self, point):
        raise LookupError


@pytest.fixture(scope="module")
def published():
    run = import_files([CHECKOUT / "datasets" / "chic-fem2d-parallel-2007.csv"])
    return run, conclude(run, NoSamples())


def rows_of(table, kind):
    names = [column.name for column in table.columns]
    at = names.index("placement")
    found = {}
    for row in table.rows:
        if kind in row.cells:
            found.setdefault(row.cells[at], []).append(dict(zip(names, row.cells, strict=True)))
    return found


def without_largest(run, analysis):
    """Return the table of the analysis without the level that comes last on 64x1."""
    points = [p for p in analysis.points if p.metrics["problem_size"] < 2e8]
    return further_sizes(run, Analysis(points=tuple(points), sweeps=()))


def test_measured_and_predicted_levels_stand_below_each_other(published):
    table = further_sizes(*published)
    measured, predicted = rows_of(table, "measured"), rows_of(table, "predicted")
    assert list(measured) == ["64x1", "16x4", "128x1", "32x4"]
    assert [len(measured[place]) for place in measured] == [4, 4, 5, 4]
    assert all(len(rows) == 2 for rows in predicted.values())
    assert [row["problem_size"] for row in predicted["64x1"]] == pytest.approx(
        [1.074e9, 4.295e9], rel=1e-3
    )
    assert measured["64x1"][0]["communication in pcg_s"] == pytest.approx(0.036)
    assert predicted["64x1"][0]["pcg_s"] == pytest.approx(145.7, rel=0.001)
    assert predicted["64x1"][0]["iterations"] is None
    assert table.columns[0].name == "placement"


def test_a_level_that_was_measured_lies_within_what_had_been_predicted(published):
    predicted = rows_of(without_largest(*published), "predicted")
    assert predicted["64x1"][0]["pcg_s"] == pytest.approx(32.59, rel=0.1)
    assert predicted["16x4"][0]["assembly_s"] == pytest.approx(7.0, rel=0.02)
    notes = "\n".join(further_sizes(*published).notes)
    assert "64x1: predicted from the sizes below it" in notes
    assert "assembly 0.987, pcg 0.948" in notes


def test_what_spans_a_factor_of_a_hundred_is_not_predicted(published):
    """Shares of communication in whole percents on three levels tell nothing of the next."""
    predicted = rows_of(without_largest(*published), "predicted")
    assert predicted["64x1"][0]["communication in pcg_s"] is None


def test_the_axis_of_the_size_goes_on_and_choices_keep_their_columns():
    model = example_analysis(example_run()).points[0]

    def solved(level, method, seconds):
        return msgspec.structs.replace(
            model, series="solve", axes={"level": level, "method": method}, median_s=seconds,
            metrics={"problem_size": 4.0**level, "communication_percent": 10.0}, bytes=None,
        )  # fmt: skip

    points = [
        solved(level, method, 4.0**level * each * 1e-6)
        for method, each in (("csr", 8.0), ("multigrid", 1.0))
        for level in (3, 4, 5)
    ]
    table = further_sizes(example_run(), Analysis(points=tuple(points), sweeps=()))
    names = [column.name for column in table.columns]
    assert names[:4] == ["method", "placement", "level", "problem_size"]
    rows = [row.cells for row in table.rows]
    assert [row[:3] for row in rows[:5]] == [("csr", "1x2", level) for level in (3, 4, 5, 6, 7)]
    assert rows[3][6] == pytest.approx(4.0**6 * 8e-6)
    assert rows[3][8] == pytest.approx(4.0**6 * 8e-7)


def test_two_sizes_predict_nothing_and_one_is_refused(published):
    run, analysis = published
    few = [p for p in analysis.points if p.metrics["problem_size"] < 2e7]
    table = further_sizes(run, Analysis(points=tuple(few), sweeps=()))
    assert len(table.rows) == 8 and not rows_of(table, "predicted")
    one = [p for p in analysis.points if p.metrics["problem_size"] < 1e7]
    with pytest.raises(UserError, match="several sizes"):
        further_sizes(run, Analysis(points=tuple(one), sweeps=()))
