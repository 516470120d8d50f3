"""The jobs of a site in the server: what `leadline jobs` says, and each job as `explain` does."""

import html
import json
import os
import re
import time
from urllib.parse import quote

import pytest
from click.testing import CliRunner
from job_files import RUNNING, even, late, put, put_findings, write_job
from werkzeug.test import Client

from leadline.cli import group
from leadline.cli.explaining import explained
from leadline.core.errors import UserError
from leadline.explain.jobs import folder as jobs_folder
from leadline.output.server import jobs as served_jobs
from leadline.output.server.application import Application
from leadline.output.server.jobs import Jobs

from served import SCRIPT  # isort: skip


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADLINE_HOME", str(tmp_path / "home"))


def client_of(folder):
    jobs = Jobs(folder, lambda file: explained(str(file), folder))
    return Client(Application(folder / "runs", lambda *_: {}, jobs=jobs)).get


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    put_findings(folder)
    return folder


def text_of(answer):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())


def links(answer):
    """Return the addresses of links in tables, by their texts."""
    found = re.findall(r'<t[dh][^>]*><a href="([^"]*)">([^<]*)</a>', answer.text)
    return {html.unescape(text): html.unescape(address) for address, text in found}


def printed(*words):
    found = CliRunner().invoke(group, ["jobs", *map(str, words)])
    assert found.exit_code == 0, found.output
    return found.output


@pytest.mark.parametrize("chosen", [{}, {"since": "15d"}, {"program": "cg", "node": "n5"}])
def test_the_page_and_json_say_what_the_command_says(site, chosen):
    client = client_of(site)
    words = [word for name, value in chosen.items() for word in (f"--{name}", value)]
    query = "&".join(f"{name}={value}" for name, value in chosen.items())
    assert client(f"/api/jobs?{query}").json == json.loads(printed(site, "--json", *words))
    page = text_of(client(f"/jobs?{query}"))
    said = " ".join(printed(site, *words, "--limit", 1).split())
    answer, findings = re.match(r"=== leadline jobs: (.*) lost h .*?\.job (.*)", said).groups()
    assert answer in page
    for sentence in re.split(r" ?\b\d+ (?=wave|Node)", findings)[1:]:
        assert sentence in page.replace(" Copy", "")


def test_every_user_program_node_and_week_leads_to_its_jobs(site):
    client = client_of(site)
    page = client("/jobs")
    found = links(page)
    assert found["cg"].startswith("/jobs?program=") and found["n5"] == "/jobs?node=n5"
    weeks = [text for text in found if re.fullmatch(r"\d{4}-W\d\d", text)]
    counted = 0
    for week in weeks:
        there = client(found[week])
        assert there.status_code == 200
        counted += int(re.search(r"(\d+) jobs?, ", text_of(there))[1])
    assert len(weeks) >= 4 and counted == 90
    both = links(client(f"{found['n5']}&since=30d"))["cg"]
    assert "node=n5" in both and "since=30d" in both


def test_a_job_shows_what_explain_says_of_its_file(tmp_path):
    file = put(tmp_path, 7, late(4), began=time.time() - 9000, program="/home/x/solver")
    client = client_of(tmp_path)
    page = client("/jobs")
    address = re.search(r'href="(/jobs/[^"]*\.job)"', page.text)[1]
    assert f"leadline explain {file}" in page.text
    job = client(address)
    assert job.status_code == 200 and job.headers["Content-Security-Policy"].startswith("default")
    for part in ("job 7.0 of", "30 % waiting for late ranks", "rank 3 is late", "MPI_Allreduce"):
        assert part in text_of(job), part
    shown = CliRunner().invoke(group, ["explain", "--json", str(file)])
    assert client(f"/api{address}").json == json.loads(shown.output)


def test_forged_names_are_text(tmp_path):
    folder = tmp_path / "jobs"
    path = folder / f"{SCRIPT.replace('/', '')}?#%2e ünï.job"
    write_job(
        path, late(2, late=(1,), nodes=2), program=f"/x/{SCRIPT}", job=SCRIPT, step=SCRIPT,
        hosts=("n1", SCRIPT), place=SCRIPT, library=SCRIPT,
    )  # fmt: skip
    write_job(folder / "bad\x1b[31m\n\u202e.job", even())
    (folder / os.fsdecode(b"\xff.job")).write_text("x")
    (folder / f"{SCRIPT.replace('/', '')}.job").write_text("x")
    client = client_of(folder)
    page = client("/jobs")
    address = f"/jobs/{quote(path.name)}"
    assert address in page.text and "3 files left out." in page.text
    for answer in (page, client(address), client(f"/jobs?user={quote(SCRIPT)}")):
        assert "<script>window" not in answer.text and "<img" not in answer.text
        assert not {"\x1b", "\x07", "\u202e"} & set(answer.text)
    assert client(address).status_code == 200 and client(f"/api{address}").status_code == 200


