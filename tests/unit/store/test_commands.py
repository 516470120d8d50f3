"""The commands over run folders, as a user types them."""

import csv
import json
import subprocess
from pathlib import Path

import duckdb
import pytest
from in_process import leadline
from measured import Make


def refused(result: subprocess.CompletedProcess, words: str) -> None:
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("leadline: ") and result.stderr.count("\n") == 1
    assert words in result.stderr


def test_runs_lists_what_is_there_newest_last(runs: Path) -> None:
    lines = leadline("runs", "--runs", runs).stdout.splitlines()
    found = [
        line for line in lines if "-complete-" in line or "-killed-" in line or "-damag" in line
    ]
    assert ["-complete-" in found[0], "-killed-" in found[1], "-damaged-" in found[2]] == [True] * 3
    assert "incomplete: leadline itself was killed" in found[1]
    assert "unreadable" in found[2]
    document = json.loads(leadline("runs", "--json", "--runs", runs).stdout)
    first, second, third = document["runs"]
    assert (first["state"], first["launches"], first["points"]) == ("complete", 2, 3)
    assert (second["state"], second["finished"]) == ("incomplete", 2)
    assert third["state"] == "unreadable"
    assert first["folder"] == str(runs / first["run"]) and first["size_bytes"] > 1000


def test_runs_of_a_folder_without_any(tmp_path: Path) -> None:
    result = leadline("runs", "--runs", tmp_path / "none")
    assert (result.returncode, result.stdout) == (0, "")
    assert "no runs in" in result.stderr
    assert json.loads(leadline("runs", "--json", "--runs", tmp_path / "none").stdout) == {
        "runs": []
    }


@pytest.mark.parametrize("state", ["complete", "killed"])
def test_every_format_exports_the_same_samples(runs: Path, tmp_path: Path, state: str) -> None:
    run = next(path.name for path in runs.iterdir() if f"-{state}-" in path.name)
    for form in ("csv", "json", "parquet"):
        target = tmp_path / f"out.{form}"
        result = leadline("show", run, "--export", form, "--output", target, "--runs", runs)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        piped = leadline("show", run, "--export", form, "--output", "-", "--runs", runs, text=False)
        assert piped.stdout == target.read_bytes()
    table = duckdb.sql(f"SELECT * FROM read_parquet('{tmp_path / 'out.parquet'}')")
    wanted = [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]
    assert len(wanted) == (60 if state == "complete" else 20)
    assert json.loads((tmp_path / "out.json").read_text()) == wanted
    with (tmp_path / "out.csv").open() as stream:
        found = list(csv.DictReader(stream))
    assert [float(row["seconds"]) for row in found] == [row["seconds"] for row in wanted]
    assert [{**row} for row in found] == [
        {name: str(value) for name, value in row.items()} for row in wanted
    ]


def test_export_refuses_what_it_cannot_do(runs: Path, tmp_path: Path) -> None:
    name = next(path.name for path in runs.iterdir() if "-complete-" in path.name)
    refused(leadline("show", name, "--export", "parquet", "--runs", runs), "--output FILE")
    samples = next(path / "samples.parquet" for path in runs.iterdir() if "-damaged-" in path.name)
    assert leadline("show", "last", "--export", "csv", "--runs", runs).returncode == 0
    samples.unlink()
    refused(leadline("show", "last", "--export", "csv", "--runs", runs), "is damaged")
    nowhere = tmp_path / "none" / "out.csv"
    refused(
        leadline("show", name, "--export", "csv", "--output", nowhere, "--runs", runs),
        f"cannot write {nowhere}",
    )
    assert leadline("show", name, "--export", "xml", "--runs", runs).returncode == 2


def test_show_says_first_how_the_run_ended(runs: Path, tmp_path: Path) -> None:
    for state, words in (("complete", "complete"), ("killed", "leadline itself was killed")):
        run = next(path.name for path in runs.iterdir() if f"-{state}-" in path.name)
        report = tmp_path / f"{state}.html"
        result = leadline("show", run, "--html", report, "--runs", runs)
        assert (result.returncode, result.stderr) == (0, "")
        head = result.stdout.split("\n\n")[0]
        assert run in head and words in head
        assert "test/ping" in result.stdout
        assert run in report.read_text()
    refused(leadline("show", "last", "--runs", runs), "is damaged")


def test_show_answers_programs(runs: Path) -> None:
    run = next(path.name for path in runs.iterdir() if "-complete-" in path.name)
    result = leadline("show", run, "--json", "--runs", runs)
    assert result.returncode == 0, result.stderr
    answer = json.loads(result.stdout)
    assert (answer["run"], answer["folder"]) == (run, str(runs / run))
    assert {point["bytes"] for point in answer["points"]} == {1, 2, 4}


