"""The commands over run folders, as a user types them."""

import csv
import json

import duckdb
import msgspec
import pytest
from in_process import leadline


def over(runs, *words, **options):
    return leadline(*words, "--runs", runs, **options)


def refused(words, runs, *command):
    result = over(runs, *command)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.startswith("leadline: ") and result.stderr.count("\n") == 1
    assert words in result.stderr


def the(runs, state):
    return next(path for path in runs.iterdir() if f"-{state}-" in path.name)


def test_runs_lists_what_is_there_newest_last(runs):
    table = over(runs, "runs").stdout
    lines = table.splitlines()
    complete, killed, damaged = (
        line for line in lines if any(f"-{s}-" in line for s in ("complete", "killed", "damaged"))
    )
    assert "-complete-" in complete
    assert "-killed-" in killed and "incomplete: leadline itself was killed" in " ".join(
        table.split()
    )
    assert "-damaged-" in damaged and "unreadable" in damaged
    first, second, third = json.loads(over(runs, "runs", "--json").stdout)["runs"]
    assert (first["state"], first["launches"], first["points"]) == ("complete", 2, 3)
    assert (second["state"], second["finished"]) == ("incomplete", 2)
    assert third["state"] == "unreadable"
    assert first["folder"] == str(runs / first["run"]) and first["size_bytes"] > 1000


def test_runs_fits_a_screen_in_a_pipe_too_and_json_stays_whole(measured):
    made = measured(name="of-many-benchmarks", points=40)
    for at, point in enumerate(made.run.points):
        many = {"benchmark": f"family/benchmark-{at}", "mpi": f"mpich-5.0.{at % 7}-long-name"}
        made.run.points[at] = msgspec.structs.replace(point, **many)
    made.folder.write(made.run)
    made.folder.close()
    runs = made.folder.path.parent
    lines = over(runs, "runs").stdout.splitlines()
    assert max(map(len, lines)) <= 80 and any("…" in line for line in lines)
    (listed,) = json.loads(over(runs, "runs", "--json").stdout)["runs"]
    assert len(listed["benchmarks"]) == 40 and len(listed["mpi"]) == 7


def test_runs_of_a_folder_without_any(tmp_path):
    result = over(tmp_path / "none", "runs")
    assert (result.returncode, result.stdout) == (0, "")
    assert "no runs in" in result.stderr
    assert json.loads(over(tmp_path / "none", "runs", "--json").stdout) == {"runs": []}


@pytest.mark.parametrize(("state", "samples"), [("complete", 60), ("killed", 20)])
def test_every_format_exports_the_same_samples(runs, tmp_path, state, samples):
    export = ("show", the(runs, state).name, "--export")
    for form in ("csv", "json", "parquet"):
        target = tmp_path / f"out.{form}"
        result = over(runs, *export, form, "--output", target)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
        piped = over(runs, *export, form, "--output", "-", text=False)
        assert piped.stdout == target.read_bytes()
    table = duckdb.sql(f"SELECT * FROM read_parquet('{tmp_path / 'out.parquet'}')")
    wanted = [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]
    assert len(wanted) == samples
    assert json.loads((tmp_path / "out.json").read_text()) == wanted
    with (tmp_path / "out.csv").open() as stream:
        found = list(csv.DictReader(stream))
    assert [float(row["seconds"]) for row in found] == [row["seconds"] for row in wanted]
    texts = [{name: str(value) for name, value in row.items()} for row in wanted]
    assert [{**row} for row in found] == texts


def test_export_refuses_what_it_cannot_do(runs, tmp_path):
    name = the(runs, "complete").name
    refused("--output FILE", runs, "show", name, "--export", "parquet")
    assert over(runs, "show", "last", "--export", "csv").returncode == 0
    (the(runs, "damaged") / "samples.parquet").unlink()
    refused("is damaged", runs, "show", "last", "--export", "csv")
    nowhere = tmp_path / "none" / "out.csv"
    words = f"cannot write {nowhere}"
    refused(words, runs, "show", name, "--export", "csv", "--output", nowhere)
    assert over(runs, "show", name, "--export", "xml").returncode == 2


