"""`leadline show --findings`: of files, in JSON and for people, filtered, and against the past."""

import json
import shutil
from pathlib import Path

import pytest
from checkout import CHECKOUT

from leadline.analysis.findings.kinds import kinds
from leadline.cli import main
from leadline.core.units import parse_rate

DATASETS = CHECKOUT / "datasets"
PING = str(DATASETS / "waseda-pingpong-score.csv")
SUM = str(DATASETS / "chic-global-sum-2007.csv")


@pytest.fixture
def leadline(capsys, monkeypatch, tmp_path):
    """Run `leadline show --findings` and return the status and what it printed."""
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words):
        with pytest.raises(SystemExit) as left:
            main(["show", "--findings", *words])
        captured = capsys.readouterr()
        return left.value.code, captured.out, captured.err

    return run


def test_json_has_subjects_kinds_and_numbers(leadline):
    status, out, _ = leadline(PING, SUM, "--json")
    found = json.loads(out)["findings"]
    assert status == 0
    assert {one["subject"] for one in found} == {Path(PING).stem, Path(SUM).stem}
    for one in found:
        assert {"kind", "severity", "text", "evidence", "advice", "points"} <= one.keys()
        assert all(isinstance(value, float) for value in one["evidence"].values())


def test_for_people_each_subject_has_its_findings(leadline):
    status, out, _ = leadline(PING, str(DATASETS / "chemnitz-machines.csv"))
    assert status == 0
    assert out.index("waseda-pingpong-score") < out.index("340 MB/s") < out.index("chemnitz")
    assert "How fast?\n   " in out
    assert max(map(len, out.splitlines())) <= 100


def test_filters(leadline):
    puts = str(DATASETS / "arsc-shmem-put-1997.csv")
    _, out, _ = leadline(puts, "--json", "--min-severity", "notice")
    assert {one["severity"] for one in json.loads(out)["findings"]} == {"notice"}
    _, out, _ = leadline(PING, "--json", "--kind", "rate_falls", "--kind", "link_limit")
    assert {one["kind"] for one in json.loads(out)["findings"]} == {"rate_falls", "link_limit"}
    _, out, _ = leadline(PING, "--kind", "wrong_data")
    assert "No findings." in out


def test_a_link_rate_is_a_limit(leadline):
    words = (PING, "--json", "--kind", "impossible")
    assert json.loads(leadline(*words)[1])["findings"] == []
    (found,) = json.loads(leadline(*words, "--link-rate", "1Gbit/s")[1])["findings"]
    assert found["evidence"]["limit"] == 125


def test_against_an_earlier_one(leadline, tmp_path):
    old = tmp_path / "old.csv"
    text = Path(PING).read_text().splitlines()
    # The earlier machine took half the time, and the rate is not needed.
    rows = [line.split(",") for line in text[1:]]
    old.write_text(
        "\n".join([text[0], *(f"{a},{b},{float(s) / 2},{r}" for a, b, s, r in rows)]) + "\n"
    )
    shutil.copy(Path(PING).with_suffix(".toml"), tmp_path / "old.toml")
    _, out, _ = leadline(PING, "--against", str(old), "--json", "--kind", "changed_since")
    (found,) = json.loads(out)["findings"]
    assert found["evidence"]["slower_ratio"] == pytest.approx(2)
    assert found["evidence"]["figures"] == 99


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((PING, "--kind", "rate_fals"), "did you mean rate_falls?"),
        ((PING, "--link-rate", "fast"), "10Gbit/s"),
        (("no-such-run",), "no-such-run"),
        ((PING, "--against", "no-such-run"), "no-such-run"),
        ((), "RUN|FILE"),
    ],
)
def test_bad_input_is_one_line(leadline, words, told):
    status, out, error = leadline(*words)
    assert status == 2 and out == ""
    assert told in error and len(error.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "rate"),
    [("10Gbit/s", 1.25e9), ("1.5 MB/s", 1.5e6), ("1GiB/s", 2**30), ("100Mbitps", 12.5e6)],
)
def test_rates(text, rate):
    assert parse_rate(text) == rate


def test_a_kind_is_explained_by_its_rule(leadline):
    status, out, _ = leadline("--explain", "heavy_tail")
    assert status == 0
    for part in ("How steady?", "slowest 1 %", "p99_over_median: ", "What to do", "Source"):
        assert part in out
    status, out, _ = leadline("--explain")
    assert status == 0 and all(f"  {kind} " in out for kind in kinds())
    assert leadline("--explain", "heavy_tial")[::2] == (
        2, "leadline: no findings of kind 'heavy_tial': did you mean heavy_tail?\n",
    )  # fmt: skip
    assert leadline()[0] == 2