def test_show_recovers_a_killed_run_only_when_asked(runs: Path) -> None:
    run = next(path for path in runs.iterdir() if "-killed-" in path.name)
    sql = f"SELECT count(*) FROM samples WHERE run = '{run.name}'"
    counts = []
    for words in ((), ("--recover",)):
        assert leadline("show", run.name, *words, "--runs", runs).returncode == 0
        answer = leadline("runs", "query", sql, "--format", "csv", "--runs", runs)
        counts.append(answer.stdout.split()[1])
    assert counts == ["0", "20"]
    assert "incomplete" in (run / "run.json").read_text()


@pytest.mark.parametrize("name", ["../x", "..", "nothing", "/", "2", "a\nb"])
@pytest.mark.parametrize(
    "command", [("show", "--export", "csv"), ("runs", "remove", "--yes"), ("show",)]
)
def test_what_is_not_a_run_is_refused(runs: Path, command: tuple[str, ...], name: str) -> None:
    before = sorted(runs.rglob("*"))
    refused(leadline(*command, name, "--runs", runs), "run")
    assert sorted(runs.rglob("*")) == before


def test_query_prints_each_format(runs: Path) -> None:
    sql = "SELECT point, count(*) AS n FROM samples GROUP BY point ORDER BY point"
    table = leadline("runs", "query", sql, "--runs", runs).stdout.split()
    assert table[:2] == ["point", "n"] and table[-6:] == ["0", "20", "1", "20", "2", "20"]
    assert leadline("runs", "query", sql, "--format", "csv", "--runs", runs).stdout == (
        "point,n\n0,20\n1,20\n2,20\n"
    )
    answer = json.loads(leadline("runs", "query", sql, "--format", "json", "--runs", runs).stdout)
    assert answer == [{"point": 0, "n": 20}, {"point": 1, "n": 20}, {"point": 2, "n": 20}]
    refused(leadline("runs", "query", "DROP TABLE runs", "--runs", runs), "one SELECT")


def test_rm_removes_runs_damaged_ones_too(runs: Path) -> None:
    names = sorted(path.name for path in runs.iterdir())
    result = leadline("runs", "remove", "--yes", *names[:2], names[2][:-1], "--runs", runs)
    assert (result.returncode, result.stderr) == (0, "")
    assert list(runs.iterdir()) == []


def test_rm_without_an_answer_removes_nothing(runs: Path) -> None:
    before = sorted(runs.rglob("*"))
    refused(leadline("runs", "remove", "last", "--runs", runs), "--yes")
    assert sorted(runs.rglob("*")) == before


def test_rm_removes_all_or_nothing(runs: Path) -> None:
    before = sorted(runs.rglob("*"))
    refused(leadline("runs", "remove", "--yes", "last", "nothing", "--runs", runs), "'nothing'")
    assert sorted(runs.rglob("*")) == before


def test_rm_never_follows_a_link(runs: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    run = next(path for path in runs.iterdir() if "-complete-" in path.name)
    (run / "launches" / "link").symlink_to(outside)
    elsewhere = tmp_path / "elsewhere"
    run.rename(elsewhere)
    (runs / run.name).symlink_to(elsewhere)
    refused(leadline("runs", "remove", "--yes", run.name, "--runs", runs), "no run")
    refused(leadline("runs", "remove", "--yes", runs / run.name, "--runs", runs), "is a link")
    assert elsewhere.is_dir()
    assert leadline("runs", "remove", "--yes", elsewhere, "--runs", runs).returncode == 0
    assert not elsewhere.exists()
    assert (outside / "precious").read_text() == "x"


def test_rm_refuses_folders_that_hold_more_than_a_run(runs: Path, tmp_path: Path) -> None:
    run = next(path for path in runs.iterdir() if "-complete-" in path.name)
    project = tmp_path / "project"
    run.rename(project)
    (project / "thesis.tex").write_text("x")
    refused(leadline("runs", "remove", "--yes", project, "--runs", runs), "thesis.tex")
    (project / "run.json").write_text('{"format": 1}')
    (project / "thesis.tex").unlink()
    refused(leadline("runs", "remove", "--yes", project, "--runs", runs), "not leadline's")
    assert (project / "samples.parquet").exists()


def test_rm_leaves_a_run_that_is_being_measured(measured: Make) -> None:
    made = measured()
    made.launch(0)
    refused(
        leadline("runs", "remove", "--yes", "last", "--runs", made.folder.path.parent),
        "being measured",
    )
    assert made.folder.path.exists()
