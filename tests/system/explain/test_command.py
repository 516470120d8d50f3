"""`leadline explain`: started, kept as a run, shown again; the library is a launcher's copy."""

import json
import os
import shutil
import stat
import sys

import pytest
from in_process import leadline
from recordings import late_rank, rank, write_node
from replaced import replace_everywhere

from leadline.model.installation import Installation


@pytest.fixture
def there(tmp_path, monkeypatch):
    """An installation whose launcher leaves a recording and ends as its first word says."""
    recorded = tmp_path / "recorded"
    write_node(recorded, late_rank())
    launcher = tmp_path / "bin/mpiexec"
    launcher.parent.mkdir()
    launcher.write_text(
        f'#!/bin/sh\necho out\necho "$LD_PRELOAD" > {tmp_path}/preloaded\n'
        f'cp {recorded}/* "$LEADLINE_EXPLAIN"\nexit $1\n'
    )
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    home = tmp_path / "home"
    runtime = home / "runtime/m-1"
    runtime.mkdir(parents=True)
    (runtime / "libleadline-explain.so").touch()
    installation = Installation(
        name="m-1", family="mpich", version="1", prefix="/m", source="", mpicc="c",
        mpiexec=str(launcher),
    )  # fmt: skip
    monkeypatch.setenv("LEADLINE_HOME", str(home))
    for name in ("LD_PRELOAD", "LEADLINE_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LEADLINE_LEARN", "0")
    for name in ("observer_for", "runtime_for"):
        function = f"leadline.measure.build.runtime.{name}"
        replace_everywhere(monkeypatch, function, lambda made, _, **apis: runtime)
    replace_everywhere(
        monkeypatch, "leadline.site.mpi.discovery.find_installations", lambda: [installation]
    )
    return installation


def runs(tmp_path):
    return sorted(each.name for each in (tmp_path / "home/runs").iterdir())


def test_a_run_is_kept_and_shown_again(there, tmp_path, capfd):
    done = leadline("explain", "--", there.mpiexec, "0", "./app")
    assert done.returncode == 0 and done.stdout == ""
    assert capfd.readouterr().out == "out\n"
    assert "rank 3 is late by 2 ms a call" in " ".join(done.stderr.split())
    [name] = runs(tmp_path)
    assert "explain" in name
    listed = json.loads(leadline("runs", "--json").stdout)["runs"]
    assert [(each["run"], each["state"], each["placements"]) for each in listed] == [
        (name, "complete", ["1x4"])
    ]
    assert listed[0]["message"].endswith("rank 3 is late by 2 ms a call.")
    again = leadline("explain", name)
    assert again.stdout == done.stderr
    assert leadline("show", name).stdout == again.stdout
    shown = json.loads(leadline("explain", "--json", "last").stdout)
    assert shown["late"]["verdict"] == "rank" and shown["late"]["rank"] == 3
    assert shown["command"] == [there.mpiexec, "0", "./app"]
    for each in shown["ranks"]:
        assert sum(value for key, value in each.items() if key != "rank") == pytest.approx(10)


def test_an_argument_may_be_any_bytes(there, capfd):
    done = leadline("explain", "--", there.mpiexec, "0", os.fsdecode(b"\xff"))
    assert done.returncode == 0
    assert json.loads(leadline("explain", "--json", "last").stdout)["command"][2] == "\ufffd"


def test_json_has_standard_output_for_itself(there, capfd):
    done = leadline("explain", "--json", "--", there.mpiexec, "3")
    assert done.returncode == 3
    assert json.loads(done.stdout)["late"]["rank"] == 3
    assert done.stderr == f"leadline: {there.mpiexec} ended with status 3\n"


def test_the_engine_is_preloaded_behind_it(there, tmp_path):
    leadline("explain", "--", there.mpiexec, "0")
    runtime = tmp_path / "home/runtime/m-1"
    preloaded = tmp_path / "preloaded"
    assert preloaded.read_text() == f"{runtime}/libleadline-explain.so\n"
    leadline("explain", "--accelerate", "--mpi", "m-1", "--", there.mpiexec, "0")
    assert preloaded.read_text() == f"{runtime}/libleadline-explain.so:{runtime}/libleadline.so\n"


