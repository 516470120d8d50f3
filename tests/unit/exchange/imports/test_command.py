"""`leadline runs import` as a user types it, and what becomes of the run."""

import json
import re
from pathlib import Path

import pytest
from checkout import CHECKOUT
from click.testing import CliRunner

from leadline.cli import group
from leadline.core.errors import UserError

DATA = Path(__file__).parent / "data"


@pytest.fixture
def leadline(tmp_path):
    """Run a command on a folder of runs of its own."""

    def make(*words, status=0):
        runs = ["--runs", str(tmp_path / "runs")]
        result = CliRunner().invoke(group, [*map(str, words), *runs])
        if isinstance(result.exception, UserError):
            raise result.exception
        assert result.exit_code == status, result.output
        return result.stdout

    return make


def test_an_import_is_a_run_like_any_other(leadline, tmp_path):
    said = leadline("runs", "import", DATA / "imb-mpi1.txt", "--name", "theirs")
    assert "IMB 2021.11" in said
    assert "mpi/allreduce" in said
    (run,) = json.loads(leadline("runs", "--json"))["runs"]
    assert (run["state"], run["points"], run["placements"]) == ("complete", 25, ["1x2", "1x4"])
    assert run["trust"] == "unknown", "figures without samples have a grade too"
    assert not list((tmp_path / "runs").rglob("samples.parquet"))
    shown = leadline("show", "last", "--full")
    assert "mean us" in shown
    assert "from IMB 2021.11" in shown
    (row,) = json.loads(
        leadline(
            "runs",
            "query",
            "SELECT median_s, statistic FROM figures "
            "WHERE benchmark = 'mpi/pingpong' AND bytes = 8",
            "--format",
            "json",
        )
    )
    assert row == {"median_s": pytest.approx(54.35e-6), "statistic": "mean"}
    leadline("show", "last", "--html", tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size
    leadline("runs", "remove", run["run"], "--yes")
    assert json.loads(leadline("runs", "--json"))["runs"] == []


def test_several_files_are_launches(leadline, tmp_path):
    files = []
    text = (DATA / "imb-p2p.txt").read_text()
    for number, time in enumerate(("41.74", "43.00", "42.00")):
        files.append(tmp_path / f"{number}.txt")
        files[-1].write_text(text.replace("41.74", time))
    found = json.loads(
        leadline("runs", "import", *files, "--json", "--place", "2x2", "--mpi", "impi")
    )
    figure = next(p for p in found["points"] if p["benchmark"] == "imb/p2p_pingpong")
    assert figure["launches"] == 3
    assert figure["median_s"] == pytest.approx(42.00e-6)
    assert figure["ci95_low_s"] < 41.74e-6 < 43.00e-6 < figure["ci95_high_s"]
    assert figure["launch_medians_s"] == pytest.approx([41.74e-6, 43e-6, 42e-6])
    assert (figure["mpi"], figure["nodes"], figure["samples"]) == ("impi", 2, 0)
    assert found["remarks"] == []


def test_its_fields_are_documented(leadline):
    text = (CHECKOUT / "docs" / "reference" / "json.md").read_text()
    section = text.split("## An import\n")[1].split("\n#")[0]
    found = json.loads(leadline("runs", "import", DATA / "imb-p2p.txt", "--json"))
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(found)


def test_a_cut_file_is_kept_with_status_1(leadline, tmp_path, monkeypatch):
    text = (DATA / "osu-7.4.txt").read_text()
    # Lines of remarks hold the path, and long ones are broken.
    monkeypatch.chdir(tmp_path)
    path = Path("cut.txt")
    path.write_text(text[:200])
    found = json.loads(leadline("runs", "import", path, "--json", status=1))
    (lost,) = [one for one in found["remarks"] if one["kind"] == "lost"]
    assert lost["line"] == text[:200].count("\n") + 1
    assert found["outcome"]["state"] == "incomplete"
    assert f":{lost['line']}: " in leadline("show", "last")


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ([], "needs a file"),
        (["nowhere.txt"], "nowhere.txt cannot be read"),
        ([DATA / "imb-p2p.txt", "--format", "xyz"], "'xyz' is none of"),
        ([DATA / "imb-p2p.txt", "--format", "osu"], "no figure of OSU"),
        ([DATA / "imb-p2p.txt", "--place", "two"], "'two' is not NODESx"),
        ([Path(__file__)], "in no format"),
    ],
)
def test_what_cannot_be_read_is_refused_and_leaves_nothing(leadline, tmp_path, words, refusal):
    with pytest.raises(UserError, match=refusal):
        leadline("runs", "import", *words)
    assert not (tmp_path / "runs").exists()


def test_one_bad_file_among_good_ones_is_remarked(leadline, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_text("# Benchmarking PingPong\n")
    found = json.loads(leadline("runs", "import", bad, DATA / "imb-p2p.txt", "--json", status=1))
    assert len(found["points"]) == 16
    assert [one["file"] for one in found["remarks"] if one["kind"] == "lost"] == [str(bad)]


def test_formats_are_listed(leadline):
    names = [
        one["name"]
        for one in json.loads(leadline("runs", "import", "--formats", "--json"))["formats"]
    ]
    assert {"csv", "imb", "osu"} <= set(names)
