"""What the pages and the JSON say of runs."""

import html
import re
import threading
import time

import msgspec
import pytest

from leadline.cli import group
from leadline.output.server.listing import MOST

from served import Timed, history, write_import  # isort: skip


def text_of(page):
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


def rows_of(page):
    return re.findall(r'<th scope="row"><a href="/runs/[^"]*">([^<]*)</a></th>', page)


def test_the_list_has_every_run_the_newest_first(server, names):
    status, page = server.page("/")
    assert status == 200
    assert rows_of(page) == names[::-1]
    assert "6 of 6 runs" in text_of(page)
    assert "printed by a benchmark 3" in text_of(page)


@pytest.mark.parametrize(
    ("query", "which"),
    [
        ("words=published", [5]),
        ("words=TEST+node17+4.0", [2, 1, 0]),
        ("words=nowhere", []),
        ("words=mpich-5.0", [4, 3]),
        ("words=complete+mpi/pingpong", [5]),
        ("words=2026-01-04", [3]),
    ],
)
def test_the_list_is_filtered_by_words(server, names, query, which):
    assert rows_of(server.page(f"/?{query}")[1]) == [names[index] for index in which]
    _, selection = server.json(f"/api/runs?{query}")
    assert [run["run"] for run in selection["runs"]] == [names[index] for index in which]


def test_a_run_is_its_report_below_the_menu(server, names):
    target = f"/runs/{names[0]}"
    status, page = server.page(target)
    assert status == 200
    assert "mpich-4.0" in text_of(page)
    assert f'<span class="run-name">{names[0]}' in page
    assert f'href="/api{target}"' in page
    policy = server.ask(target)[1]["content-security-policy"]
    assert "'unsafe-inline'" not in re.search(r"script-src ([^;]*)", policy)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert policy.endswith("frame-ancestors 'none'")


def test_an_import_opens(server, names):
    status, page = server.page(f"/runs/{names[5]}")
    assert status == 200
    assert "mpi/pingpong" in text_of(page)


def test_json_of_a_run_is_that_of_show(server, names, runs):
    from click.testing import CliRunner

    status, told = server.json(f"/api/runs/{names[0]}")
    assert status == 200
    shown = CliRunner().invoke(group, ["show", names[0], "--json", "--runs", str(runs)])
    assert told == msgspec.json.decode(shown.output)


def test_a_run_that_is_not_there_is_not_found(server):
    assert server.page("/runs/none")[0] == 404
    assert server.json("/api/runs/none") == (404, {"error": "There is no run 'none'."})
    assert server.json("/api/none")[0] == 404


