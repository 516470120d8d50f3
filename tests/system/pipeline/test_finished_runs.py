"""A measured run, through every command that reads runs."""

import csv
import io
import json

import duckdb
import pytest
from command import Leadline

RUN = ("transfer", "--bytes", "8,64", "--launches", "2")


@pytest.fixture(scope="module")
def kept(environment, tmp_path_factory):
    """The command line over a run that no test changes."""
    return Leadline(tmp_path_factory.mktemp("kept") / "runs", environment)


@pytest.fixture(scope="module")
def answer(kept):
    return kept.fake(*RUN)


def test_show_gives_the_same_answer_again(kept, answer):
    assert json.loads(kept.in_runs("show", answer["run"], "--json").stdout) == answer
    assert json.loads(kept("show", answer["folder"], "--json").stdout) == answer


def test_show_for_people(kept, answer):
    told = kept.in_runs("show", "last").stdout
    assert answer["run"] in told and "Invented transfer, 64 B" in told
    assert any(line.startswith("Trust     ") for line in told.splitlines())


def test_report(kept, answer, tmp_path):
    report = tmp_path / "report.html"
    assert kept.in_runs("show", "last", "--html", report).returncode == 0
    text = report.read_text()
    assert answer["run"] in text and "fake/transfer" in text


def test_runs(kept, answer):
    (listed,) = kept.json("runs", "--runs", kept.runs)["runs"]
    assert (listed["run"], listed["state"], listed["mpi"]) == (answer["run"], "complete", ["fake"])
    assert (listed["points"], listed["finished"], listed["launches"]) == (2, 2, 2)
    assert answer["run"] in kept.in_runs("runs").stdout


def test_export_holds_every_sample(kept, answer, tmp_path):
    samples = sum(point["samples"] + point["excluded"] for point in answer["points"])
    text = kept.in_runs("show", "last", "--export", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == samples
    assert json.loads(kept.in_runs("show", "last", "--export", "json").stdout)[0][
        "seconds"
    ] == float(rows[0]["seconds"])
    table = tmp_path / "samples.parquet"
    assert kept.in_runs("show", "last", "--export", "parquet", "--output", table).returncode == 0
    assert duckdb.sql(f"SELECT count(*) FROM '{table}'").fetchall() == [(samples,)]


def test_query_reaches_all_runs(leadline):
    answer = leadline.fake(*RUN)
    second = leadline.fake("transfer", "--bytes", "8", "--latency_us", "50", "--launches", 3)
    sql = (
        "SELECT run, bytes, count(DISTINCT launch) AS launches FROM samples "
        "GROUP BY ALL ORDER BY run, bytes"
    )
    rows = leadline.rows(sql)
    assert rows == [
        {"run": answer["run"], "bytes": 8, "launches": 2},
        {"run": answer["run"], "bytes": 64, "launches": 2},
        {"run": second["run"], "bytes": 8, "launches": 3},
    ]


def test_rm(leadline):
    answer = leadline.fake(*RUN)
    leadline.fake("transfer", "--bytes", "8")
    assert leadline.in_runs("runs", "remove", "--yes", answer["run"]).returncode == 0
    (left,) = leadline.runs.iterdir()
    assert left.name != answer["run"]
    assert "no run" in leadline.refused("show", answer["run"], "--runs", leadline.runs)
