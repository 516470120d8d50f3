"""Two recordings side by side."""

import pytest
from recordings import late_rank, rank, row, write_node

from leadline.explain.bounds import Bounds
from leadline.explain.difference import difference
from leadline.explain.reading import read_recording
from leadline.explain.report import explain
from leadline.output.program_difference import headline
from leadline.output.terminal.program_time import difference_lines as lines


@pytest.fixture
def made(tmp_path):
    def make(name, ranks):
        write_node(tmp_path / name, ranks)
        return explain(read_recording(tmp_path / name), Bounds(), run=name)

    return make


def test_which_call_and_size_waits_longer(made):
    base = made("a", late_rank(delay=1.0, seconds=9.0))
    found = difference(base, made("b", late_rank(delay=4.0, seconds=12.0)))
    [call] = found.calls
    assert (call.call, call.bytes, call.calls) == ("MPI_Allreduce", 8, 1000)
    # Three of four ranks wait 3 s more.
    assert call.waiting_more_s == pytest.approx(2.25)
    assert call.transfer_more_s == pytest.approx(0.0, abs=1e-6)
    assert headline(found) == (
        "the second is 1.3x slower (12 s, was 9 s): MPI_Allreduce, 8 B, waits 2.2 s more."
    )


def test_transfer_and_computing_are_told_apart(made):
    def ranks(seconds, sending):
        rows = [row("MPI_Send", calls=10, size=1000, seconds=sending)]
        return [rank(at, seconds=seconds, mpi=sending, rows=rows) for at in range(2)]

    slow = difference(made("a", ranks(9, 1)), made("b", ranks(12, 4)))
    assert headline(slow).endswith("MPI_Send, 1000 B, moves data for 3 s more.")
    busy = difference(made("c", ranks(9, 1)), made("d", ranks(6, 1)))
    assert headline(busy) == "the second is 1.5x faster (6 s, was 9 s): computing takes 3 s less."
    same = difference(made("e", ranks(9, 1)), made("f", ranks(9, 1)))
    assert headline(same).startswith("both take equally long (9 s, was 9 s)")


def test_a_call_that_only_one_of_them_has(made):
    empty = made("a", [rank(0), rank(1)])
    found = difference(empty, made("b", late_rank()))
    assert [(each.base_calls, each.calls) for each in found.calls] == [(0, 1000)]
    shown = [line.plain for line in lines(found)]
    assert max(map(len, shown)) <= 80
    assert any("1000 (was 0)" in line for line in shown)
