"""What the observer's library writes of programs whose waiting is known."""

import re
import subprocess
import time
from pathlib import Path

import pytest
from explain_file import read_node
from programs import kill_all

pytestmark = pytest.mark.mpi

# What waits in each scenario of waits.c, on which rank, and whose fault it is.
WAITS = {
    "barrier": ("MPI_Barrier", 0, 1, ""),
    "allreduce": ("MPI_Allreduce", 0, 1, ""),
    "bcast": ("MPI_Bcast", 0, 1, ""),
    "reduce": ("MPI_Reduce", 0, 1, ""),
    "scan": ("MPI_Scan", 1, 0, ""),
    "ibarrier": ("MPI_Wait", 0, 1, ""),
    "dup": ("MPI_Allreduce", 0, 1, ""),
    "split": ("MPI_Bcast", 0, 1, ""),
    "window": ("MPI_Win_fence", 0, 1, ""),
    "inter_allreduce": ("MPI_Allreduce", 0, 1, ""),
    "inter_reduce": ("MPI_Reduce", 0, 1, ""),
    "inter_recv": ("MPI_Recv", 0, 1, "sender"),
    "exposure": ("MPI_Win_wait", 0, 1, ""),
    "held": ("MPI_Win_lock", 0, 1, ""),
    "recv": ("MPI_Recv", 0, 1, "sender"),
    "any": ("MPI_Recv", 0, 1, "sender"),
    "waitall": ("MPI_Waitall", 0, 1, "sender"),
    "send": ("MPI_Send", 0, 1, "receiver"),
    "isend": ("MPI_Wait", 0, 1, "receiver"),
    "test": ("MPI_Test", 0, 1, ""),
}
RUNNING, FINALIZED, EXITED, ABORTED = 1, 2, 3, 4


def lateness(output, culprit, waits):
    """Return for how long a rank was in its call before another one came."""
    # A launcher may print it behind another rank's unended line.
    found = re.findall(r"rank (\d+) entered (\d+\.\d+)$", output, re.MULTILINE)
    entered = {int(rank): float(seconds) for rank, seconds in found}
    return entered[culprit] - entered[waits]


@pytest.mark.timing
@pytest.mark.parametrize(
    "scenario,behind",
    [*((each, "") for each in WAITS), ("allreduce", "libleadline.so"), ("isend", "libleadline.so")],
)
def test_waiting_is_that_of_the_late_rank(observed, files, scenario, behind):
    function, waits, culprit, late = WAITS[scenario]
    ended = observed.run(files, "waits.c", scenario, behind=behind)
    assert ended.returncode == 0, ended.stderr
    expected = lateness(ended.stdout, culprit, waits)
    (file,) = files.iterdir()
    ranks = read_node(file)
    row = ranks[waits].row(function)
    # Between two tests a rank may lose its core.
    least = 0.5 if scenario == "test" else 0.95
    assert least * expected <= row.waiting_s <= 1.05 * expected
    assert row.waiting_s <= row.seconds
    assert ranks[waits].waiting_s >= row.waiting_s
    assert ranks[culprit].waiting_s < 0.25 * expected
    parts = {"sender": row.late_sender_s, "receiver": row.late_receiver_s}
    for part, seconds in parts.items():
        assert seconds == pytest.approx(row.waiting_s if part == late else 0.0, rel=0.05)
    # Of these the observer does not know for whom they wait.
    if scenario not in ("test", "exposure", "held"):
        assert ranks[waits].peers[culprit][2] >= 0.95 * expected
        assert not row.flags


@pytest.mark.timing
def test_a_rank_that_the_library_holds_in_a_scan_has_waited(observed, files):
    ended = observed.run(files, "waits.c", "scan_up")
    expected = lateness(ended.stdout, 1, 0)
    (file,) = files.iterdir()
    rank = read_node(file)[0]
    assert 0.95 * expected <= rank.waiting_s <= 1.05 * expected
    assert rank.peers[1][2] >= 0.95 * expected


