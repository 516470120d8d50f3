"""What is read of a recording, whole, cut, or of a program that was killed."""

import pytest
from recordings import ABORTED, RUNNING, rank, row, ticks, with_marks, write_node

from leadline.core.errors import UserError
from leadline.explain.reading import read_recording


def test_what_was_written_is_read(read):
    first = rank(
        0, seconds=8, mpi=3, waiting=1, files=0.25, other_threads=0.5,
        rows=[row("MPI_Send", calls=4, size=1000, seconds=3, waiting=1, late_receiver=0.75,
                  ranks=2, flags=1)],
        sent={1: (4, 4000)}, waited={1: (1, 3)}, lost=(1, 0, 2, 0),
    )  # fmt: skip
    found = read([first, rank(1)], total=3)
    assert (found.ranks_total, found.nodes, found.library) == (3, 1, "MPICH Version: 9.9.9")
    assert found.hosts == {"node7"}
    seen = found.ranks[0]
    assert (seen.rank, seen.state, seen.calls) == (0, 2, 4)
    times = (seen.seconds, seen.mpi_s, seen.waiting_s, seen.files_s, seen.other_threads_s)
    assert times == pytest.approx((8, 3, 1, 0.25, 0.5))
    assert seen.lost == {"rows": 1, "requests": 2}
    [calls] = seen.rows
    assert (calls.function.name, calls.function.kind, calls.site.where) == ("MPI_Send", 5, "main")
    assert (calls.calls, calls.mean_bytes, calls.size_class, calls.at_least) == (4, 1000, 10, True)
    assert (calls.own_s, calls.slowest_s, calls.late_receiver_s) == pytest.approx((2, 0.75, 0.75))
    assert (seen.peers[1].messages, seen.peers[1].bytes, seen.peers[1].waited_calls) == (4, 4000, 3)
    assert found.ranks[1].peers == {} and found.ranks[1].unfinished is None


def test_marks_are_read_also_where_they_lack_what_a_hypervisor_took(tmp_path):
    path = write_node(tmp_path, [rank(0, seconds=1.0)])
    marks = [(ticks(0.1), ticks(0.05), 10**7, 20_000, ticks(1e-6))] * 2
    with_marks(path, marks, 0.5, tells_size=False)
    found = read_recording(tmp_path).ranks[0].marks
    assert found.at_s.tolist() == pytest.approx([0.5, 1.0]) and found.stolen_s is None
    each = (found.mpi_s, found.waiting_s, found.queued_s, found.throttled_s, found.probe_s)
    assert [values[1] for values in each] == pytest.approx([0.1, 0.05, 0.01, 0.02, 1e-6])
    path = write_node(tmp_path, [rank(0, seconds=1.0)])
    with_marks(path, [(*mark, 30_000) for mark in marks], 0.5, tells_size=True)
    found = read_recording(tmp_path).ranks[0].marks
    assert (found.mpi_s[1], found.stolen_s[1]) == pytest.approx((0.1, 0.03))


def test_nodes_are_joined_in_the_order_of_ranks(tmp_path):
    write_node(tmp_path, [rank(1), rank(3)], node=1, total=4, host="b")
    write_node(tmp_path, [rank(2), rank(0)], node=0, total=4, host="a.site")
    found = read_recording(tmp_path)
    assert [(each.rank, each.node) for each in found.ranks] == [(0, 0), (1, 1), (2, 0), (3, 1)]
    assert found.hosts == {"a", "b"} and found.nodes == 2


def test_a_killed_program_ends_with_the_newest_stamp(read):
    found = read([
        rank(0, state=RUNNING, current=("MPI_Recv", 4.0)),
        rank(1, state=RUNNING, current=("", 9.0)),
    ])  # fmt: skip
    assert [each.seconds for each in found.ranks] == pytest.approx([9, 9])
    stuck = found.ranks[0].unfinished
    assert stuck.function.name == "MPI_Recv" and stuck.seconds == pytest.approx(5) and stuck.waits
    assert found.ranks[1].unfinished is None


@pytest.mark.parametrize(("host", "seconds"), [("node7", 30), ("node8", 9)])
def test_a_killed_program_ends_when_its_host_saw_that(tmp_path, host, seconds):
    ranks = [
        rank(0, state=RUNNING, current=("MPI_Recv", 4.0)),
        rank(1, state=RUNNING, current=("", 9.0)),
    ]
    write_node(tmp_path, ranks)
    (tmp_path / "ended").write_text(f"{1030 * 10**9} {host}")
    found = read_recording(tmp_path)
    assert [each.seconds for each in found.ranks] == pytest.approx([seconds] * 2)
    stuck = found.ranks[0].unfinished
    assert stuck.seconds == pytest.approx(seconds - 4) and stuck.where == "main"


def test_processes_without_a_rank_are_left_out(read):
    assert [each.rank for each in read([rank(0, state=ABORTED)], unused=2).ranks] == [0]
    assert read([], unused=2) is None


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: b"no recording at all".ljust(5000), "is no recording"),
        (lambda data: b"", "is no recording"),
        (lambda data: data[:100], "is no recording"),
        (lambda data: data[:-10], "is cut: it has"),
        (lambda data: data[:5000], "is cut: it has"),
        (lambda data: data[:24] + b"\1\0\0\0\0\0\0\0" + data[32:], "is damaged"),
    ],
)
def test_a_file_that_is_none_or_cut_is_one_line(tmp_path, change, says):
    path = write_node(tmp_path, [rank(0), rank(1)])
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(UserError, match=says) as raised:
        read_recording(tmp_path)
    assert str(path) in str(raised.value) and "\n" not in str(raised.value)


def test_a_folder_without_a_recording(tmp_path):
    with pytest.raises(UserError, match="holds no recording: `leadline explain -- COMMAND`"):
        read_recording(tmp_path)