def test_a_program_without_mpi_is_one_line_and_no_run(there, tmp_path):
    shutil.rmtree(tmp_path / "recorded")
    write_node(tmp_path / "recorded", [], unused=2)
    done = leadline("explain", "--", there.mpiexec, "0")
    assert done.stderr == (
        "leadline: no process called MPI_Init or shmem_init (sessions alone are not seen): nothing "
        "is known of where the time went\n"
    )
    assert done.returncode == 0 and runs(tmp_path) == []
    program = leadline("explain", "--mpi", "m-1", "--", sys.executable, "-c", "exit(4)")
    assert program.returncode == 4 and runs(tmp_path) == []
    assert program.stderr.count("\n") == 2


def test_a_file_for_talps_pages_is_the_same_when_shown_again(there, tmp_path):
    first, again = tmp_path / "ci/4x1/first.json", tmp_path / "ci/4x1/again.json"
    done = leadline("explain", "--talp", first, "--", there.mpiexec, "0")
    assert done.stderr.endswith(f"leadline: for talp ci-report: {first}\n")
    assert leadline("explain", "--talp", again, "last").returncode == 0
    assert first.read_text() == again.read_text()
    assert json.loads(first.read_text())["Application"]["Global"]["numMpiRanks"] == 4
    assert "leave out --talp" in leadline("explain", "--talp", again, "--diff", "a", "b").stderr
    assert "leave out --talp" in leadline("explain", "--talp", again, "--replay", "last").stderr


def test_a_page_is_written_too(there, tmp_path):
    page = tmp_path / "page.html"
    done = leadline("explain", "--html", page, "--", there.mpiexec, "0")
    assert done.stderr.endswith(f"report: {page}\n")
    first = page.read_text()
    assert "rank 3 is late by 2 ms a call" in first
    assert leadline("show", "last", "--html", page).returncode == 0
    assert page.read_text() == first
    refused = leadline("explain", "--html", tmp_path / "no/page.html", "last")
    assert refused.returncode == 2 and "cannot be written" in refused.stderr


def test_a_folder_of_files_is_shown(there, tmp_path):
    done = leadline("explain", tmp_path / "recorded")
    assert done.returncode == 0
    assert done.stdout.startswith("=== leadline explain: 80 % computing")


def test_the_difference_of_two(there, tmp_path):
    write_node(tmp_path / "other", late_rank(delay=4.0, seconds=12.0))
    done = leadline("explain", "--diff", tmp_path / "recorded", tmp_path / "other")
    assert "the second is 1.2x slower (12 s, was 10 s)" in done.stdout
    words = ("explain", "--json", "--diff", tmp_path / "recorded", tmp_path / "other")
    assert json.loads(leadline(*words).stdout)["calls"][0]["call"] == "MPI_Allreduce"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "nothing to explain: `leadline explain -- mpirun -n 4 ./app`"),
        (["nosuch-program", "-x"], "nosuch-program: command not found"),
        (["nosuch-run"], "no run 'nosuch-run'"),
        (["/"], "/ is not a run folder"),
        (["true", "-x"], "true: unknown MPI: name the program's with --mpi"),
        (["--mpi", "m-2", "true"], "no MPI 'm-2'"),
        (["--diff", "a", "b", "c"], "--diff takes two runs, and nothing behind them: leave out c"),
        (["--diff", "a", "b"], "no run 'a'"),
        (["--diff", "a"], "--diff"),
    ],
)
def test_bad_input_is_one_line(there, words, says):
    done = leadline("explain", *words)
    assert done.returncode == 2
    assert says in done.stderr and done.stderr.count("\n") == 1


def test_a_cut_file_is_one_line(there, tmp_path):
    path = write_node(tmp_path / "cut", [rank(0)])
    path.write_bytes(path.read_bytes()[:-1])
    done = leadline("explain", tmp_path / "cut")
    assert done.returncode == 2 and "is cut: it has" in done.stderr


def test_the_rest_of_leadline_lives_with_a_recording(there, tmp_path):
    leadline("explain", "--", there.mpiexec, "0")
    leadline("explain", "--", there.mpiexec, "0")
    name, other = runs(tmp_path)
    assert leadline("runs", "query", "SELECT run, points FROM runs").returncode == 0
    alone = leadline("compare", name, name)
    assert alone.returncode == 2 and "are one recording" in alone.stderr
    compared = leadline("compare", name, other)
    assert compared.returncode == 0, compared.stderr
    assert leadline("show", name, "--as", "pairs").returncode == 2
    assert leadline("runs", "remove", name, other, "--yes").returncode == 0
    assert runs(tmp_path) == []
