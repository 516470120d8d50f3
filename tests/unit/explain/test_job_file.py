"""The file of a job: what is read of a good one, and what is said of a forged or cut one."""

import os
import time
from pathlib import Path

import pytest
from job_files import ABORTED, GONE, RUNNING, even, job_lines, late, rank, rest, row

from leadline.core.errors import UserError
from leadline.explain import job_file, places
from leadline.explain.bounds import Bounds
from leadline.explain.job_file import is_job_file, read_job
from leadline.explain.jobs.summary import summarise
from leadline.explain.report import explain, of_job
from leadline.output.program_time import headline


@pytest.fixture
def written(tmp_path):
    """Write a job's file; its lines may be changed."""

    def make(ranks=None, change=lambda lines: lines, **fields):
        path = tmp_path / "101112-4711-99.job"
        path.write_text("\n".join(change(job_lines(ranks or even(), **fields))) + "\n")
        return path

    return make


@pytest.fixture
def refused(written):
    """Return what is said of a file whose lines were changed."""

    def make(change, ranks=None, **fields):
        with pytest.raises(UserError) as error:
            read_job(written(ranks, change, **fields))
        return str(error.value)

    return make


def _with(old, new):
    """Return what changes the first line that begins so."""

    def change(lines):
        at = next(i for i, line in enumerate(lines) if line.startswith(old))
        return [*lines[:at], *([new] if new is not None else []), *lines[at + 1 :]]

    return change


def _slow(fields, lines_of_it=1):
    """Return what adds lines of slow nodes; {0} is a minute after the job began."""

    def change(lines):
        since = int(float(lines[1].removeprefix("began "))) + 60
        return [*lines[:2], *lines_of_it * [f"slow {fields.format(since)}"], *lines[2:]]

    return change


def test_a_good_file_is_read_whole(written):
    path = written(
        [
            rank(0, seconds=12.5, mpi=3.0, waiting=1.0, files=0.5, queued=0.25, calls=7,
                 waited={1: 1.0}, rows=[row("MPI_Allreduce", seconds=2.0, waiting=1.0, flags=1),
                                        rest("MPI_Send", calls=5, size=50, seconds=1.0)]),
            rank(1, node=1, seconds=12.0, queued=None),
        ],
        began=time.time() - 100, hosts=("n01", "n02"), place="a b%c", job="77", step="3",
    )  # fmt: skip
    job = read_job(path)
    first, second = job.recording.ranks
    assert (job.job, job.step, job.program) == ("77", "3", "/home/anna/solver")
    assert (first.seconds, first.mpi_s, first.files_s, first.queued_s) == (12.5, 3.0, 0.5, 0.25)
    assert first.peers[1].waited_s == 1.0 and first.calls == 7 and second.queued_s is None
    reduce, send = first.rows
    assert (reduce.site.text, reduce.site.file, reduce.at_least) == ("a b%c", job.program, True)
    assert (send.function.name, send.calls, send.bytes, send.site.where) == ("MPI_Send", 5, 50, "")
    assert [each.host for each in (first, second)] == ["n01", "n02"]
    assert job.uid == os.geteuid() and not job.is_open


SLICES = "slices 500000 4 oo0P - 0?00 -"


def test_slices_are_sums_over_time(written):
    marks = read_job(written([[*rank(0), SLICES]])).recording.ranks[0].marks
    assert marks.at_s.tolist() == [0.5, 1.0, 1.5, 2.0]
    assert marks.mpi_s.tolist() == pytest.approx([0.0, 0.0, 0.5, 0.5 + 0.5 * 31 / 63])
    assert marks.queued_s.tolist() == [0.0] * 4
    assert marks.throttled_s[-1] == pytest.approx(0.5 * 15 / 63)
    assert marks.probe_s.tolist() == [1.0] * 4
    assert marks.stolen_s is None
    marks = read_job(written([[*rank(0), f"{SLICES} 0o00"]])).recording.ranks[0].marks
    assert marks.stolen_s.tolist() == pytest.approx([0.0, 0.5, 0.5, 0.5])


@pytest.mark.parametrize(
    "forged",
    ["slices 0 1 0 - - -", "slices 500 0 - - - -", "slices 500 33 - - - -", "slices 500 2 0 - - -",
     "slices 500 1 p - - -", "slices 500 1 / - - -", "slices 500 1 - - -", "slices -5 1 - - - -",
     "slices 500 1 - - - - p", "slices 500 1 - - - - - -"],
)  # fmt: skip
def test_slices_that_cannot_be_are_refused(refused, forged):
    assert "line 11" in refused(lambda lines: lines, [[*rank(0), forged]])


