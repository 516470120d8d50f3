"""The first screen has the same words on the terminal and on the page."""

import io
import re

import pytest
from example_page import analysis, kept, run  # noqa: F401 - fixtures
from msgspec.structs import replace
from rich.cells import cell_len

from leadline.model.imported import Import
from leadline.model.verdict import Beside, Headline, HeadlineValue, Usual
from leadline.output.first_screen import (
    beside_text,
    headline_table,
    mpi_tables,
    of_no_mpi,
    usual_text,
)
from leadline.output.html.html import render
from leadline.output.html.report_data import KeptSamples
from leadline.output.terminal.summary import print_summary
from leadline.output.terminal.table import draw

LATENCY = Headline(
    title="Latency, 8 B", unit="us", rate=False,
    values=(HeadlineValue(mpi="a", value=0.5, low=0.49, high=0.52, best=True, point=0),
            HeadlineValue(mpi="b", value=1.0, low=0.5, high=7.3, point=1)),
)  # fmt: skip
USUAL = Usual(text="inside a node", low=0.26, high=0.64, sources=("a paper",))
HYPERCUBE = Beside(text="hypercube", value=0.4, reached=0.8, is_way=True)


def printed(run, analysis):  # noqa: F811
    text = io.StringIO()
    print_summary(run, analysis, text)
    return text.getvalue()


def test_a_figure_has_the_digits_that_its_interval_bears():
    """Half of 6.8 is 340 % of the median."""
    table = headline_table([LATENCY])
    assert [column.name for column in table.columns] == ["", "", "a", "b"]
    assert table.rows[0].cells == ("Latency, 8 B", "us", "*0.50 ±3 %", "unclear")


def test_a_part_in_percent_has_its_ends_and_equal_values_have_none():
    lost = HeadlineValue(mpi="", value=2.0, low=1.6, high=2.4, point=0)
    lost_time = Headline(title="Processor time lost", unit="%", rate=False, values=(lost,))
    assert of_no_mpi([lost_time]) == ["Processor time lost: 2.0 % (1.6 to 2.4)"]
    equal = replace(lost, low=2.0, high=2.0)
    told = of_no_mpi([replace(lost_time, unit="us", values=(equal,))])[0]
    assert "±" not in told and "%" not in told


def test_only_what_can_be_measured_again_is_told_to_be(run, analysis):  # noqa: F811
    points = [replace(p, ci95_low_s=None, ci95_high_s=None) for p in analysis.points[:3]]
    some = replace(analysis, points=(*points, *analysis.points[3:]))
    assert "--launches 6 gives one" in " ".join(printed(run, some).split())
    imported = replace(run, imported=Import(program="OSU", files=("osu.txt",)))
    text = " ".join(printed(imported, some).split())
    assert "no ±: too few independent samples for an interval" in text
    assert "--launches 6 gives one" not in text


def test_rows_are_mpis_and_what_is_of_none_stands_apart():
    put = replace(LATENCY, title="MPI_Put, 8 B")
    again = replace(LATENCY, title="MPI_Put, 1 MiB")
    barrier = replace(LATENCY, title="MPI_Barrier")
    copied = HeadlineValue(mpi="", value=40.1, low=36.0, high=44.0, point=3)
    copy = Headline(title="Memory copy, 1 MiB", unit="GB/s", rate=True, values=(copied,))
    first, second = mpi_tables([LATENCY, put, again, barrier, copy, replace(put, title="Get, 8 B")])
    names = [column.name for column in first.columns]
    assert names == [
        "MPI",
        "Latency\n8 B, us",
        "MPI_Put\n8 B, us",
        "MPI_Barrier\nus",
        "Get\n8 B, us",
    ]
    assert [column.name for column in second.columns] == ["MPI", "MPI_Put\n1 MiB, us"]
    assert [row.cells[:2] for row in first.rows] == [("a", "*0.50 ±3 %"), ("b", "unclear")]
    assert of_no_mpi([LATENCY, copy]) == ["Memory copy, 1 MiB: 40 GB/s ±10 %"]


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, ""),
        ({"gap": 1.0}, ""),
        ({"beside": HYPERCUBE}, "hypercube 0.400: 1.2x faster"),
        ({"beside": replace(HYPERCUBE, value=0.0, reached=0.0)}, "hypercube 0.00"),
        ({"beside": Beside(text="the hardware", value=0.25, reached=0.5)},
         "50 % of the hardware (0.250)"),
        ({"rate": True, "beside": Beside(text="the link", value=12.5, reached=0.8)},
         "80 % of the link (12.5)"),
        ({"usual": USUAL}, "0.26 to 0.64 inside a node"),
    ],
)  # fmt: skip
def test_what_a_headline_is_compared_with(changes, text):
    assert beside_text(replace(LATENCY, **changes)) == text


def test_what_is_usual_names_how_much_was_published():
    said = "Latency, 8 B, usual inside a node: 0.26 to 0.64 us"
    assert usual_text(replace(LATENCY, usual=USUAL)) == said


def test_terminal_and_page_say_the_same(run, analysis, kept):  # noqa: F811
    page = render(run, analysis, kept)
    shown = printed(run, analysis)
    for text in ("of 2 figures of mpich are within 25 % of", "* surely the best"):
        assert text in page and text in shown, text
    halves = re.findall(r"±[\d.]+ %", shown)
    assert halves and halves == re.findall(r"±[\d.]+ %", page)[: len(halves)]


@pytest.mark.parametrize(
    "is_rounded", [lambda point: point.axes.get("algorithm") == "hypercube",
                   lambda point: point.mpi == "mpich", lambda point: True],
    ids=["faster-way", "first-mpi", "all"],
)  # fmt: skip
def test_a_time_that_was_rounded_to_nothing_is_shown(run, analysis, is_rounded):  # noqa: F811
    nothing = {
        "median_s": 0.0, "ci95_low_s": 0.0, "ci95_high_s": 0.0, "launch_medians_s": (0.0,) * 3,
        "bandwidth_MBps": None,
    }  # fmt: skip
    points = tuple(replace(p, **nothing) if is_rounded(p) else p for p in analysis.points)
    rounded = replace(analysis, points=points, sweeps=())
    assert "Verdict" in printed(run, rounded)
    assert "Verdict" in render(run, rounded, KeptSamples())


def test_a_table_is_no_wider_than_the_screen():
    values = (
        HeadlineValue(mpi="openmpi-4.1.4", value=2.0, low=1.0, high=3.0, point=0),
        HeadlineValue(mpi="mpich-5.0.2", value=2.0, low=1.99, high=2.01, point=1),
    )
    names = (
        "Streaming bandwidth",
        "Exchange with both neighbours",
        "MPI_Put",
        "MPI_Get",
        "MPI_Bcast",
    )
    wide = [
        Headline(title=f"{name}, 256 KiB", unit="us", rate=False, values=values) for name in names
    ]
    tables = mpi_tables(wide)
    shown = [column.name.split("\n")[0] for table in tables for column in table.columns[1:]]
    assert shown == list(names)
    assert all(cell_len(line.plain) <= 80 for table in tables for line in draw(table, 200))
