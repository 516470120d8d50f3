"""Recordings of programs in the server: listed with what they say, opened, and compared."""

import html
import re
from pathlib import Path

import pytest
from recorded_runs import keep, talking_ranks
from recordings import late_rank
from replaced import replace_everywhere
from werkzeug.test import Client

from leadline.cli.explaining import of_run
from leadline.output.server.application import Application
from leadline.store.folder import RunFolder

from served import write_import  # isort: skip

SAID = "80 % computing, 15 % waiting for late ranks, 5 % moving data: rank 3 is late."


def explain(run, folder):
    return of_run(RunFolder(folder), run, Path(folder).parent)


@pytest.fixture
def client(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))
    # To look for installations would start their wrappers.
    replace_everywhere(monkeypatch, "leadline.site.mpi.discovery.find_installations", list)
    application = Application(tmp_path, lambda *_: {}, explain=explain)
    return Client(application).get


def text_of(answer):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


def test_the_list_says_where_the_time_goes_and_grades_nothing(client, tmp_path):
    name = keep(tmp_path, headline=SAID)
    page = client("/")
    assert f'href="/runs/{name}"' in page.text and SAID in text_of(page)
    [run] = client("/api/runs").json["runs"]
    assert (run["message"], run["benchmarks"], run["trust"]) == (SAID, ["explain app"], "")


def test_the_list_has_the_answer_before_the_command_has_written_it(client, tmp_path):
    keep(tmp_path, late_rank())
    [run] = client("/api/runs").json["runs"]
    assert "% computing" in run["message"] and run["message"] in text_of(client("/"))


def test_its_page_is_the_answer_with_all_parts(client, tmp_path):
    name = keep(tmp_path, talking_ranks())
    page = client(f"/runs/{name}")
    assert page.status_code == 200
    for part in ("Owners of each rank's time", "Who sends to whom", "MPI_Send", "How far to trust"):
        assert part in text_of(page)
    assert page.text.count('class="computing_s"') >= 5 and page.text.count("fill-opacity") >= 8
    assert "Verdict" not in page.text
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'; script-src")
    found = client(f"/api/runs/{name}").json
    assert (found["run"], len(found["ranks"]), len(found["sent"])) == (name, 4, 8)


def test_two_are_compared_and_a_mix_is_refused_in_a_line(client, tmp_path):
    base = keep(tmp_path)
    other = keep(tmp_path, late_rank(delay=4.0, seconds=12.0))
    page = client(f"/compare?a={base}&b={other}")
    assert "The second is 1.2x slower (12 s, was 10 s)" in text_of(page)
    assert "MPI_Allreduce" in page.text and "Swap A and B" in page.text
    assert client(f"/api/compare?a={base}&b={other}").json["calls"][0]["call"] == "MPI_Allreduce"
    figures = write_import(tmp_path)
    for a, b in ((base, figures), (figures, base)):
        refused = client(f"/compare?a={a}&b={b}")
        assert refused.status_code == 422
        assert f"{base} is a recording of a program, and {figures} has figures" in text_of(refused)
        assert client(f"/api/compare?a={a}&b={b}").status_code == 422


def test_what_cannot_be_read_is_said_and_links_are_not_followed(client, tmp_path):
    empty = keep(tmp_path, [], program="empty")
    page = client(f"/runs/{empty}")
    assert page.status_code == 422 and "no process called MPI_Init" in text_of(page)
    linked = keep(tmp_path, program="linked")
    [file] = (tmp_path / linked / "explain").iterdir()
    moved = tmp_path / "elsewhere"
    file.rename(moved)
    file.symlink_to(moved)
    page = client(f"/runs/{linked}")
    assert page.status_code == 422 and "is a link" in text_of(page)


def test_a_program_that_runs_is_shown_with_what_was_seen(client, tmp_path):
    name = keep(tmp_path, state="running")
    assert "waiting for late ranks" in text_of(client(f"/runs/{name}"))
