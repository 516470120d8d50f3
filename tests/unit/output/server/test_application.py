"""The application without a server around it."""

import threading

import msgspec
import pytest
from werkzeug.test import Client

from leadline.core.errors import UserError
from leadline.model.plan import Plan
from leadline.model.verdict import Trust
from leadline.output.server import answers, results
from leadline.output.server.application import Application
from leadline.store.folder import RunFolder
from leadline.store.overview import keep_grade, read_grade

from served import Timed, imported_run, write_import  # isort: skip


def test_only_so_many_wait_and_the_list_is_there_meanwhile(tmp_path, monkeypatch):
    name = write_import(tmp_path)
    application = Application(tmp_path, lambda *_: {}, waiters=2)
    gate, waiting = threading.Event(), threading.Semaphore(0)

    def report(entry, menu):
        waiting.release()
        assert gate.wait(60)
        raise UserError("made")

    monkeypatch.setattr(application.served.results, "report", report)

    def ask():
        return Client(application).get(f"/runs/{name}").status_code

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert all(waiting.acquire(timeout=60) for _ in threads)
    assert [ask() for _ in range(3)] == [503] * 3
    assert Client(application).get("/").status_code == 200
    gate.set()
    for thread in threads:
        thread.join()
    assert ask() == 422


def test_whatever_goes_wrong_at_one_address_the_others_go_on(tmp_path, monkeypatch, caplog):
    name = write_import(tmp_path)

    def broken(*_):
        raise RuntimeError("<b>broken")

    application = Application(tmp_path, broken)
    monkeypatch.setattr(application.served.results, "report", broken)
    client = Client(application)
    page = client.get(f"/runs/{name}")
    assert page.status_code == 500
    assert "RuntimeError: &lt;b&gt;broken" in page.text
    assert client.get(f"/api/runs/{name}").json == {
        "error": "leadline ran into RuntimeError: <b>broken"
    }
    assert caplog.records
    assert client.get("/").status_code == 200


def test_a_figure_is_looked_at_once_for_all_who_ask(tmp_path, monkeypatch):
    name = write_import(tmp_path)
    made = []
    real = results.analysis_of
    monkeypatch.setattr(
        results, "analysis_of", lambda *given, **named: made.append(1) or real(*given, **named)
    )
    application = Application(tmp_path, lambda *_: {})
    asking = [
        threading.Thread(target=lambda: Client(application).get(f"/api/runs/{name}"))
        for _ in range(6)
    ]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert made == [1]


@pytest.mark.parametrize(
    "name", ["tune mpich-5.0.2 031522", "tune shmem openmpi-5.0.11 031522", "profile031522"]
)
def test_trials_of_tune_are_listed_only_when_asked_for(tmp_path, name):
    write_import(tmp_path)
    folder = RunFolder.create(tmp_path, name)
    folder.write(
        msgspec.structs.replace(imported_run(folder.name), plan=Plan(entries=(), name=name))
    )
    folder.close()
    client = Client(Application(tmp_path, lambda *_: {}))
    assert folder.name not in client.get("/").text
    assert "1 trial of tune" in client.get("/").text
    assert folder.name in client.get("/?trials=yes").text


def test_filters_that_nothing_matches_are_named(tmp_path):
    write_import(tmp_path)
    page = Client(Application(tmp_path, lambda *_: {})).get("/?words=zzzz").text
    assert "No run matches these filters." in page


def test_list_has_grades_of_trust(tmp_path):
    run = Timed(tmp_path, day=1)
    run.launch(0)
    client = Client(Application(tmp_path, lambda *_: {}))
    assert client.get("/api/runs").json["runs"][0]["trust"] == ""
    folder = run.finish()
    first = client.get("/").text
    assert '<span class="grade fair"' in first, "it is made where no command has written it"
    assert read_grade(tmp_path / folder.name) is None
    keep_grade(tmp_path / folder.name, Trust(grade="poor", text=""))
    assert '<span class="grade poor"' in client.get("/").text


def test_a_page_waits_only_so_long_for_answers(tmp_path, monkeypatch):
    Timed(tmp_path, day=1).finish()
    application = Application(tmp_path, lambda *_: {})
    monkeypatch.setattr(answers, "_PATIENCE_S", 0.05)
    gate = threading.Event()

    def answer(entry):
        assert gate.wait(60)
        return msgspec.structs.replace(entry.listed, trust="good")

    application.served.answers = answers.Answers(answer)
    client = Client(application)
    assert '<span class="grade' not in client.get("/").text
    gate.set()
    monkeypatch.setattr(answers, "_PATIENCE_S", 60)
    assert '<span class="grade good"' in client.get("/").text