def test_threads_are_those_of_the_rank(written, refused):
    found = read_job(written([[*rank(0), "threads 3 4 1500000"]])).recording.ranks[0].threads
    assert (found.workers, found.cores, found.wanted_s) == (3, 4, 1.5)
    for forged in ("threads 0 4 1", "threads 1 0 1", "threads 1 1", "threads 1 1 -1"):
        assert "line 11" in refused(lambda lines: lines, [[*rank(0), forged]])


def test_a_job_says_what_observing_it_cost(written, refused):
    cost = read_job(written([[*rank(0), "cost 2500000 8"]])).recording.cost
    assert (cost.own_s, cost.one_in) == (2.5, 8)
    assert read_job(written([rank(0)])).recording.cost is None
    forgeries = (["cost 1"], ["cost -1 1"], ["cost 1 0"], ["cost 1 65"], ["cost 1 1", "cost 1 1"])
    for forged in forgeries:
        assert "line 1" in refused(lambda lines: lines, [[*rank(0), *forged]])
    longer = refused(lambda lines: lines, [[*rank(0), "cost 9000000000000000 1"]])
    assert "longer than the ranks" in longer


def test_a_rank_has_slices_once(refused):
    assert "twice" in refused(lambda lines: lines, [[*rank(0), SLICES, SLICES]])


def test_the_user_is_the_owner(written):
    assert read_job(written()).user == job_file.user_name(os.geteuid())


