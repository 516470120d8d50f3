"""`benchmarks/accounted` finds what a run loses: it is given runs that lose it."""

import json
import runpy
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from checkout import CHECKOUT

PROGRAM = runpy.run_path(str(CHECKOUT / "benchmarks/accounted/__main__.py"), run_name="accounted")
ABSENT = {"point": 1, "reason": "killed", "left_out": False}


def faults(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, csv: str = "0,1", **changes: object
) -> list[str]:
    """Return what is found in a run of two points, one of them missing, with these changes."""
    outputs = {"export": "point\n" + csv.replace(",", "\n"), "show": "Points without a figure"}
    (folder / "page.html").write_text('<section id="missing">')

    def leadline(word: str, *_: str) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess((), 0, stdout=outputs[word], stderr="")

    monkeypatch.setitem(PROGRAM["_faults"].__globals__, "_leadline", leadline)
    launch = {"points": [{"wrong_bytes": changes.pop("wrong", 0)}]}
    run = {"points": [{"index": 0}, {"index": 1}], "launches": [launch]}
    (folder / "run.json").write_text(json.dumps(run))
    outcome = {"state": changes.pop("state", "incomplete")}
    status = changes.pop("status", 1)
    found = {
        "run": "r",
        "folder": str(folder),
        "outcome": outcome,
        "points": [{"point": 0}, {"point": 0}],
        "missing": [ABSENT],
        **changes,
    }
    answer = subprocess.CompletedProcess((), status, stdout=json.dumps(found), stderr="")
    return list(PROGRAM["_faults"](answer, str(folder), Counter()))


def test_a_run_that_tells_all_has_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert faults(tmp_path, monkeypatch) == []


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"missing": []}, "JSON has [0] of [0, 1]"),
        ({"csv": "0"}, "figures-csv has [0]"),
        ({"state": "complete"}, "complete, and"),
        ({"missing": [{**ABSENT, "reason": ""}]}, "no reason"),
        ({"missing": [{**ABSENT, "point": 0}, ABSENT]}, "are called missing"),
        ({"wrong": 3, "status": 0}, "wrong data, and status 0"),
    ],
)
def test_what_is_lost_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], word: str
) -> None:
    (fault,) = faults(tmp_path, monkeypatch, **changes)
    assert word in fault


def test_an_output_that_hides_what_is_missing_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert faults(tmp_path, monkeypatch) == []
    hidden = subprocess.CompletedProcess((), 0, stdout="", stderr="")
    monkeypatch.setitem(PROGRAM["_unsaid"].__globals__, "_leadline", lambda *_: hidden)
    (tmp_path / "page.html").write_text("")
    assert len(list(PROGRAM["_unsaid"]("r", str(tmp_path)))) == 2


def test_a_refusal_is_one_line_and_a_traceback_is_none() -> None:
    counts: Counter[str] = Counter()
    refused = subprocess.CompletedProcess((), 2, stdout="", stderr="leadline: no\n")
    assert list(PROGRAM["_faults"](refused, "", counts)) == [] and counts["plans refused"] == 1
    broken = subprocess.CompletedProcess((), 1, stdout="", stderr="Traceback (most\n")
    assert [words.split(",")[0] for words in PROGRAM["_faults"](broken, "", counts)] == [
        "a traceback",
        "no JSON",
    ]
