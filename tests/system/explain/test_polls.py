"""What the observer's library writes of programs that ask in vain again and again.

Of many such calls in a row it looks at the clock in few.
"""

import re

import pytest
from explain_file import read_node

pytestmark = pytest.mark.mpi

POLLS = {
    "test": "MPI_Test",
    "any": "MPI_Test",
    "in_turn": "MPI_Test",
    "testany": "MPI_Testany",
    "any_of_many": "MPI_Testany",
    "testsome": "MPI_Testsome",
    "testall": "MPI_Testall",
    "probe": "MPI_Iprobe",
    "groups": "MPI_Iprobe",
    "both": "MPI_Test",
}


def polled(observed, files, how, rounds, late_s):
    """Return the rank that polls, how often it tested and probed, and for how long it says."""
    ended = observed.run(files, "polls.c", how, str(rounds), str(late_s))
    assert ended.returncode == 0, ended.stderr
    tests, probes, waited_s = re.search(
        r"asked (\d+) (\d+) waited (\S+)$", ended.stdout, re.MULTILINE
    ).groups()
    (file,) = files.iterdir()
    return read_node(file)[0], int(tests), int(probes), float(waited_s)


@pytest.mark.parametrize("how", POLLS)
def test_calls_in_vain_are_counted_exactly(observed, files, how):
    rank, tests, probes, _ = polled(observed, files, how, 50, 0.001)
    assert sum(row.calls for row in rank.rows if row.kind == 10) == tests + probes
    assert rank.calls == sum(row.calls for row in rank.rows)
    if tests:
        assert rank.row(POLLS[how]).calls == tests
    if probes:
        assert rank.row("MPI_Iprobe").calls == probes
    if how == "groups":
        calls = {row.ranks: row.calls for row in rank.rows if row.function == "MPI_Iprobe"}
        assert calls.keys() == {1, 2} and calls[1] <= probes / 2 <= sum(calls.values())
    assert rank.row("MPI_Barrier").calls == 50
    assert sum(row.bytes for row in rank.rows if row.kind in (7, 6, 9, 10)) >= 50 * 4 * 8
    assert rank.lost == (0, 0, 0, 0)


@pytest.mark.timing
@pytest.mark.parametrize("how", POLLS)
def test_calls_in_vain_wait_from_the_first_to_the_last(observed, files, how):
    rank, _, _, waited_s = polled(observed, files, how, 1, 0.2)
    waiting_s = sum(row.waiting_s for row in rank.rows if row.kind == 10)
    # It may lose its core meanwhile.
    assert 0.9 * waited_s <= waiting_s <= 1.02 * waited_s
    assert all(row.waiting_s <= row.seconds for row in rank.rows)


@pytest.mark.timing
def test_what_is_computed_between_rows_of_tests_is_no_waiting(observed, files):
    rank, tests, _, waited_s = polled(observed, files, "now_and_then", 1, 0.4)
    assert rank.row("MPI_Test").calls == tests
    # While it has no core, it cannot be told whether it would have tested or computed.
    assert 0.5 * waited_s <= rank.row("MPI_Test").waiting_s <= waited_s + 0.1


@pytest.mark.timing
def test_what_is_computed_in_slices_between_tests_is_no_waiting(observed, files):
    rank, tests, _, polled_s = polled(observed, files, "slices", 1, 0.2)
    assert rank.row("MPI_Test").calls == tests
    assert rank.row("MPI_Test").waiting_s <= 0.3 * polled_s