@pytest.mark.parametrize(
    "name", ["../secret.job", "..%2fsecret.job", "%2e%2e/secret.job", "{whole}", "/{whole}",
             "notes.txt", "linked.job", "2026", "2026/..", "2026%00.job"],
)  # fmt: skip
def test_none_but_the_jobs_that_were_found_are_read(tmp_path, name):
    folder = tmp_path / "jobs"
    secret = write_job(tmp_path / "secret.job", even())
    write_job(folder / "2026" / "a.job", even())
    (folder / "notes.txt").write_text("secret")
    (folder / "linked.job").symlink_to(secret)
    client = client_of(folder)
    name = name.format(whole=secret)
    for address in (f"/jobs/{name}", f"/api/jobs/{name}"):
        answer = client(address)
        assert answer.status_code == 404 and "n01" not in answer.text


def test_a_file_is_read_once_and_a_new_one_is_found_in_time(tmp_path, monkeypatch):
    for number in range(3):
        put(tmp_path, number, even(), began=time.time() - 9000 - number)
    client = client_of(tmp_path)
    read = []
    real = jobs_folder.read_job
    monkeypatch.setattr(jobs_folder, "read_job", lambda file: read.append(file) or real(file))
    assert "3 jobs, " in text_of(client("/jobs")) and len(read) == 3
    put(tmp_path, 3, even(), began=time.time() - 8000)
    running = put(tmp_path, 4, even(state=RUNNING), began=time.time() - 5, written=time.time())
    assert "3 jobs, " in text_of(client("/jobs?node=n01"))
    monkeypatch.setattr(served_jobs, "_STALE_S", -1.0)
    assert "5 jobs, " in text_of(client("/jobs")) and len(read) == 5
    assert "5 jobs, " in text_of(client("/jobs")) and read[5:] == [str(running)]
    assert "It still runs" in text_of(client(f"/jobs/{running.relative_to(tmp_path)}"))
    for file in tmp_path.rglob("*.job"):
        file.unlink()
    gone = client("/jobs")
    assert gone.status_code == 422 and "holds no file of a job" in text_of(gone)


def test_a_job_whose_file_has_gone_is_refused_in_a_line(tmp_path):
    file = put(tmp_path, 1, even(), began=time.time() - 9000)
    client = client_of(tmp_path)
    client("/jobs")
    file.unlink()
    answer = client(f"/jobs/{file.relative_to(tmp_path)}")
    assert answer.status_code == 422 and str(file) in text_of(answer)


def test_a_choice_that_no_job_meets_is_said_above_which_it_can_be_changed(site):
    client = client_of(site)
    page = client("/jobs?program=haet")
    assert page.status_code == 422 and "did you mean heat?" in text_of(page)
    assert 'name="program" value="haet"' in page.text
    assert "write 2026-11-21, or 7d" in text_of(client("/jobs?since=tuesday"))
    assert "write 2026-11-21, or 7d" in client("/api/jobs?since=tuesday").json["error"]


def test_of_many_jobs_the_worst_are_shown_first(tmp_path):
    for number in range(30):
        put(tmp_path, number, late(2, late=(1,), by=4.0), began=time.time() - 9000 - number)
    client = client_of(tmp_path)
    page = client("/jobs?since=7d")
    assert "Jobs that lost most: 20 of 30 jobs" in page.text
    (more,) = re.findall(r'<a href="([^"]*)">Show more jobs', page.text)
    page = client(html.unescape(more))
    assert page.text.count('data-copy="leadline explain') == 30
    assert "Show more jobs" not in page.text


def test_without_a_folder_of_jobs_there_is_no_such_page(tmp_path):
    client = Client(Application(tmp_path, lambda *_: {})).get
    assert "Jobs" not in client("/").text
    for address in ("/jobs", "/jobs/a.job"):
        assert client(address).status_code == 404
        assert "leadline serve --jobs FOLDER" in client(address).text


def test_a_folder_without_jobs_is_refused_before_anything_is_served(tmp_path):
    found = CliRunner().invoke(group, ["serve", "--port", "0", "--jobs", str(tmp_path)])
    assert isinstance(found.exception, UserError) and "holds no file" in str(found.exception)