def test_a_script_is_the_program(written):
    assert read_job(written(script="/home/anna/solve.py")).program == "/home/anna/solve.py"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: ["leadline-job 2", *lines[1:]], "line 1: written by another version"),
        (lambda lines: ["hello", *lines[1:]], "line 1: no file of a job"),
        (lambda lines: lines[:-1], "the file is cut"),
        (lambda lines: lines[:-4], "the file is cut"),
        (_with("user", "user 12345678"), "it names user 12345678 and belongs to user"),
        (_with("user", "user -1"), "not a number"),
        (_with("user", "user 0 root"), "2 fields, 1 are expected"),
        (_with("user", None), "not a number"),
        (_with("began", "began -5"), "no time at which it began"),
        (_with("began", None), "no time at which it began"),
        (_with("began", "began 99999999999"), "longer than since it began"),
        (_with("ranks", "ranks 0"), "0 ranks cannot be"),
        (_with("ranks", "ranks 99999999999"), "cannot be"),
        (_with("ranks", "ranks 3"), "no rank 3"),
        (_with("ranks", None), "rank 0 of 0"),
        (_with("host", None), "no host 0"),
        (_with("host", "host 0 a b"), "3 fields, 2 are expected"),
        (_with("host", "host 0 \x1b[31m\x07"), "no string"),
        (_with("rank 1", "rank 0 0 2 1 1 1 1 0 0 0 0 1 0 0 0 0"), "rank 0 twice"),
        (_with("rank 1", "rank 1 0 9 1 1 1 1 0 0 0 0 1 0 0 0 0"), "no state 9"),
        (_with("rank 1", "rank 1 0 2 -1 1 1 1 0 0 0 0 1 0 0 0 0"), "not a number"),
        (_with("rank 1", "rank 1 0 2 1.5 1 1 1 0 0 0 0 1 0 0 0 0"), "not a number"),
        (_with("rank 1", f"rank 1 0 2 {2**63} 1 1 1 0 0 0 0 1 0 0 0 0"), "too large"),
        (_with("rank 1", f"rank 1 0 2 {'9' * 5000} 1 1 1 0 0 0 0 1 0 0 0 0"), "line"),
        (_with("rank 1", "rank 1 0 2 1 1"), "5 fields, 16 are expected"),
        (_with("rank 1", f"rank 1 0 2 {2**62} 1 1 1 0 0 0 0 1 0 0 0 0"), "longer than since"),
        (_with("row", "row 1 1 1 1 1 1 1 1 1 1 1 1"), "12 fields, 13 are expected"),
        (_with("row", "row 999 1 1 1 1 1 1 1 1 1 1 1 1"), "no function 999"),
        (_with("row", "row 1 999 1 1 1 1 1 1 1 1 1 1 1"), "no place 999"),
        (_with("peer", "peer 4 1 1 1 1"), "no rank 4"),
        (_with("function", "function 1 rm%20-rf 5"), "no name of a function"),
        (_with("function", "function 1 MPI_Send 99"), "99 is too large: 16 at most"),
        (_with("place", "place 1 solve 7 0"), "no object 7"),
        (_with("place", f"place 1 {'x' * 13000} 0 0"), "no string"),
        (_with("job", "job 1 2\njob 1 2"), "a second line 'job'"),
        (_slow("n01 {0} 0"), "3 fields, 4 are expected"),
        (_slow("n01 {0} 0 1.5"), "not a number"),
        (_slow("n01 {0} 0 100"), "no slow node can be so"),
        (_slow("n01 {0} 0 100001"), "no slow node can be so"),
        (_slow("n01 {0} 5 160"), "no slow node can be so"),
        (_slow("- {0} 0 160"), "no slow node can be so"),
        (_slow("\x1b[31m {0} 0 160"), "no string"),
        (_slow("n01 5 0 160"), "slow while the job did not run"),
        (_slow("n01 {0} 99999999999 160"), "slow while the job did not run"),
        (_slow("n01 {0} 0 160", 17), "more than 16 slow nodes"),
        (lambda lines: [*lines[:3], "exec rm 1", *lines[3:]], "line 4: a line of no known kind"),
        (lambda lines: [*lines[:3], "row 1 1 1 1 1 1 1 1 1 1 1 1 1", *lines[3:]], "no rank is"),
        (lambda lines: [*lines[:3], "", *lines[3:]], "line 4: a line of no known kind"),
        (lambda lines: [line for line in lines if line[:5] not in ("rank ", "row 3", "peer ")
                        and not line.startswith("row")], "no rank"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_is_refused_in_a_line(refused, change, said):
    text = refused(change)
    assert said in text and "101112-4711-99.job: line " in text and "\n" not in text


@pytest.fixture
def owned(monkeypatch):
    """Let files belong to that user."""
    read = job_file._read

    def make(uid):
        def other(name):
            data, status = read(name)
            return data, os.stat_result((*status[:4], uid, *status[5:]))

        monkeypatch.setattr(job_file, "_read", other)

    return make


@pytest.mark.parametrize(("named", "owner"), [(4001, 4002), (4001, 0)])
def test_a_file_that_names_another_user_is_refused(written, owned, named, owner):
    owned(owner)
    with pytest.raises(UserError, match="forged, or copied"):
        read_job(written(uid=named))


def test_whoever_is_root_in_a_container_is_the_owner_of_the_file(written, owned):
    """And nobody is root here who only says so."""
    owned(4002)
    job = read_job(written(uid=0))
    assert (job.uid, job.user) == (4002, job_file.user_name(4002))


def test_links_pipes_folders_and_large_files_are_refused(written, tmp_path):
    path = written()
    (tmp_path / "link.job").symlink_to(path)
    os.mkfifo(tmp_path / "pipe.job")
    (tmp_path / "folder.job").mkdir()
    (tmp_path / "large.job").write_bytes(b"leadline-job 1\n" * 1_200_000)
    (tmp_path / "empty.job").touch()
    for name, said in (
        ("link", "symbolic link"), ("pipe", "regular"), ("folder", "regular"),
        ("large", "more than a job writes"), ("empty", "line 1"), ("none", "No such file"),
    ):  # fmt: skip
        with pytest.raises(UserError, match=said):
            read_job(tmp_path / f"{name}.job")


def test_what_is_meant_as_a_file_of_a_job(written, tmp_path):
    path = written()
    assert is_job_file(path) and is_job_file(Path("there-is-none.job"))
    assert is_job_file(path.rename(tmp_path / "copied"))
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "text").write_text("mpiexec: hello")
    assert not any(is_job_file(tmp_path / name) for name in ("pipe", "text", "none", "."))


def test_every_cut_and_every_lost_line_is_refused_or_read(written, tmp_path):
    """No file makes anything but a refusal, wherever it is cut or garbled."""
    whole = written(late(3)).read_bytes()
    path = tmp_path / "damaged.job"
    for at in range(0, len(whole) - 1, 7):
        for data in (
            whole[:at],
            whole[:at] + b"\xff" + whole[at + 1 :],
            whole[:at] + whole[at + 5 :],
        ):
            path.write_bytes(data)
            try:
                read_job(path)
            except UserError as error:
                assert str(path) in str(error)


