"""Reports of mpiP: ranks, calls by place, what the report leaves out, and damage that it shows."""

import re

import pytest
from mpip_report import HALO, SEND, SITES, report

from leadline.core.errors import UserError
from leadline.exchange.imports.collect import import_files


@pytest.fixture
def read(tmp_path):
    """Return what is read of a text."""

    def make(text, **options):
        path = tmp_path / "wave.4.4711.1.mpiP"
        path.write_text(text)
        return import_files([path], **options)

    return make


def lost(run):
    return [one.text for one in run.imported.remarks if one.kind == "lost"]


def test_ranks_have_their_time_their_time_in_mpi_and_their_host(read):
    run = read(report(app=(10.0, 10.0, 10.0, 12.5)), mpi="mpich-4")
    profile = run.imported.profile
    assert run.imported.program == "mpiP 3.5.0" and run.imported.when == "2026-01-31T10:15:00"
    assert profile.command == ("./wave", "-n", "400") and profile.ranks_total == 4
    seen = [(one.rank, one.host, one.seconds, one.mpi_s) for one in profile.ranks]
    assert seen == [
        (0, "node1", 10.0, 1.46), (1, "node1", 10.0, 1.61), (2, "node2", 10.0, 1.31),
        (3, "node2", 12.5, 0.242),
    ]  # fmt: skip
    assert lost(run) == [] and run.outcome.state == "complete"
    recorded = run.explained
    assert (recorded.mpi, recorded.ranks, recorded.nodes, run.plan.name) == (
        "mpich-4", 4, 2, "wave"
    )  # fmt: skip


def test_calls_are_those_of_all_ranks_the_longest_first(read):
    calls = read(report()).imported.profile.calls
    assert [one.call for one in calls] == ["MPI_Waitall", "MPI_Allreduce", "MPI_Isend", "MPI_Bcast"]
    wait, total, send, _ = calls
    assert (wait.calls, wait.bytes) == (2000, None)
    assert wait.where == "exchange(Grid&, int) (halo.c:88) < main (main.c:41)"
    assert wait.seconds == pytest.approx(2.9, rel=5e-3)
    assert (wait.fastest_s, wait.slowest_s) == pytest.approx((0.0002, 0.006))
    assert (total.where, total.bytes, total.calls) == ("0x4005d2", 8000, 1000)
    assert (send.where, send.bytes) == ("exchange(Grid&, int) (halo.c:71)", 24_000_000)


def test_ranks_below_the_threshold_count_all_the_same(read):
    whole, few = read(report()), read(report(threshold=30.0))
    assert report(threshold=30.0).count("Allreduce") < report().count("Allreduce")
    assert few.imported.profile == whole.imported.profile and lost(few) == []


def test_a_report_without_details_has_the_longest_calls(read):
    profile = read(report(detail=False)).imported.profile
    assert profile.notes == ("The report has only the 20 places that take the most time.",)
    assert [(one.call, one.calls, one.bytes) for one in profile.calls] == [
        ("MPI_Waitall", 2000, None), ("MPI_Allreduce", 1000, 8000),
        ("MPI_Isend", 4000, 24_000_000), ("MPI_Bcast", 4, 160),
    ]  # fmt: skip
    assert profile.calls[0].seconds == pytest.approx(2.9)
    assert profile.calls[0].slowest_s is None


@pytest.mark.parametrize("version", ["3.3.0", "3.4.1"])
def test_earlier_versions_are_read(read, version):
    assert read(report(version=version)).imported.program == f"mpiP {version}"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        # A rank's share in MPI does not fit its times.
        (lambda text: re.sub(r"1\.46    14\.62", "1.46    24.62", text), "this is no row"),
        # The total of a callsite does not fit its share.
        (lambda text: re.sub(r"(Waitall +2 +\*) +2000", r"\1   1000", text),
         "the lines of callsite 2 (Waitall) are damaged"),
        (lambda text: re.sub(r"(Allreduce +3 +\* +1000) +4.4", r"\1 0.004", text),
         "the times of callsite 3 do not agree"),
        (lambda text: re.sub(r"(Isend +1 +\*.*) 2.4e\+07", r"\1 2.9e+07", text),
         "the bytes of callsite 1 do not agree"),
        (lambda text: text.replace("@--- Callsite Time", "@-- Callsite Time"),
         "the heading of the times by callsite is missing"),
        (lambda text: text.replace("0 node1", "zero node1"), "this line tells the host of no rank"),
        (lambda text: text[: text.index("@--- End")], "the report has no end: it was cut"),
        (lambda text: text + text, "a second report begins here: import it by itself"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_remarked_on_and_left_out(read, change, says):
    text = report()
    assert change(text) != text
    run = read(change(text))
    assert any(says in each for each in lost(run))
    assert run.outcome.state == "incomplete"
    sound = read(text).imported.profile
    assert set(run.imported.profile.ranks) - {*sound.ranks} <= {
        one for one in run.imported.profile.ranks if not one.host
    }
    times = {(one.call, one.seconds, one.calls) for one in sound.calls}
    assert {(one.call, one.seconds, one.calls) for one in run.imported.profile.calls} <= times


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("@ mpiP\n@ Version : 3.5.0\n", "has no figure of mpiP that can be read"),
        (report().replace("MPI Time (seconds)", "Task Time Statistics (seconds)"),
         "is a concise report of mpiP, which has no time of each rank: run again without -c"),
    ],
)  # fmt: skip
def test_what_has_no_times_of_ranks_is_refused_in_one_line(read, text, says):
    with pytest.raises(UserError, match=re.escape(says)) as raised:
        read(text)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("word", ["0e999999", "0e-999999", "1e999999", "9" * 400, "nan", "1_0"])
def test_numbers_that_no_float_holds_are_no_traceback(read, word):
    for old in ("1.46 ", " 2000 ", " 1.45 ", "2.4e+07"):
        assert old in report()
        read(report().replace(old, f" {word} "))


def test_a_profile_is_imported_by_itself(tmp_path):
    paths = [tmp_path / name for name in ("a.mpiP", "b.mpiP")]
    for path in paths:
        path.write_text(report())
    with pytest.raises(UserError, match="is a profile of a whole program: import each file by"):
        import_files(paths)


def test_the_reports_of_the_tests_agree_with_what_they_declare():
    # A row of the format's description, with its widths.
    assert "Waitall              2    3    500      0.9      0.4      0.2   2.00  82.64" in report()
    assert len(SITES) == 4 and HALO["sent"] is None and SEND["sent"] == 6000
