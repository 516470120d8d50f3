"""Points without a figure, in every output that shows figures."""

import csv
import io
import json

import msgspec
import pytest
from example_page import analysis, kept, run  # noqa: F401 - fixtures
from exports_examples import MEASURED, a_run
from msgspec.structs import replace

from leadline.exchange.exports import export
from leadline.model.summary import Analysis, MissingFigure
from leadline.output.html.html import render
from leadline.output.run_tables import missing_table
from leadline.output.terminal.summary import print_summary

LATE = "every repetition is set aside: a rank came too late for the agreed start"


def missing(size: int, **changes: object) -> MissingFigure:
    point = MissingFigure(
        point=size,
        benchmark="mpi/thing",
        axes={"bytes": size, "algorithm": "ring"},
        settings={"cache": "warm"},
        bytes=size,
        processes=2,
        nodes=1,
        processes_per_node=2,
        mpi="mpich",
        reason=LATE,
        set_aside=7,
    )
    return msgspec.structs.replace(point, **changes)


WITHOUT = Analysis(points=(MEASURED,), sweeps=(), missing=(missing(8), missing(65536)))


def cells(*points: MissingFigure) -> list[tuple[str, ...]]:
    return [row.cells for row in missing_table(points).rows]


def test_points_that_differ_in_size_alone_share_a_row() -> None:
    (row,) = cells(missing(65536), missing(8))
    assert row == ("mpi/thing", "algorithm=ring", "mpich", "1x2", "8 B, 64 KiB", "2", LATE)


def test_sizes_that_double_are_one_stretch() -> None:
    (row,) = cells(*(missing(2**k) for k in (3, 4, 5, 6, 16, 20)))
    assert row[4] == "8 B to 64 B, 64 KiB, 1 MiB"


def test_what_differs_is_named_and_has_a_row_of_its_own() -> None:
    rows = cells(missing(8), missing(8, settings={"cache": "cold"}), missing(8, reason="cut"))
    assert [(row[1], row[-1]) for row in rows] == [
        ("algorithm=ring, cache=warm", LATE),
        ("algorithm=ring, cache=cold", LATE),
        ("algorithm=ring, cache=warm", "cut"),
    ]


def test_many_rows_of_one_mpi_and_reason_are_one() -> None:
    """A survey that was cut says so once, not for each way of each benchmark."""
    ways = [missing(2**k, benchmark=f"mpi/{name}", reason="cut") for k in (3, 9) for name in "abcd"]
    ways = [replace(each, axes={**each.axes, "way": str(each.bytes)}) for each in ways]
    assert cells(*ways, missing(8)) == [
        ("4 benchmarks", "", "mpich", "", "", "8", "cut"),
        ("mpi/thing", "algorithm=ring", "mpich", "1x2", "8 B", "1", LATE),
    ]


def test_nothing_missing_is_no_row() -> None:
    assert missing_table(()).rows == ()


def test_the_terminal_names_them() -> None:
    text = io.StringIO()
    print_summary(a_run(), WITHOUT, text)
    shown = " ".join(text.getvalue().split())
    assert shown.count("Points without a figure") == 1
    assert "8 B, 64 KiB" in shown and "a rank came too late" in shown


@pytest.mark.parametrize("points", [(), (missing(8),)])
def test_the_report_names_them(run, analysis, kept, points) -> None:  # noqa: F811
    page = render(run, msgspec.structs.replace(analysis, missing=points), kept)
    assert ('id="missing"' in page) == bool(points)
    assert page.count(LATE) == len(points)


def exported(name: str) -> str:
    text = export(name).write(a_run(), WITHOUT)  # type: ignore[arg-type]
    assert isinstance(text, str)
    return text


def test_exports_of_figures_have_a_row_each() -> None:
    rows = json.loads(exported("figures-json"))
    assert [row.get("reason") for row in rows] == [None, LATE, LATE]
    assert [row["median_s"] is None for row in rows] == [False, True, True]
    table = list(csv.DictReader(io.StringIO(exported("figures-csv"))))
    assert [row["reason"] for row in table] == ["", LATE, LATE]
    assert [row["axis_algorithm"] for row in table][1:] == ["ring", "ring"]


def test_exports_that_can_say_so_do() -> None:
    lines = exported("prometheus").splitlines()
    found = [line for line in lines if line.startswith("leadline_operation_missing{")]
    assert len(found) == 2 and all(LATE in line for line in found)
    benchmarks = json.loads(exported("google-benchmark"))["benchmarks"]
    errors = [one for one in benchmarks if one.get("error_occurred")]
    assert [one["error_message"] for one in errors] == [LATE, LATE]
    assert len({one["name"] for one in errors}) == 2
    assert "leadline/missing: 2 1" in exported("lines").splitlines()
