"""Grades of runs that nobody has shown, made while the list is there already."""

import threading
import time
from pathlib import Path

import msgspec
import pytest
from served import write_import
from werkzeug.test import Client

from leadline.core.errors import UserError
from leadline.output.server import grades
from leadline.output.server.application import Application
from leadline.output.server.catalogue import Entry, Listed
from leadline.output.server.grades import Grades
from leadline.store.overview import FILE


def entry(run, **row):
    listed = Listed(
        run=run, folder="", message="", **{"state": "complete", "size_bytes": 1000, **row}
    )
    return Entry(Path(run), listed, (), (run,))


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

    found = Grades(make)
    runs = [entry("old"), entry("new")]
    assert [row.trust for row in found.listed(runs)] == ["", ""]
    gate.set()
    until(lambda: [row.trust for row in found.listed(runs)] == ["fair", "fair"])
    assert made == ["new", "old"]


@pytest.mark.parametrize(
    "row",
    [
        {"state": "running"},
        {"state": "unreadable"},
        {"state": "damaged"},
        {"size_bytes": grades.LARGEST_BYTES + 1},
        {"name": "profile031522"},
        {"trust": "good"},
    ],
)
def test_what_has_a_grade_or_can_have_none_is_not_looked_at(row):
    made = []
    found = Grades(lambda one: made.append(one.listed.run) or "poor")
    last = entry("last")
    runs = [last, entry("other", **row)]
    until(lambda: found.listed(runs)[0].trust == "poor")
    assert made == ["last"]
    assert found.listed(runs)[1].trust == row.get("trust", "")


def test_a_run_that_cannot_be_graded_is_asked_once():
    made = []

    def make(one):
        made.append(one.listed.run)
        raise UserError("damaged")

    found = Grades(make)
    runs = [entry("a")]
    for _ in range(3):
        assert [row.trust for row in found.listed(runs)] == [""]
        until(lambda: found._thread is None)
    assert made == ["a"]


def test_only_so_many_wait(monkeypatch):
    monkeypatch.setattr(grades, "MOST_WAITING", 2)
    gate = threading.Event()
    found = Grades(lambda one: gate.wait(30) and "good")
    found.listed([entry(str(number)) for number in range(9)])
    assert len(found._waiting) <= 2
    gate.set()


def test_the_list_has_the_grade_of_a_run_that_nobody_has_shown(tmp_path):
    name = write_import(tmp_path)
    application = Application(tmp_path, lambda *_: {})
    application.prepare()
    assert application.served.grades._thread is None, "nobody has asked for a list"
    client = Client(application)

    def trust():
        return [row["trust"] for row in client.get("/api/runs").json["runs"]]

    until(lambda: trust() == ["unknown"])
    assert not (tmp_path / name / FILE).exists(), "a server leaves the folder as it is"


def test_a_changed_run_is_graded_anew():
    found = Grades(lambda one: "good" if one.signature == ("a",) else "poor")
    first = entry("a")
    changed = first._replace(signature=("b",))
    until(lambda: found.listed([first])[0].trust == "good")
    assert msgspec.structs.asdict(first.listed)["trust"] == ""
    until(lambda: found.listed([changed])[0].trust == "poor")