def test_a_thousand_ranks_are_read(written):
    ranks = [rank(each, node=each // 100) for each in range(1000)]
    job = read_job(written(ranks, hosts=[f"n{each}" for each in range(10)]))
    assert len(job.recording.ranks) == 1000 and job.recording.nodes == 10


def test_lines_are_looked_for_in_objects_of_the_reader_alone(written, tmp_path, monkeypatch):
    mine = tmp_path / "solver"
    mine.touch()
    asked = []

    def lines_in(file, addresses):
        asked.append(file)
        return {(file, addresses[0]): "solve.c:42"}

    monkeypatch.setattr(places, "_lines_in", lines_in)
    job = read_job(written(file=str(mine), began=time.time() + 60), lines=True)
    assert asked == [str(mine)]
    assert job.recording.rows[0].site.where == "solve (solve.c:42)"
    asked.clear()
    os.mkfifo(tmp_path / "trap")
    for file in (str(tmp_path / "trap"), "/proc/self/mem\0", str(tmp_path / "none")):
        read_job(written(file=file), lines=True)
    assert asked == []


def _explained(path):
    job = read_job(path)
    return of_job(explain(job.recording, Bounds(), run=str(path)), job)


def test_a_job_is_explained_as_a_recording(written):
    found = _explained(written(late(4, by=4.0)))
    assert headline(found) == (
        "65 % computing, 30 % waiting for late ranks, 5 % moving data: rank 3 is late by 400 ms a "
        "call."
    )
    assert "job 4711.0 of" in found.job and "/home/anna/solver" in found.job
    assert found.seen_until == "" and found.measure == ()


def test_a_job_without_an_end_is_called_so(written):
    ranks = [
        rank(each, state=RUNNING, seconds=900.0, inside=("MPI_Recv", 600.0)) for each in range(64)
    ]
    found = _explained(written(ranks, began=time.time() - 5000))
    assert headline(found).startswith("the job did not end as far as is known: 33 % computing, 67")
    assert "last seen with ranks 0-63 in MPI_Recv at solve for 600 s" in headline(found)
    assert "The job had not ended on" in found.notes[0]
    assert sum("MPI_Recv" in note for note in found.notes) == 1


def test_a_job_of_no_time_is_explained(written):
    assert headline(_explained(written([rank(0, seconds=0.0)]))) == "no time."


STUCK = "Rank 1 waits in MPI_Recv for rank 0, which is in MPI_Barrier."


def test_what_a_watcher_said_of_a_hang_comes_first(written):
    ranks = [rank(each, state=GONE, inside=("MPI_Recv", 600.0)) for each in range(2)]
    path = written(ranks, stuck=STUCK)
    assert read_job(path).stuck == STUCK and read_job(path).is_gone
    found = _explained(path)
    assert found.notes[0] == STUCK
    assert "last seen with ranks 0-1 in MPI_Recv at solve" in headline(found)


def test_a_node_that_was_slow_for_a_while_is_named(written):
    began = time.time() - 3600
    slow = (f"n%2001 {began + 600:.0f} {began + 900:.0f} 160", f"n02 {began + 800:.0f} 0 213")
    path = written(even(4, nodes=2), began=began, slow=slow, hosts=("n 01", "n02"))
    job = read_job(path)
    assert [(each.host, each.factor) for each in job.slow] == [("n 01", 1.6), ("n02", 2.13)]
    assert not job.is_open and not job.stuck
    first, second = _explained(path).notes[:2]
    assert first.startswith("Node n 01 computed 1.6x longer for each call from ")
    assert second.endswith(" on; the other nodes did not.")
    assert summarise(job, time.time()).cause.endswith("node n 01 1.6x slower for 300 s")


def test_ranks_that_were_ended_are_no_open_job(written):
    found = _explained(written([rank(each, state=GONE) for each in range(2)]))
    assert found.notes[0].startswith("The ranks were ended on")
    survived = read_job(written([rank(0), rank(1, state=GONE)]))
    assert not survived.is_gone and not survived.is_open


def test_an_aborted_job_is_no_open_one(written):
    assert not read_job(written([rank(0, state=ABORTED)])).is_open


def test_a_job_that_was_aborted_does_not_go_on(written):
    ranks = [rank(0, state=RUNNING), rank(1, state=ABORTED)]
    found = _explained(written(ranks, began=time.time() - 5000))
    assert found.seen_until == "" and "did not end" not in headline(found)
    assert found.notes[0] == "Rank 1 called MPI_Abort."
    assert not any("no end" in note or "goes on" in note for note in found.notes)


def test_what_a_file_says_stays_in_its_line(written):
    path = written([rank(0)])
    forged = path.read_text().replace("solver", "a%0A%201%20%20run%1B%5B2J%E2%80%AE%C2%85")
    path.write_text(forged)
    assert read_job(path).program == "/home/anna/a? 1  run?[2J??"
