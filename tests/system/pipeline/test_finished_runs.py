"""A measured run, through every command that reads runs."""

import csv
import io
import json

import duckdb
import pytest


@pytest.fixture
def answer(leadline):
    return leadline.fake("transfer", "--bytes", "8,64", "--launches", "2")


def test_show_gives_the_same_answer_again(leadline, answer):
    assert json.loads(leadline.in_runs("show", answer["run"], "--json").stdout) == answer
    assert json.loads(leadline("show", answer["folder"], "--json").stdout) == answer


def test_show_for_people(leadline, answer):
    told = leadline.in_runs("show", "last").stdout
    assert answer["run"] in told and "fake/transfer" in told and "complete" in told


def test_report(leadline, answer, tmp_path):
    report = tmp_path / "report.html"
    assert leadline.in_runs("show", "last", "--html", report).returncode == 0
    text = report.read_text()
    assert answer["run"] in text and "fake/transfer" in text


def test_runs(leadline, answer):
    (listed,) = json.loads(leadline.in_runs("runs", "--json").stdout)["runs"]
    assert (listed["run"], listed["state"], listed["mpi"]) == (answer["run"], "complete", ["fake"])
    assert (listed["points"], listed["finished"], listed["launches"]) == (2, 2, 2)
    assert answer["run"] in leadline.in_runs("runs").stdout


def test_export_holds_every_sample(leadline, answer, tmp_path):
    samples = sum(point["samples"] + point["excluded"] for point in answer["points"])
    text = leadline.in_runs("export", "last", "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == samples
    assert json.loads(leadline.in_runs("export", "last", "--format", "json").stdout)[0][
        "seconds"
    ] == float(rows[0]["seconds"])
    table = tmp_path / "samples.parquet"
    assert (
        leadline.in_runs("export", "last", "--format", "parquet", "--output", table).returncode == 0
    )
    assert duckdb.sql(f"SELECT count(*) FROM '{table}'").fetchall() == [(samples,)]


def test_query_reaches_all_runs(leadline, answer):
    second = leadline.fake("transfer", "--bytes", "8", "--latency_us", "50")
    sql = (
        "SELECT run, bytes, count(DISTINCT launch) AS launches FROM samples "
        "GROUP BY ALL ORDER BY run, bytes"
    )
    rows = json.loads(leadline.in_runs("query", sql, "--format", "json").stdout)
    assert rows == [
        {"run": answer["run"], "bytes": 8, "launches": 2},
        {"run": answer["run"], "bytes": 64, "launches": 2},
        {"run": second["run"], "bytes": 8, "launches": 3},
    ]


def test_rm(leadline, answer):
    leadline.fake("transfer", "--bytes", "8")
    assert leadline.in_runs("rm", "--yes", answer["run"]).returncode == 0
    (left,) = leadline.runs.iterdir()
    assert left.name != answer["run"]
    assert "no run" in leadline.refused("show", answer["run"], "--runs", leadline.runs)
