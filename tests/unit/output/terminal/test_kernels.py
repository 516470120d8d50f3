"""The table of kernels: every way with rate, fraction of the bound, and right or wrong."""

import io

import msgspec
import pytest
from kernel_run import ROOF, WAYS, run_of, way

from leadline.core.errors import UserError
from leadline.output.terminal.summary import print_summary
from leadline.output.terminal.table import lines
from leadline.output.terminal.tables.kernels import kernels


def test_right_ways_stand_first_and_the_wrong_one_says_why():
    sheet = kernels(*run_of())
    assert [column.name for column in sheet.columns][:3] == ["way", "100", "%"]
    assert [row.cells[0].split()[0] for row in sheet.rows] == [
        "wide.c",
        "blas-1.0",
        "plain.c",
        "wide.c",
    ]
    first, library, plain, wrong = (row.cells for row in sheet.rows)
    # 8 of 50, 20 of 25 and 10 of 12.5 Gflop/s.
    assert first[1:7] == pytest.approx((8000, 16, 20000, 80, 10000, 80))
    assert (first[-2], library[-2], plain[-2], wrong[-2]) == ("100-1000", "10000", "", "")
    assert (first[-1], wrong[-1]) == ("right", "WRONG: nan, denormals")
    # What is wrong may well take less than the bound.
    assert wrong[3:5] == (pytest.approx(30000), None)
    assert any(note.startswith("denormals: Small numbers") for note in sheet.notes)
    assert "20000  80" in "\n".join(lines(sheet))


def test_of_many_sizes_the_ends_and_some_between_are_shown():
    sizes = {10 * 2**power: 1.0 for power in range(12)}
    sheet = kernels(*run_of(way("plain.c", sizes)))
    shown = [column.name for column in sheet.columns if column.name[0].isdigit()]
    assert len(shown) == 6 and (shown[0], shown[-1]) == ("10", "20480")
    # Nothing bounds them here, and the one way is the fastest everywhere.
    assert sheet.rows[0].cells[2] is None and sheet.rows[0].cells[-2] == "10-20480"


def test_several_placements_are_told_apart():
    both = [
        msgspec.structs.replace(figure, processes=number, processes_per_node=number)
        for number in (1, 2)
        for figure in (*WAYS, *ROOF)
    ]
    sheet = kernels(*run_of(both))
    assert [row.cells[2] for row in sheet.rows] == ["1x1"] * 4 + ["1x2"] * 4


def test_the_summary_has_the_ways_as_one_table_and_roofs_as_usual():
    out = io.StringIO()
    print_summary(*run_of(), out)
    text = out.getvalue()
    assert text.count("plain.c") == 1 and text.count("test/memory call") == 1
    # At 80 columns the answer goes on in the next line.
    assert "WRONG: nan," in text and "denormals" in text
    many = [figure for number in range(20) for figure in way(f"v{number}.c", {100: 1})]
    out = io.StringIO()
    print_summary(*run_of(many), out)
    assert "and 4 more ways: leadline show RUN --as kernels" in out.getvalue()


def test_a_run_without_rates_is_refused():
    with pytest.raises(UserError, match="count floating-point operations"):
        kernels(*run_of(ROOF))