def test_calls_and_bytes_are_counted_exactly(observed, files):
    first, second = observed.ranks(files, "waits.c", "many")
    for rank in (first, second):
        counted = {(row.function, row.calls, row.bytes) for row in rank.rows}
        assert ("MPI_Allreduce", 1000, 8000) in counted
        assert ("MPI_Sendrecv", 1000, 1_000_000) in counted
        assert rank.calls == sum(row.calls for row in rank.rows) == 3003
        assert rank.lost == (0, 0, 0, 0)
        assert rank.state == FINALIZED
        assert 0 < rank.waiting_s <= rank.mpi_s <= rank.seconds
    assert ("MPI_Send", 1000, 24_000) in {(r.function, r.calls, r.bytes) for r in first.rows}
    assert ("MPI_Recv", 1000, 24_000) in {(r.function, r.calls, r.bytes) for r in second.rows}
    assert first.peers[1][:2] == (2000, 1_024_000)
    assert second.peers[0][:2] == (1000, 1_000_000)


def test_places_of_calls_have_names(observed, files):
    first, _ = observed.ranks(files, "waits.c", "hello")
    assert first.row("MPI_Init").site == "main"


def test_threads_are_counted_and_kept_apart(observed, files):
    for rank in observed.ranks(files, "threads.c"):
        assert rank.row("MPI_Waitall").calls == rank.row("MPI_Isend").calls == 2000
        assert rank.calls == sum(row.calls for row in rank.rows) == 6004
        assert rank.other_threads_s > 0
        assert rank.peers[1 - rank.rank][:2] == (2000, 8000)


def test_what_a_killed_program_did_is_there(observed, files):
    program = observed.program(Path(__file__).with_name("waits.c"))
    started = subprocess.Popen(
        observed.command(program, "hang"), env=observed.environment(files),
        stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        assert started.stdout.readline() == "hangs\n"
        while read_node(*files.iterdir())[1].function != "MPI_Recv":
            time.sleep(0.05)
    finally:
        kill_all(started)
        started.communicate()
    for rank in read_node(*files.iterdir()):
        assert rank.state == RUNNING and rank.seconds == 0
        assert rank.row("MPI_Barrier").calls == 1


@pytest.mark.parametrize("scenario,state", [("exit", EXITED), ("abort", ABORTED)])
def test_a_program_that_ends_otherwise_says_so(observed, files, scenario, state):
    observed.run(files, "waits.c", scenario)
    states = [rank.state for rank in read_node(*files.iterdir())]
    assert state in states and FINALIZED not in states


def test_a_child_of_fork_writes_nothing(observed, files):
    for rank in observed.ranks(files, "waits.c", "fork"):
        assert rank.state == FINALIZED
        assert rank.calls == 3


def test_without_a_folder_the_program_runs_on_after_one_line(observed, tmp_path):
    ended = observed.run(tmp_path / "none", "waits.c", "many")
    assert ended.returncode == 0
    assert ended.stdout.count("ended") == 2  # lines of two ranks may run together
    said = [line for line in ended.stderr.splitlines() if line.startswith("leadline")]
    assert said == [
        f"leadline: LEADLINE_EXPLAIN: {tmp_path / 'none'} is no folder; "
        "the program goes on unobserved"
    ]


def test_a_folder_that_is_used_already_is_left_alone(observed, files):
    observed.ranks(files, "waits.c", "hello")
    before = next(files.iterdir()).read_bytes()
    ended = observed.run(files, "waits.c", "hello")
    assert ended.returncode == 0 and "File exists" in ended.stderr
    assert next(files.iterdir()).read_bytes() == before


def test_nothing_is_written_unless_it_is_asked_for(observed, files, tmp_path):
    ended = observed.run("", "waits.c", "hello")
    assert ended.returncode == 0
    assert "leadline" not in ended.stderr
    assert list(tmp_path.rglob("*.explain")) == []


def test_programs_of_a_shell_have_folders_of_their_own(observed, files):
    said = [observed.run(f"{files}/", "waits.c", "hello").stderr for _ in range(2)]
    for folder in files.iterdir():
        assert f"leadline explain {folder}\n" in "".join(said)
        assert {rank.state for rank in read_node(*folder.iterdir())} == {FINALIZED}
    assert len(list(files.iterdir())) == 2
