"""What is tuned for a recorded program, and what of an earlier profile stays."""

import pytest
from recordings import rank, row, write_node

from leadline.core.errors import UserError
from leadline.explain.reading import read_recording
from leadline.model.installation import Installation
from leadline.model.placement import Placement
from leadline.model.profile import Measured, Profile, Rule
from leadline.tune import ranges
from leadline.tune.candidates import Cell
from leadline.tune.deployment import tables
from leadline.tune.ranges import Span
from leadline.tune.recorded import (
    cells_of,
    check_library,
    collectives_of,
    placements_of,
    wanted,
    without_rules_for,
)
from leadline.tune.subjects import Subject

TUNABLE = frozenset({"allreduce", "bcast", "barrier", "allgather"})
PAIR, FOUR = Placement(1, 2), Placement(1, 4)


def subject(name, sized=True, multiple_of=1):
    return Subject(
        collective=name, benchmark=f"mpi/{name}", algorithms=("shared",), sized=sized,
        axes={"algorithm": "library"}, multiple_of=multiple_of,
    )  # fmt: skip


@pytest.fixture
def recorded(tmp_path):
    def make(*rows, ranks=2, **fields):
        write_node(tmp_path / "r", [rank(at, rows=rows) for at in range(ranks)], **fields)
        return read_recording(tmp_path / "r")

    return make


def test_classes_of_sizes_come_in_the_order_of_their_time_without_waiting(recorded):
    found = wanted(
        recorded(
            row("MPI_Allreduce", calls=10, size=1000, seconds=1.0, site=1),
            row("MPI_Allreduce", calls=30, size=600, seconds=0.5, site=2),
            row("MPI_Bcast", calls=5, size=64, seconds=3.0),
            row("MPI_Barrier", calls=5, seconds=9.0, waiting=8.0, ranks=4),
            row("MPI_Scan", calls=5, size=64, seconds=9.0),
            row("MPI_Send", calls=5, size=64, seconds=9.0),
        ),
        TUNABLE,
        "R",
    )
    assert [tuple(one) for one in found] == [
        ("bcast", PAIR, 64, Span(64, 127), pytest.approx(3.0)),
        ("allreduce", PAIR, 700, Span(512, 1023), pytest.approx(1.5)),
        ("barrier", FOUR, 0, Span(0, 0), pytest.approx(1.0)),
    ]
    assert placements_of(found) == (PAIR, FOUR)
    assert collectives_of(found) == ("bcast", "allreduce", "barrier")


def test_what_costs_next_to_nothing_or_has_no_shape_is_left_out(recorded):
    found = wanted(
        recorded(
            row("MPI_Allreduce", calls=10, size=8, seconds=9.95),
            row("MPI_Bcast", calls=10, size=8, seconds=0.05),
            row("MPI_Bcast", calls=10, size=8, seconds=5, ranks=3, nodes=2),
            row("MPI_Bcast", calls=10, size=8, seconds=5, ranks=1),
        ),
        TUNABLE,
        "R",
    )
    assert collectives_of(found) == ("allreduce",)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row("MPI_Send", calls=9, size=8, seconds=2.0)], "time in calls is in MPI_Send"),
        ([row("MPI_Scan", calls=9, size=8, seconds=2.0)], "has no collective on 2 or more ranks"),
        ([row("MPI_Bcast", calls=9, size=8, seconds=2.0, ranks=1)], "`leadline explain R` says"),
        ([], "it calls nothing"),
    ],
)
def test_nothing_to_tune_is_one_line(recorded, rows, said):
    with pytest.raises(UserError, match=said) as refusal:
        wanted(recorded(*rows), TUNABLE, "R")
    assert "\n" not in str(refusal.value)


def test_a_recording_of_another_mpi_is_refused(recorded):
    found = recorded(library="MPICH Version:\t4.0.2\nmore")
    mpich = [
        Installation(name=f"mpich-{each}", family="mpich", version=each, prefix="", source="")
        for each in ("4.0.2", "5.0.2")
    ]
    check_library(found, mpich[0], "R")
    with pytest.raises(UserError, match=r"recorded with 'MPICH Version: 4\.0\.2 more', not with m"):
        check_library(found, mpich[1], "R")


def test_cells_have_sizes_that_their_benchmark_takes(recorded):
    found = wanted(
        recorded(
            row("MPI_Allreduce", calls=10, size=4, seconds=3.0),
            row("MPI_Allreduce", calls=10, size=8, seconds=2.0),
            row("MPI_Bcast", calls=10, size=13, seconds=1.0),
            row("MPI_Bcast", calls=10, size=0, seconds=1.0),
            row("MPI_Barrier", calls=10, seconds=1.0),
        ),
        TUNABLE,
        "R",
    )
    there = [subject("allreduce", multiple_of=8), subject("bcast"), subject("barrier", sized=False)]
    assert cells_of(found, there) == {
        PAIR: {
            Cell("allreduce", 8): Span(4, 15),
            Cell("bcast", 13): Span(8, 15),
            Cell("barrier", 0): Span(0, 0),
        }
    }
    assert cells_of((), there) is None


def test_each_class_has_its_own_range_and_neighbours_that_touch_are_one():
    spans = {PAIR: {Cell("bcast", size): ranges.class_of(size) for size in (9, 20, 500, 5000)}}
    names = {9: "a", 20: "a", 500: "b", 5000: "library"}
    choices = {PAIR: {Cell("bcast", size): name for size, name in names.items()}}
    [table] = tables(choices, [9, 20, 500, 5000], spans=spans)
    assert [(each.choice, each.first, each.last) for each in table.ranges] == [
        ("a", 8, 31), ("b", 256, 511)
    ]  # fmt: skip


def test_rules_for_other_sizes_and_shapes_stay():
    def rule(name="bcast", processes=2, to_bytes=None):
        return Rule(
            collective=name, algorithm="a", nodes=1, processes=processes, to_bytes=to_bytes,
            measured=(Measured(8, 2, 1, 1.5), Measured(100, 2, 1, 1.5)),
        )  # fmt: skip

    before = Profile(
        format=1, machine="m", library="l",
        rule=(rule(), rule(processes=4), rule("gatherv"), rule("scan", to_bytes=9)),
    )  # fmt: skip
    spans = {PAIR: {Cell("bcast", 100): Span(64, 127), Cell("gatherv", 8): Span(8, 15)}}
    tuned = {("bcast", 1, 2), ("gatherv", 1, 2)}
    left = without_rules_for(tuned, before, spans, frozenset({"gatherv"})).rule
    assert [(each.collective, each.processes, each.from_bytes, each.to_bytes) for each in left] == [
        ("bcast", 2, 0, 63), ("bcast", 2, 128, None), ("bcast", 4, 0, None), ("scan", 2, 0, 9)
    ]  # fmt: skip
    assert [row.bytes for row in left[0].measured] == [8]
    assert [each.processes for each in without_rules_for(tuned, before).rule] == [4, 2]
