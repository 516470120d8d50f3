"""Grades of runs that nobody has shown, made while the list is there already."""

import threading
import time
from pathlib import Path

import pytest
from served import write_import
from werkzeug.test import Client

from leadline.core.errors import UserError
from leadline.output.server import results
from leadline.output.server.application import Application
from leadline.output.server.catalogue import Entry, Listed
from leadline.output.server.results import Results
from leadline.store.overview import FILE


def entry(run, **row):
    listed = Listed(
        run=run, folder="", message="", **{"state": "complete", "size_bytes": 1000, **row}
    )
    return Entry(Path(run), listed, (), (run,))


def grading(make):
    """Results whose grades `make` makes of entries."""
    found = Results(None, None)
    found.grade = make
    return lambda *entries: [row.trust for row in found.with_grades(entries)]


def until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_list_waits_for_no_grade_and_the_newest_run_has_its_own_first():
    gate, made = threading.Event(), []

    def make(one):
        assert gate.wait(30)
        made.append(one.listed.run)
        return "fair"

    trust = grading(make)
    runs = [entry("old"), entry("new")]
    assert trust(*runs) == ["", ""]
    gate.set()
    until(lambda: trust(*runs) == ["fair", "fair"])
    assert made == ["new", "old"]


@pytest.mark.parametrize(
    "row",
    [
        {"state": "running"},
        {"state": "unreadable"},
        {"state": "damaged"},
        {"size_bytes": results.LARGEST_GRADED_BYTES + 1},
        {"name": "profile031522"},
        {"trust": "good"},
    ],
)
def test_what_has_a_grade_or_can_have_none_is_not_looked_at(row):
    made = []
    trust = grading(lambda one: made.append(one.listed.run) or "poor")
    runs = [entry("last"), entry("other", **row)]
    until(lambda: trust(*runs)[0] == "poor")
    assert made == ["last"]
    assert trust(*runs)[1] == row.get("trust", "")


def test_a_run_that_cannot_be_graded_is_asked_once():
    made = []

    def make(one):
        made.append(one.listed.run)
        raise UserError("damaged")

    trust = grading(make)
    for _ in range(3):
        assert trust(entry("a")) == [""]
        until(lambda: made)
    assert made == ["a"]


def test_only_so_many_wait_and_the_others_are_asked_for_again(monkeypatch):
    monkeypatch.setattr(results, "MOST_WAITING", 2)
    gate, made = threading.Event(), []
    trust = grading(lambda one: made.append(one) or (gate.wait(30) and "good"))
    runs = [entry(str(number)) for number in range(9)]
    trust(*runs)
    gate.set()
    until(lambda: trust(*runs) == ["good"] * 9)


def test_the_list_has_the_grade_of_a_run_that_nobody_has_shown(tmp_path):
    name = write_import(tmp_path)
    client = Client(Application(tmp_path, lambda *_: {}))

    def trust():
        return [row["trust"] for row in client.get("/api/runs").json["runs"]]

    until(lambda: trust() == ["unknown"])
    assert not (tmp_path / name / FILE).exists(), "a server leaves the folder as it is"


def test_a_changed_run_is_graded_anew():
    trust = grading(lambda one: "good" if one.signature == ("a",) else "poor")
    first = entry("a")
    until(lambda: trust(first) == ["good"])
    until(lambda: trust(first._replace(signature=("b",))) == ["poor"])
