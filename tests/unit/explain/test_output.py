"""What people read: the answer first, 80 columns, commands whole."""

import pytest
from msgspec.structs import replace
from recordings import RUNNING, late_in_turn, late_rank, rank, row, uneven_turns

from leadline.explain.bounds import Bounds, Curve, Shape
from leadline.explain.recording import Cost
from leadline.explain.report import explain
from leadline.model.recorded import Recorded
from leadline.output.program_time import headline, lateness_text
from leadline.output.terminal.program_time import explained_lines as lines

STARTED = Recorded(command=("mpirun", "-n", "4", "./app"), mpi="m-1")
GIVEN = {"run": "2026-01-31T101500-explain-app-0000", "recorded": STARTED, "mpi": "m-1"}


def text(found, full=False):
    return [line.plain for line in lines(found, full=full)]


def test_the_first_line_is_the_answer(explained):
    # Of 40 s of four ranks 6 s wait for rank 3 and 2 s move data.
    found = explained(late_rank(late=3, delay=2.0, calls=1000), **GIVEN)
    assert headline(found) == (
        "80 % computing, 15 % waiting for late ranks, 5 % moving data: "
        "rank 3 is late by 2 ms a call."
    )
    shown = text(found)
    assert shown[0].startswith("=== leadline explain: 80 % computing, 15 % waiting")
    assert "Rank 3 made others wait 3000 times, 2 ms on average" in " ".join(shown)
    assert "    leadline check -- mpirun -n 4 ./app" in shown
    assert shown[-1] == f"    leadline explain --full {GIVEN['run']}"


def test_who_makes_others_late_that_are_waited_for_is_said(explained):
    said = lateness_text(explained(late_in_turn((2, 0, 0, 0))))
    assert said == (
        "Rank 2 made others wait 25 times, 80 ms on average, and others in turn for these: 100 % "
        "of the waiting whose cause is known."
    )


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("ranks", [late_rank(), uneven_turns(), [rank(0)]])
def test_80_columns_are_enough_but_for_commands(explained, ranks, full):
    long = [{**each, "sites": ("", "x" * 150, "y" * 159)} for each in ranks]
    for line in text(explained(long, **GIVEN), full):
        assert len(line) <= 80 or line.startswith("    leadline ")


def test_ten_places_and_all_with_full(explained):
    rows = [row("MPI_Send", calls=10, size=2**power, seconds=0.1, site=1) for power in range(14)]
    ranks = [rank(at, mpi=1.4, rows=rows, sent={1 - at: (140, 10**6)}) for at in range(2)]
    found = explained(ranks, **GIVEN)
    assert sum("MPI_Send" in line for line in text(found)) == 10
    assert "10 of 14 places" in text(found)
    whole = text(found, full=True)
    assert sum("MPI_Send" in line for line in whole) == 14
    assert any("parallel efficiency" in line for line in whole)
    assert any("977 KiB" in line for line in whole)


def test_transfer_stands_beside_the_bound(explained):
    ranks = [
        rank(at, mpi=2.0, rows=[row("MPI_Allreduce", calls=1000, size=8, seconds=2.0)])
        for at in range(2)
    ]
    curve = {Shape("MPI_Allreduce", 2, 1): Curve(seconds={8: 5e-4})}
    found = explained(ranks, Bounds(curves=curve), **GIVEN)
    [line] = [line for line in text(found) if line.startswith("MPI_Allreduce")]
    assert line.split()[-4:] == ["2", "s", "500", "ms"]
    assert "15 % slower than this machine was measured" in headline(found)
    assert "Nothing was lost." in text(found)
    unknown = explained(ranks, **GIVEN)
    assert "0 % of the transfer is in calls that were measured here before." in text(unknown)
    replay, measure = unknown.measure
    assert replay == f"leadline explain --replay {GIVEN['run']} --output app.toml"
    assert measure == "leadline run app.toml --mpi m-1" and found.measure == ()


def test_what_was_lost_is_said(explained):
    ranks = [
        rank(0, state=RUNNING, current=("MPI_Recv", 2.0), lost=(5, 0, 0, 0)),
        rank(1, state=RUNNING, current=("", 10.0)),
    ]
    found = explained(ranks, **GIVEN)
    said = " ".join(text(found))
    assert "Ranks 0-1 have no end: killed or still running" in said
    assert "Rank 0 was in MPI_Recv for 8 s at the end, counted as waiting." in said
    assert "5 calls are in no table" in said
    assert found.ranks[0].waiting_s == pytest.approx(8)
    assert headline(found).endswith(": it was ended with rank 0 in MPI_Recv at main for 8 s.")


@pytest.mark.parametrize("line", ["solver.cpp:42", "0x1f2a"])
def test_of_a_long_name_the_line_is_not_cut(explained, line):
    name = "solver<double>::exchange_halos_between_neighbours(std::map<int, double>&)"
    ranks = [{**each, "sites": ("", f"{name} ({line})")} for each in late_rank()]
    assert any(f"  {line} " in each for each in text(explained(ranks, **GIVEN)))


def test_names_from_the_program_cannot_move_the_cursor(explained):
    ranks = [{**each, "sites": ("", "a\x1b[31mb")} for each in late_rank()]
    assert not any("\x1b" in line for line in text(explained(ranks, **GIVEN), full=True))


def test_the_answer_says_first_that_ranks_had_no_processor(explained):
    ranks = [one | {"queued": 4.0} for one in late_rank()]
    assert headline(explained(ranks)).endswith(
        ": ranks that could run had no processor for 40 % of it."
    )
    assert "rank 3 is late" in headline(explained([one | {"queued": 0.1} for one in late_rank()]))


def estimated(recording, error_s, own_s=0.0):
    """Return it with the waiting of all calls estimated, and what observing cost."""
    ranks = tuple(
        replace(
            each, rows=tuple(replace(row, estimated=True, error_s=error_s) for row in each.rows)
        )
        for each in recording.ranks
    )
    return replace(recording, ranks=ranks, cost=Cost(own_s, 16))


@pytest.mark.parametrize(
    ("error_s", "within"),
    [(0.1, ", to within 6.5 %."), (0.0, "."), (0.001, None)],
)
def test_how_far_off_an_estimate_is_stands_with_it(read, error_s, within):
    # Three ranks wait for 2 s each.
    recording = estimated(read(late_rank(late=3, delay=2.0)), error_s)
    shown = " ".join(text(explain(recording, Bounds(), **GIVEN)))
    assert ("~1.5 s" in shown) == (within is not None)
    said = "of short calls one in up to 16 told how long all of them waited"
    assert (f"{said}{within}" in shown) if within else said not in shown


def test_what_observing_costs_is_said_where_it_is_much(read):
    few, many = (estimated(read(late_rank()), 0.0, own_s) for own_s in (0.16, 2.0))
    assert "Observing took" not in " ".join(text(explain(few, Bounds())))
    assert "Observing took about 0.4 % of the time." in text(explain(few, Bounds()), full=True)
    said = "Observing took about 5 % of the time: the program's calls are short and frequent."
    assert said in " ".join(text(explain(many, Bounds())))
