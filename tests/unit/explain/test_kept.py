"""Every command that takes a run takes a recording of a program, or says in a line what to do."""

import csv
import io
import json

import pytest
from command import InProcess
from mpip_report import report
from recorded_runs import keep, talking_ranks
from recordings import late_rank
from replaced import replace_everywhere
from served import imported_run

from leadline.store.folder import RunFolder

LATE = "80 % computing, 15 % waiting for late ranks, 5 % moving data"


@pytest.fixture
def leadline(tmp_path, monkeypatch):
    # To look for installations would start their wrappers.
    replace_everywhere(monkeypatch, "leadline.site.mpi.discovery.find_installations", list)
    home = tmp_path / "home"
    return InProcess(home / "runs", {"LEADLINE_HOME": str(home), "LEADLINE_LEARN": "0"})


@pytest.fixture
def name(leadline):
    return keep(leadline.runs, headline=f"{LATE}.")


def figures(leadline):
    """Keep a run with figures and return its name."""
    folder = RunFolder.create(leadline.runs, "published")
    run = imported_run(folder.name)
    folder.finish(run)
    return folder.name


def profile(leadline, tmp_path, **fields):
    """Import a report of mpiP and return the name of its run."""
    path = tmp_path / "wave.4.4711.1.mpiP"
    path.write_text(report(**fields))
    return json.loads(leadline("runs", "import", "--json", path).stdout)["run"]


def one_line(done, *said):
    assert done.returncode == 2 and done.stdout == "", done.stdout
    assert done.stderr.startswith("leadline: ") and done.stderr.count("\n") == 1
    for each in said:
        assert each in done.stderr


def test_runs_lists_what_it_says(leadline, name):
    [run] = json.loads(leadline("runs", "--json").stdout)["runs"]
    assert (run["run"], run["message"], run["benchmarks"]) == (name, f"{LATE}.", ["explain app"])
    assert (run["mpi"], run["placements"], run["trust"]) == (["m-1"], ["1x4"], "")
    assert "80 % computing" in " ".join(leadline("runs").stdout.split())


def test_show_prints_what_explain_prints(leadline, name, tmp_path):
    shown = leadline("show", name)
    assert shown.stdout == leadline("explain", name).stdout
    assert " ".join(shown.stdout.split()).startswith(f"=== leadline explain: {LATE}")
    for option in ("--full", "--json"):
        shown = leadline("show", name, option)
        assert shown.stdout == leadline("explain", option, name).stdout != ""
    pages = [tmp_path / f"{command}.html" for command in ("show", "explain")]
    for page in pages:
        assert leadline(page.stem, "--html", page, name).returncode == 0
    assert pages[0].read_text() == pages[1].read_text()
    one_line(leadline("show", name, "--as", "pairs"), "has no table pairs", "--full")


def test_the_start_screen_shows_it(leadline, name):
    said = leadline().stdout
    assert f"Last run: {name}" in said and LATE in " ".join(said.split())


def test_compare_of_two_says_what_differs(leadline, name):
    other = keep(leadline.runs, late_rank(delay=4.0, seconds=12.0))
    done = leadline("compare", name, other)
    assert done.returncode == 0
    assert done.stdout == leadline("explain", "--diff", name, other).stdout
    assert "the second is 1.2x slower (12 s, was 10 s)" in done.stdout
    found = json.loads(leadline("compare", "--json", name, other).stdout)
    assert (found["base"], found["other"]) == (name, other)


def test_compare_refuses_what_cannot_be_compared(leadline, name):
    other = figures(leadline)
    says = f"{name} is a recording of a program, and {other} has figures"
    for words in ((name, other), (other, name), (other, name, other)):
        one_line(leadline("compare", *words), says, "compare two recordings")
    one_line(leadline("compare", name), "two at a time, not 1")
    one_line(leadline("compare", name, name, name), "two at a time, not 3")
    one_line(leadline("compare", name, "--by", "mpi"), "leave out --by")
    one_line(leadline("compare", name, name, "--fail-if", "slower"), "leave out --fail-if")
    one_line(leadline("explain", "--diff", name, other), f"{other} is no recording")


@pytest.mark.parametrize(
    "words",
    [
        ("show", "--findings"),
        ("show", "--export", "csv"),
        ("show", "--export", "figures-csv"),
        ("platforms", "calibrate", "--name", "new"),
    ],
)
def test_what_needs_figures_says_what_to_do(leadline, name, words):
    done = leadline(*words, name)
    one_line(done, f"{name} is a recording of a program and has no", f"{name}`")


@pytest.mark.parametrize(
    "words",
    [
        ("show", "--findings", "--against", "{}", "{}"),
        ("simulate", "--predict", "halo", "--on", "{}"),
        ("rank-order", "--place", "1x4", "--neighbours", "{}"),
        ("mpi", "software", "--diff", "{}", "{}"),
        ("view", "map", "--nodes-of", "{}"),
        ("show", "{}", "--plot"),
        ("show", "--recover", "{}"),
    ],
)
def test_no_command_ends_in_a_traceback(leadline, name, words):
    done = leadline(*(word.format(name) for word in words))
    assert "Traceback" not in done.stderr and "Error:" not in done.stderr
    assert done.returncode in (0, 2)


