"""What people and programs are told."""

import platform

import msgspec
import pytest
from recorded_calls import At, Recorded

from leadline.core.errors import UserError
from leadline.output.terminal.hang import lines
from leadline.stuck.current import MAGIC
from leadline.stuck.report import report

BARRIER = At(call="MPI_Barrier", place="a_rather_long_function_name<of, a, template>::operator()")
JOBS = {
    "stuck": [At(call="MPI_Send", peer=1, tag=5), At(call="MPI_Recv", peer=0, tag=6)],
    "not stuck": [BARRIER, At(for_s=0.2)],
    "a long name": [BARRIER, At(for_s=300.0), BARRIER],
    "a communicator": [At(call="MPI_Allreduce", comm=2**63 + 5, number=123456), At(for_s=9.0)],
}


@pytest.mark.parametrize("name", JOBS)
def test_lines_fit_a_screen_but_for_commands(name, tmp_path):
    found = Recorded(tmp_path, [*JOBS[name]]).answer()
    commands = {f"    {hang.fix}" for hang in found.findings}
    said = list(lines(found))
    assert all(len(line) <= 80 for line in said if line not in commands), said
    assert commands <= {*said} or all(each.endswith(".") for each in commands)


def test_the_verdict_is_first_and_then_where_ranks_are(tmp_path):
    said = list(lines(Recorded(tmp_path, [*JOBS["a long name"]]).answer()))
    assert (
        said[0] == "=== leadline stuck: Rank 1 computes without a call for 5 min: an endless loop,"
    )
    table = said[3:]
    assert table[0].split() == ["ranks", "call", "on", "for", "process"]
    assert table[1].split()[:4] == ["0,2", "MPI_Barrier", "COMM_WORLD", "#7"]
    assert table[2].strip() == f"at {BARRIER.place}"
    assert table[3].split()[:5] == ["1", "own", "code", "5", "min"]


def test_functions_that_a_debugger_told_are_shown(tmp_path):
    job = Recorded(tmp_path, [BARRIER, At(for_s=90.0)], stacks={4001: ("spin", "solve", "main")})
    assert "rank 1 is in spin < solve < main" in job.answer().findings[0].evidence
    assert any("spin < solve" in line for line in lines(job.answer()))


def test_json_has_the_keys_that_are_promised(tmp_path):
    said = msgspec.to_builtins(Recorded(tmp_path, [*JOBS["stuck"]]).answer())
    assert said["verdict"] == "wrong_tag"
    assert said["missing"] == ()
    first = said["ranks"][0]
    assert {"rank", "call", "communicator", "since_s"} <= set(first)
    assert (first["call"], first["communicator"]) == ("MPI_Send", "MPI_COMM_WORLD")
    assert (first["peer"], first["tag"], first["place"]) == (1, 5, "solve")
    assert 29 < first["since_s"] < 40
    assert said["library"] == "MPICH Version: 4.0.2"


def test_a_rank_in_its_own_code_has_no_call(tmp_path):
    rank = Recorded(tmp_path, [BARRIER, At(tag=4, peer=0)]).answer().ranks[1]
    assert (rank.call, rank.communicator, rank.peer, rank.tag) == ("", "", None, None)


def test_a_rank_that_has_called_nothing_is_there_since_it_began(tmp_path):
    began = At(for_s=9.0, ran_s=3.0, calls=0, has_called=False)
    rank = Recorded(tmp_path, [BARRIER, began]).answer().ranks[1]
    assert rank.since_s == pytest.approx(12.8, abs=0.3)


def test_times_of_another_host_are_not_known(tmp_path):
    found = Recorded(tmp_path, [BARRIER, BARRIER], host=platform.node() + "-2").answer()
    assert [rank.since_s for rank in found.ranks] == [None, None]
    assert {rank.process for rank in found.ranks} == {"elsewhere"}
    assert found.verdict == "unknown"
    assert found.text.startswith("no answer: no rank went on")


def test_a_job_that_has_ended_is_told(tmp_path):
    job = Recorded(tmp_path, [At(state=2, process="Z")] * 2)
    with pytest.raises(UserError, match="has ended: give one that runs"):
        job.answer()


@pytest.mark.parametrize(("for_s", "verdict"), [(30.0, "missing_send"), (0.1, "moves")])
def test_where_ranks_were_when_a_job_was_ended_is_judged(tmp_path, for_s, verdict):
    waits = At(call="MPI_Recv", peer=0, tag=5, for_s=for_s, process="Z")
    job = Recorded(tmp_path, [msgspec.structs.replace(BARRIER, for_s=for_s, process="Z"), waits])
    (job.folder / "ended").write_text(f"{int(job.now * 1e9)} {platform.node()}")
    found = job.answer()
    assert (found.verdict, found.has_ended) == (verdict, True)
    assert {each.process for each in found.ranks} == {"ended"}
    assert [each.since_s for each in found.ranks] == [pytest.approx(for_s, abs=0.01)] * 2
    assert next(iter(lines(found))).startswith("=== leadline stuck: when it was ended: ")
    (job.folder / "ended").write_text(f"{int(job.now * 1e9)} another")
    with pytest.raises(UserError, match="has ended"):
        job.answer()


@pytest.mark.parametrize("text", ["no-such-folder", "999999999"])
def test_what_is_no_job_is_told(text, tmp_path):
    from leadline.site.hardware.files import Files
    from leadline.stuck.watch import watch

    (tmp_path / "proc").mkdir()
    with pytest.raises(UserError, match=text):
        watch(text, Files(tmp_path))


def test_a_folder_without_a_recording_is_told(tmp_path):
    job = Recorded(tmp_path, [BARRIER])
    path = job.folder / "node-0.explain"
    data = path.read_bytes()
    path.write_bytes(data.replace(MAGIC, b"LLEXPL99"))
    with pytest.raises(UserError, match="no recording"):
        report_of(job)
    path.write_bytes(data[:100])
    with pytest.raises(UserError, match="no recording"):
        report_of(job)
    path.unlink()
    with pytest.raises(UserError, match="holds no recording"):
        report_of(job)


def test_a_process_before_mpi_init_has_no_rank_yet(tmp_path):
    job = Recorded(tmp_path, [BARRIER])
    (job.folder / "node-0.explain").unlink()
    with pytest.raises(UserError, match="has no rank yet: ask again when the program has begun"):
        report_of(job, str(job.pid(0)))


def report_of(job, target=""):
    """Look at a recording as it lies there, without writing it anew."""
    from leadline.site.hardware.files import Files
    from leadline.stuck.watch import watch

    there = target or str(job.folder)
    return report(watch(there, Files(job.root), 0.0, lambda _: None, lambda *_: {}))


def test_a_recording_that_is_cut_shows_the_ranks_it_has(tmp_path):
    job = Recorded(tmp_path, [BARRIER, BARRIER])
    path = job.folder / "node-0.explain"
    path.write_bytes(path.read_bytes()[:-1000])
    assert [rank.rank for rank in report_of(job).ranks] == [0, 1]
    path.write_bytes(path.read_bytes()[:9000])
    assert [rank.rank for rank in report_of(job).ranks] == [0]