def test_two_runs_are_compared(server, names):
    target = f"/compare?a={names[0]}&b={names[2]}"
    status, page = server.page(target)
    assert status == 200
    assert f"{names[2]} against {names[0]}" in text_of(page)
    assert "in 6 of 6 figures" in text_of(page)
    assert "Differs: kernel: 6.1" in text_of(page)
    assert f'href="/compare?a={names[2]}&amp;b={names[0]}">Swap A and B' in page
    policy = server.ask(target)[1]["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    status, comparison = server.json(f"/api{target}")
    assert status == 200
    assert (comparison["base"], comparison["other"]) == (names[0], names[2])
    assert [figure["verdict"] for figure in comparison["figures"]] == ["slower"] * 6
    assert all(abs(figure["ratio"] - 1.5) < 0.01 for figure in comparison["figures"])
    assert {"name": "kernel", "base": "6.1", "other": "6.2"} in comparison["differences"]


def test_json_of_a_comparison_is_that_of_compare(server, names, runs):
    from click.testing import CliRunner

    _, told = server.json(f"/api/compare?a={names[1]}&b={names[4]}")
    words = ["compare", names[1], names[4], "--json", "--runs", str(runs)]
    printed = msgspec.json.decode(CliRunner().invoke(group, words).output)
    (comparison,) = printed["comparisons"]
    del comparison["failures"]
    assert told | {"base": "", "other": ""} == comparison | {"base": "", "other": ""}


def test_the_same_is_what_the_reader_says(server, names):
    _, comparison = server.json(f"/api/compare?a={names[0]}&b={names[2]}&within=60")
    assert [figure["verdict"] for figure in comparison["figures"]] == ["same"] * 6
    for within in ("-1", "101", "much", "nan", "inf"):
        assert server.json(f"/api/compare?a={names[0]}&b={names[2]}&within={within}")[0] == 422


def test_runs_without_a_common_figure_say_so(server, names):
    _, page = server.page(f"/compare?a={names[0]}&b={names[5]}")
    assert "no figure in common" in text_of(page)


def test_a_run_is_not_compared_with_itself(server, names):
    status, page = server.page(f"/compare?a={names[0]}&b={names[0]}")
    assert status == 422 and "are one run" in text_of(page)


def test_comparing_what_is_not_there_says_so(server, names):
    assert server.page("/compare")[0] == 404
    assert server.page(f"/compare?a={names[0]}&b=none")[0] == 404


def test_a_folder_without_runs_says_how_to_make_one(serving, tmp_path):
    server = serving(tmp_path / "none")
    status, page = server.page("/")
    assert status == 200
    assert "leadline survey" in text_of(page)


def test_a_run_that_is_being_measured_shows_as_running(serving, tmp_path):
    run = Timed(tmp_path, day=1)
    run.launch(0)
    server = serving(tmp_path)
    assert "running" in text_of(server.page("/")[1])
    status, page = server.page(f"/runs/{run.folder.name}")
    assert status == 200
    assert "load this page again" in text_of(page)
    before = server.json(f"/api/runs/{run.folder.name}")[1]["points"][0]["launches"]
    run.launch(1)
    assert server.json(f"/api/runs/{run.folder.name}")[1]["points"][0]["launches"] == before + 1
    run.finish()
    assert server.json("/api/runs")[1]["runs"][0]["state"] == "complete"


def test_a_run_whose_leadline_was_killed_is_no_longer_running(serving, tmp_path):
    run = Timed(tmp_path, day=1)
    run.launch(0)
    server = serving(tmp_path)
    assert server.json("/api/runs")[1]["runs"][0]["state"] == "running"
    run.folder.close()
    assert server.json("/api/runs")[1]["runs"][0]["state"] == "incomplete"


def test_new_runs_appear_and_removed_ones_go(serving, tmp_path):
    server = serving(tmp_path)
    assert server.json("/api/runs")[1]["all"] == 0
    name = write_import(tmp_path)
    assert [run["run"] for run in server.json("/api/runs")[1]["runs"]] == [name]
    (tmp_path / name / "run.json").unlink()
    assert server.json("/api/runs")[1]["runs"][0]["state"] == "unreadable"
    assert server.page(f"/runs/{name}")[0] == 422


def test_of_many_runs_the_newest_are_listed(serving, tmp_path):
    names = sorted(write_import(tmp_path) for _ in range(MOST + 5))
    page = serving(tmp_path).page("/")[1]
    assert rows_of(page) == names[:4:-1]
    assert f"{MOST + 5} of {MOST + 5} runs, the newest {MOST}" in text_of(page)


def test_the_list_does_not_wait_for_figures(serving, tmp_path):
    names = history(tmp_path)
    server = serving(tmp_path)
    asked = [f"/compare?a={a}&b={b}" for a in names for b in names] * 2
    threads = [threading.Thread(target=server.ask, args=(target,)) for target in asked]
    for thread in threads:
        thread.start()
    statuses = [server.ask("/")[0] for _ in range(5)]
    for thread in threads:
        thread.join()
    assert statuses == [200] * 5


def test_scripts_and_styles_come_as_files_and_are_asked_for_once(server):
    for name, kind in (("vega.js", "text/javascript"), ("charts.js", "text/javascript"),
                       ("page.css", "text/css"), ("serve.css", "text/css")):  # fmt: skip
        status, headers, body = server.ask(f"/static/{name}", Accept_Encoding="gzip")
        assert status == 200
        assert headers["content-type"].startswith(kind)
        assert headers["content-encoding"] == "gzip"
        assert body[:2] == b"\x1f\x8b"
        assert server.ask(f"/static/{name}", If_None_Match=headers["etag"])[0] == 304
        assert b"{" in server.ask(f"/static/{name}")[2]


def test_an_interrupt_does_not_wait_for_figures(serving, tmp_path):
    run = Timed(tmp_path, day=1, samples=20_000, points=20)
    run.launch(0)
    name = run.finish().name
    server = serving(tmp_path)
    asking = threading.Thread(target=server.ask, args=(f"/runs/{name}",))
    asking.start()
    time.sleep(0.5)
    status, printed, errors = server.stop()
    asking.join()
    assert (status, printed.strip(), errors) == (0, "stopped", "")
