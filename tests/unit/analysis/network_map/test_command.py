"""`leadline view map` as users give it."""

import json

import pytest
from example_maps import T3E
from example_runs import Rows, launch, point, run, waiting

from leadline.cli import main
from leadline.store.folder import RunFolder
from leadline.store.samples import StoredSamples

PAIRS = ((1,), (0,), (3,), (2,))


@pytest.fixture
def view(capsys, monkeypatch, tmp_path):
    """Run `leadline view map`; returns status and what it printed on both."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LEADLINE_LAB", str(tmp_path / "no-lab"))

    def call(*words):
        with pytest.raises(SystemExit) as ended:
            main(["view", "map", "--runs", str(tmp_path / "runs"), *map(str, words)])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return call


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """A simulated run of four ranks on nodes 0 to 3 of a T3E, whose pairs are 0-1 and 2-3."""
    result = waiting(0, 10**6, PAIRS)
    name = "2026-11-22T030000-pairs-1a2b"
    made = run([point(0, 10**6)], [launch(0, ["n0", "n1", "n2", "n3"], result)], T3E, name)
    (tmp_path / "runs" / name).mkdir(parents=True)
    RunFolder(tmp_path / "runs" / name).write(made)
    rows = Rows({0: [(0, 0, 1, 1e-2, 0), (0, 2, 3, 2e-2, 0)]})
    monkeypatch.setattr(StoredSamples, "columns", lambda self, index: rows.columns(index))
    return name


def test_a_platform_is_drawn_without_jobs(view):
    status, out, _ = view("--on", "cray-t3e")
    assert status == 0
    assert out.splitlines()[0] == "cray-t3e · torus 8x8x8 · 512 nodes"
    assert ". free: 512" in out


def test_a_pipe_gets_no_colours_and_lines_that_can_be_read(view):
    _, out, _ = view("--on", "fat-tree-200g")
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 120


def test_this_machine_is_drawn_with_what_runs_on_it(view):
    status, out, _ = view("--system", "plain", "--json")
    drawn = json.loads(out)
    assert status == 0
    assert (drawn["topology"], len(drawn["nodes"]), drawn["source"]) == ("rows", 1, "plain")


def test_ranks_and_links_of_a_simulated_run_are_on_its_platform(view, measured):
    status, out, _ = view("--links", "last", "--json")
    drawn = json.loads(out)
    assert status == 0
    assert (drawn["name"], drawn["traffic"]["run"]) == ("cray-t3e", measured)
    assert drawn["traffic"]["simulated"] is True
    assert [node["ranks"] for node in drawn["nodes"]][:5] == [[0], [1], [2], [3], []]
    loaded = [link for link in drawn["links"] if link["bytes"]]
    assert [(link["one"], link["other"], link["MBps"]) for link in loaded] == [
        (0, 1, 100),
        (2, 3, 50),
    ]


def test_letters_show_the_run_and_its_busiest_links(view, measured):
    status, out, _ = view("--nodes-of", measured, "--links", measured)
    assert status == 0
    assert "0  A A A A . . . ." in out
    assert "n0 - n1" in out and "2 of 1536 links carry something" in out


def test_a_page_is_written(view, measured, tmp_path):
    status, _, err = view("--links", "last", "--html", "map.html")
    assert (status, err) == (0, "map: map.html\n")
    assert "<canvas" in (tmp_path / "map.html").read_text()


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["--on", "cray-t3"], "did you mean cray-t3e?"),
        (["--nodes-of", "nothing"], "nothing"),
        (["--nodes-of", "queue", "--nodes-of", "last"], "the queue or runs, not both"),
        (["--on", "cray-t3e", "--watch"], "a run stays as it is"),
        (["--watch", "--html", "a.html"], "leave one of them out"),
        (["--links", "last:bytes=7"], "bytes"),
        (["--system", "lsf"], "no system 'lsf'"),
        (["--on", "score-myrinet", "--html", "no/such/folder.html"], "cannot be written"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(view, measured, words, answer):
    status, out, err = view(*words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1 and answer in err, err