def rows(leadline, sql):
    done = leadline("runs", "query", "--format", "csv", sql)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def test_query_has_the_ranks_and_the_calls(leadline, name):
    found = rows(leadline, "SELECT * FROM program_ranks ORDER BY rank")
    assert [(row["run"], row["rank"]) for row in found] == [(name, str(at)) for at in range(4)]
    assert [float(row["waiting_s"]) for row in found] == pytest.approx([2, 2, 2, 0])
    [call] = rows(leadline, "SELECT * FROM program_calls")
    assert (call["call"], call["place"], call["bytes"], call["calls"]) == (
        "MPI_Allreduce", "main", "8", "4000"
    )  # fmt: skip
    assert float(call["waiting_s"]) == pytest.approx(6) and call["bound_s"] == ""
    one_line(
        leadline("runs", "query", "SELECT * FROM nowhere"), "runs, program_ranks, program_calls"
    )


def test_a_recording_that_cannot_be_read_is_left_out_of_a_query(leadline, name):
    broken = keep(leadline.runs)
    [file] = (leadline.runs / broken / "explain").iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    done = leadline("runs", "query", "SELECT DISTINCT run FROM program_ranks")
    assert name in done.stdout and broken not in done.stdout
    assert done.stderr.startswith(f"leadline: {broken} is left out: ") and "is cut" in done.stderr
    one_line(leadline("show", broken), "is cut")


def test_a_report_of_mpip_is_a_recording(leadline, tmp_path):
    run = profile(leadline, tmp_path)
    [listed] = json.loads(leadline("runs", "--json").stdout)["runs"]
    said = "88 % computing, 12 % in MPI (waiting or moving data)"
    assert (listed["benchmarks"], listed["message"]) == (["mpiP 3.5.0 wave"], f"{said}.")
    assert listed["placements"] == ["2x2"] and listed["trust"] == ""
    shown = leadline("show", run, "--full").stdout
    assert shown.startswith(f"=== leadline explain: {said}")
    assert "does not tell waiting from moving data, nor who sends to whom" in " ".join(
        shown.split()
    )
    assert "waiting for late ranks" not in shown and "measured bound" not in shown
    [line] = [line for line in shown.splitlines() if line.startswith("MPI_Isend")]
    # The mean of a call gives way to what cannot be worked out.
    assert line.split()[-6:] == ["12", "ms", "10", "us", "40", "us"]
    assert max(map(len, shown.splitlines())) <= 80
    found = json.loads(leadline("explain", "--json", run).stdout)
    assert found["waiting_known"] is False and found["efficiency"]["serialisation"] is None
    assert [rank["transfer_s"] for rank in found["ranks"]] == [1.46, 1.61, 1.31, 0.242]
    [advice] = found["advice"]
    assert advice["command"] == "leadline explain -- mpirun -n 4 ./wave -n 400"
    for row in rows(leadline, "SELECT * FROM program_ranks"):
        assert row["waiting_s"] == "" and float(row["transfer_s"]) > 0


def test_a_file_of_mpip_is_shown_without_being_kept(leadline, tmp_path):
    path = tmp_path / "wave.mpiP"
    path.write_text(report())
    shown = leadline("show", path)
    assert shown.stdout == leadline("explain", path).stdout
    assert shown.stdout.rstrip().endswith(f"leadline explain --full {path}")
    assert not leadline.runs.exists()


def test_two_of_mpip_and_one_of_each_are_compared_as_a_whole(leadline, name, tmp_path):
    run = profile(leadline, tmp_path, app=(20.0,) * 4)
    path = tmp_path / "other.mpiP"
    path.write_text(report())
    done = leadline("compare", run, path)
    assert done.returncode == 0 and "2.0x faster (10 s, was 20 s)" in done.stdout
    assert "waiting" not in done.stdout.split("One of them")[0]
    mixed = leadline("explain", "--diff", name, path)
    assert mixed.returncode == 0
    assert "One of them does not tell waiting from moving data: time is both." in mixed.stdout
    [line] = [line for line in mixed.stdout.splitlines() if line.startswith("MPI_Allreduce")]
    # 8 s of four ranks with waiting, against 1.68 s.
    assert line.split()[3:] == ["250", "(was", "1000)", "420", "ms", "2", "s", "-1.6", "s"]


def test_import_says_what_it_has_read(leadline, tmp_path):
    path = tmp_path / "wave.mpiP"
    path.write_text(report())
    done = leadline("runs", "import", path, "--name", "theirs")
    assert done.returncode == 0
    assert "mpiP 3.5.0, of 2026-01-31T10:15:00" in done.stdout
    assert "4 ranks, calls from 4 places" in done.stdout
    assert "shows where the time went" in done.stdout
    path.write_text(report()[:-200])
    assert leadline("runs", "import", path).returncode == 1


def test_a_running_program_and_one_without_a_rank(leadline):
    running = keep(leadline.runs, talking_ranks(), state="running")
    assert "75 %" not in leadline("show", running).stderr
    assert leadline("show", running).returncode == 0
    empty = keep(leadline.runs, [], program="empty")
    one_line(leadline("show", empty), "no process called MPI_Init")
