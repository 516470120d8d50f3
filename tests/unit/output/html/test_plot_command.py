"""`leadline show --plot`, as a user types it."""

import csv

import pytest
from click.testing import CliRunner
from measured import BENCHMARK, Measured
from msgspec.structs import replace

from leadline.cli import group
from leadline.core.errors import UserError
from leadline.output.html.plots import samples

pytest.importorskip("vl_convert", reason="needs vl-convert-python")

TABLE = """library,size,algorithm,us
one,8,ring,1
one,64,ring,2
one,8,tree,1.5
one,64,tree,4
"""
MAPPING = """source = "a paper"
benchmark = "mpi/allreduce"
mpi = { column = "library" }
place = "1x2"
size = { column = "size", unit = "B" }
statistic = "mean"

[axes.algorithm]
column = "algorithm"

[[values]]
column = "us"
unit = "us"
"""


@pytest.fixture
def table(tmp_path):
    """A file of another program with two curves."""
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "table.toml").write_text(MAPPING)
    return tmp_path / "table.csv"


def leadline(*words):
    result = CliRunner().invoke(
        group, ["show", *map(str, words), *["--plot"] * ("--plot" not in words)]
    )
    if isinstance(result.exception, UserError):
        return f"refused: {result.exception}"
    assert result.exit_code == 0, result.output
    return result.output


def test_without_a_plot_all_are_listed(table):
    lines = [line.split() for line in leadline(table).splitlines() if "mpi/allreduce" in line]
    assert "latency" in [words[0] for words in lines]
    assert all(words[1] == "mpi/allreduce" and words[3] == "1x2" for words in lines)


@pytest.mark.parametrize("form", ["svg", "pdf", "png", "vl.json", "csv"])
def test_a_plot_is_written(table, tmp_path, form):
    target = tmp_path / f"figure.{form}"
    assert leadline(table, "--plot", "latency", "--output", target) == ""
    assert target.stat().st_size > 50


def test_several_runs_are_curves_of_the_given_names(table, tmp_path):
    target = tmp_path / "figure.csv"
    only = ("--only", "algorithm=ring")
    leadline(table, table, *only, "--plot", "latency", "--name", "before", "--name", "after",
             "--output", target)  # fmt: skip
    rows = target.read_text().splitlines()
    assert [row.split(",")[0] for row in rows[1:]] == ["before", "before", "after", "after"]
    assert "ratio" in leadline(table, table, *only)


def test_parts_of_a_run_are_curves(table, tmp_path):
    target = tmp_path / "figure.csv"
    parts = [f"{table}:algorithm={one}" for one in ("ring", "tree")]
    leadline(*parts, "--plot", "latency", "--name", "ring", "--name", "tree", "--output", target)
    rows = [row.split(",") for row in target.read_text().splitlines()[1:]]
    assert [(row[0], row[1], float(row[3])) for row in rows] == [
        ("ring", "8", 1), ("ring", "64", 2), ("tree", "8", 1.5), ("tree", "64", 4),
    ]  # fmt: skip
    assert "its values are ring, tree" in leadline(f"{table}:algorithm=x")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (("--output", "x.svg"), "with --plot"),
        (("--plot", "latency"), "with --output FILE, such as latency.pdf"),
        (("--plot", "latency", "--output", "x.gif"), "end its name in one of .svg"),
        (("--plot", "bogus"), "there is latency;"),
        (("--plot", "latency", "--benchmark", "mpi/x"), "there is mpi/allreduce"),
        (("--plot", "latency", "--place", "9x9", "--output", "x.svg"), "there is 1x2"),
        (("--only", "algorithm"), "NAME=VALUE"),
        (("--only", "algorithm="), "NAME=VALUE"),
        (("--only", "algorithm=bogus"), "its values are ring, tree"),
        (("--name", "a", "--name", "b"), "one for each"),
        (("--plot", "latency", "--show", "x", "--output", "x.svg"), "it shows everything"),
    ],
)
def test_what_cannot_be_is_refused(table, words, answer, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    said = leadline(table, *words)
    assert said.startswith("refused: ") and answer in said and "\n" not in said
    assert not list(tmp_path.glob("x.*"))


def test_a_plot_of_several_panels_must_be_chosen(table, tmp_path):
    (tmp_path / "table.csv").write_text(TABLE.replace("one", "1x4"))
    mapping = MAPPING.replace('mpi = { column = "library" }', 'mpi = "one"')
    (tmp_path / "table.toml").write_text(mapping)
    other = tmp_path / "other.csv"
    other.write_text(TABLE)
    (tmp_path / "other.toml").write_text(mapping.replace("1x2", "2x2"))
    said = leadline(table, other, "--plot", "latency", "--output", tmp_path / "x.svg")
    assert "2 figures have that plot" in said and "on 1x2" in said and "--place" in said
    assert leadline(table, other, "--plot", "latency", "--place", "2x2", "--output",
                    tmp_path / "x.svg") == ""  # fmt: skip


def test_a_folder_that_is_not_there_is_one_line(table, tmp_path):
    said = leadline(table, "--plot", "latency", "--output", tmp_path / "none" / "x.svg")
    assert said.startswith("refused: cannot write")


def test_a_run_without_figures_is_one_line(tmp_path):
    (tmp_path / "none.csv").write_text(TABLE.splitlines()[0] + "\n")
    (tmp_path / "none.toml").write_text(MAPPING)
    said = leadline(tmp_path / "none.csv")
    assert said.startswith("refused: ") and "\n" not in said


def test_a_figure_is_the_same_whether_or_not_its_benchmark_is_named(tmp_path, monkeypatch):
    made = Measured(tmp_path / "runs", points=8, samples=400)
    other = replace(BENCHMARK, name="test/pong", series=BENCHMARK.series[1:])
    made.run.benchmarks.append(other)
    made.run.points[4:] = [replace(each, benchmark="test/pong") for each in made.run.points[4:]]
    made.launch(0)
    run = made.finish().path
    monkeypatch.setattr(samples, "TOTAL_RANKS", 600)
    named, unnamed = tmp_path / "named.csv", tmp_path / "unnamed.csv"
    words = (run, "--plot", "distribution", "--series", "sender", "--output")
    leadline(*words, unnamed)
    leadline(*words, named, "--benchmark", "test/ping")
    assert named.read_text() == unnamed.read_text()
    rows = list(csv.DictReader(named.open(newline="")))
    # Of 600 samples that a page draws, each of its 12 distributions has 50 at most.
    assert min(int(row["drawn"]) for row in rows) > 50


def test_the_former_name_still_works(table):
    former = CliRunner().invoke(group, ["figure", str(table)])
    assert former.exit_code == 0 and former.stdout == leadline(table)