def test_show_says_first_how_the_run_ended(runs, tmp_path):
    for state, words in (("complete", "complete"), ("killed", "leadline itself was killed")):
        run, report = the(runs, state).name, tmp_path / f"{state}.html"
        result = over(runs, "show", run, "--html", report)
        assert (result.returncode, result.stderr) == (0, "")
        head = result.stdout.split("\n\n")[0]
        assert run in head and words in head
        assert "test/ping" in result.stdout
        assert run in report.read_text()
        answer = json.loads(over(runs, "show", run, "--json").stdout)
        assert (answer["run"], answer["folder"]) == (run, str(runs / run))
    refused("is damaged", runs, "show", "last")


def test_show_recovers_a_killed_run_only_when_asked(runs):
    run = the(runs, "killed")
    sql = f"SELECT count(*) FROM samples WHERE run = '{run.name}'"
    counts = []
    for words in ((), ("--recover",)):
        assert over(runs, "show", run.name, *words).returncode == 0
        counts.append(over(runs, "runs", "query", sql, "--format", "csv").stdout.split()[1])
    assert counts == ["0", "20"]
    assert "incomplete" in (run / "run.json").read_text()


RM = ("runs", "remove", "--yes")
STRANGE = ("../x", "..", "nothing", "/", "2", "a\nb")


@pytest.mark.parametrize(
    ("words", "command"),
    [
        *(("run", (*command, name)) for command in (RM, ("show",)) for name in STRANGE),
        ("run", ("show", "--export", "csv", "nothing")),
        ("--yes", ("runs", "remove", "last")),
        ("'nothing'", (*RM, "last", "nothing")),
    ],
)
def test_what_is_refused_changes_nothing(runs, words, command):
    before = sorted(runs.rglob("*"))
    refused(words, runs, *command)
    assert sorted(runs.rglob("*")) == before


def test_query_prints_each_format(runs):
    sql = "SELECT point, count(*) AS n FROM samples GROUP BY point ORDER BY point"
    table = over(runs, "runs", "query", sql).stdout.split()
    assert table[:2] == ["point", "n"] and table[-6:] == ["0", "20", "1", "20", "2", "20"]
    answer = over(runs, "runs", "query", sql, "--format", "csv").stdout
    assert answer == "point,n\n0,20\n1,20\n2,20\n"
    answer = json.loads(over(runs, "runs", "query", sql, "--format", "json").stdout)
    assert answer == [{"point": point, "n": 20} for point in range(3)]
    refused("one SELECT", runs, "runs", "query", "DROP TABLE runs")


def test_rm_removes_runs_damaged_ones_too(runs):
    names = sorted(path.name for path in runs.iterdir())
    result = over(runs, *RM, *names[:2], names[2][:-1])
    assert (result.returncode, result.stderr) == (0, "")
    assert list(runs.iterdir()) == []


def test_rm_never_follows_a_link(runs, tmp_path):
    outside, elsewhere = tmp_path / "outside", tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "precious").write_text("x")
    run = the(runs, "complete")
    (run / "launches" / "link").symlink_to(outside)
    run.rename(elsewhere)
    (runs / run.name).symlink_to(elsewhere)
    refused("no run", runs, *RM, run.name)
    refused("is a link", runs, *RM, runs / run.name)
    assert elsewhere.is_dir()
    assert over(runs, *RM, elsewhere).returncode == 0
    assert not elsewhere.exists()
    assert (outside / "precious").read_text() == "x"


def test_rm_refuses_folders_that_hold_more_than_a_run(runs, tmp_path):
    project = tmp_path / "project"
    the(runs, "complete").rename(project)
    (project / "thesis.tex").write_text("x")
    refused("thesis.tex", runs, *RM, project)
    (project / "run.json").write_text('{"format": 1}')
    (project / "thesis.tex").unlink()
    refused("not leadline's", runs, *RM, project)
    assert (project / "samples.parquet").exists()


def test_rm_leaves_a_run_that_is_being_measured(measured):
    made = measured()
    made.launch(0)
    refused("being measured", made.folder.path.parent, *RM, "last")
    assert made.folder.path.exists()
