"""The pages of nodes, over screenings that nobody had to measure."""

import datetime

import msgspec
import numpy as np
import pytest
from werkzeug.test import Client

from leadline.model.screen import Screen, Suspect
from leadline.output.server.application import Application
from leadline.output.server.screened import Screening, histories
from leadline.store.folder import RunFolder
from leadline.store.history import keep_screen

from served import Timed, settled, write_import  # isort: skip

NODES = ("h1", "h2", "h3", "h10")
NIGHTS, SLOW_FROM = 32, 20
NEW_MPI = 12
SLOW = Suspect(
    kind="node",
    name="h3",
    figure="bandwidth",
    ratio=1.25,
    probability=0.991,
    ratios={"bandwidth": 1.25, "latency": 1.0},
    looks=7,
    again_ratios={"bandwidth": 1.27, "latency": 1.0},
    again_rounds=2,
)


def screen(night, run="", suspects=None, nodes=NODES):
    """A screening in which h3 has slow pairs from one night on, and all are slower from another."""
    random = np.random.default_rng(40 + night)

    def level(node, slow):
        factor = 1.25 if slow and night >= SLOW_FROM else 1.0
        return factor * (1.4 if night >= NEW_MPI else 1.0) * float(random.lognormal(0, 0.01))

    blamed = (SLOW,) if night >= SLOW_FROM else ()
    return Screen(
        run=run or f"run-{night:02d}",
        nodes=nodes,
        rounds=7,
        seconds=40.0,
        suspects=blamed if suspects is None else suspects,
        levels={node: {"memory": 3e-3 * level(node, slow=False)} for node in nodes},
        pair_levels={node: {"bandwidth": 2e-4 * level(node, node == "h3")} for node in nodes},
    )


def started(night):
    day = datetime.datetime(2026, 1, 1, 3, tzinfo=datetime.UTC) + datetime.timedelta(days=night)
    return day.isoformat()


def screenings(**changes):
    return [Screening(started(night), screen(night, **changes)) for night in range(NIGHTS)]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A server over screenings of four nodes, the names of their runs, and their folder."""
    runs = tmp_path_factory.mktemp("runs")
    names = []
    for night in range(NIGHTS):
        made = Timed(runs, day=1 + night, samples=1)
        made.run.started = started(night)
        made.folder.write(made.run)
        names.append(made.finish().name)
        keep_screen(RunFolder(runs / names[-1]), screen(night, names[-1]))
    write_import(runs)
    return Client(Application(runs, lambda *_: {})), names, runs


def test_a_node_that_got_slower_changed_against_the_others_and_these_by_themselves():
    found = {each.node: each for each in histories(screenings())}
    assert list(found) == ["h1", "h2", "h3", "h10"], "as people sort them"
    slow = [each for each in found["h3"].changes if each.what == "node"]
    assert [(each.curve, each.run) for each in slow] == [("bandwidth", f"run-{SLOW_FROM}")]
    assert float(slow[0].after[:-1]) / float(slow[0].before[:-1]) == pytest.approx(1.25, rel=0.03)
    assert not [each for each in found["h1"].changes if each.what == "node"]
    new = {(each.curve, each.run) for each in found["h1"].changes if each.what == "other nodes"}
    assert ("memory", f"run-{NEW_MPI}") in new


def test_nodes_that_do_not_change_hardly_ever_seem_to():
    random = np.random.default_rng(5)
    false = 0
    for _ in range(100):
        nights = [
            Screening(
                started(night),
                Screen(
                    run=f"r{night}", nodes=NODES, rounds=0, seconds=1.0, suspects=(),
                    levels={n: {"memory": float(random.lognormal(0, 0.02))} for n in NODES},
                ),
            )
            for night in range(30)
        ]  # fmt: skip
        false += any(each.what == "node" for one in histories(nights) for each in one.changes)
    assert false <= 4


def test_a_node_that_was_screened_alone_is_held_against_itself():
    alone = [Screening(started(night), screen(night, nodes=("h3",))) for night in range(NIGHTS)]
    (found,) = histories(alone)
    assert all(not night.others for night in found.nights)
    assert {each.what for each in found.changes} == {"time"}


def test_a_node_is_drawn_with_the_others_of_its_kind():
    kinds = {"fast": ("h1", "h2"), "slow": ("h10",)}
    levels = {"h1": 1.0, "h2": 2.0, "h3": 4.0, "h10": 8.0}
    one = msgspec.structs.replace(
        screen(0), kinds=kinds, pair_levels={}, levels={n: {"memory": s} for n, s in levels.items()}
    )
    found = {each.node: each.nights[0].others for each in histories([Screening("", one)])}
    assert found == {"h1": {"memory": 2.0}, "h2": {"memory": 1.0}, "h3": {}, "h10": {}}


def test_who_does_not_answer_has_a_night_and_a_link_is_of_both_ends():
    dead = Suspect(kind="node", name="h4", figure="answer", ratio=None, probability=1.0)
    link = Suspect(kind="link", name="h1 - h2", figure="bandwidth", ratio=2.0, probability=0.9)
    uplink = Suspect(kind="uplink", name="h1", figure="bandwidth", ratio=2.0, probability=0.9)
    assert [each.ends for each in (dead, link, uplink)] == [("h4",), ("h1", "h2"), ()]
    one = Screening("2026-01-01T00:00:00+00:00", screen(0, suspects=(dead, link, uplink)))
    found = {each.node: each.nights[0].suspects for each in histories([one])}
    assert found == {"h1": (link,), "h2": (link,), "h3": (), "h4": (dead,), "h10": ()}
    assert [each.node for each in histories([one], only="h4")] == ["h4"]


def test_the_page_of_all_nodes_has_the_answer_first(served):
    client, names, _ = served
    shown = settled(client, "/nodes")
    assert "<p>suspected: node h3, of 4 nodes</p>" in shown
    assert shown.index('href="/nodes/h3"') < shown.index('href="/nodes/h1"')
    assert "bandwidth 1.25x, probability 99.1 %" in shown
    assert "1.27x in 2 rounds" in shown
    assert f'<a href="/runs/{names[SLOW_FROM]}">{names[SLOW_FROM]}</a>' in shown
    assert "bandwidth against the others" in shown
    assert shown.index(f">{names[-1]}</a>") < shown.rindex(f">{names[0]}</a>")
    assert 'aria-current="page">Nodes' in shown


def test_the_page_of_a_node_draws_what_is_suspected_or_chosen(served):
    client, names, _ = served
    shown = settled(client, "/nodes/h3")
    assert f'suspected since <a href="/runs/{names[SLOW_FROM]}">' in shown
    assert "bandwidth of h3</h2>" in shown
    assert shown.count('aria-current="true"') == 1
    assert shown.count("1.27x in 2 rounds") == NIGHTS - SLOW_FROM
    assert "memory of h3</h2>" in settled(client, "/nodes/h3?figure=memory")
    assert "bandwidth of h3</h2>" in settled(client, "/nodes/h3?figure=none")
    assert "not suspected in its newest screening" in settled(client, "/nodes/h1")
    settled(client, "/nodes/h4", 404)


def test_programs_get_the_same(served):
    client, names, _ = served
    found = client.get("/api/nodes").json
    assert found["screenings"] == names
    newest = {each["node"]: each["newest"] for each in found["nodes"]}
    assert newest["h3"]["suspects"][0]["again_ratios"]["bandwidth"] == 1.27
    one = client.get("/api/nodes/h3").json
    assert [night["run"] for night in one["nights"]] == names
    assert set(one["nights"][0]["figures"]) == {"memory", "bandwidth"}
    assert client.get("/api/nodes/none").status_code == 404


def test_a_screening_that_changed_is_read_again_and_a_strange_one_is_none(tmp_path):
    made = Timed(tmp_path, day=1, samples=1)
    name = made.finish().name
    client = Client(Application(tmp_path, lambda *_: {}))
    assert "No cluster was screened yet" in settled(client, "/nodes")
    folder = RunFolder(tmp_path / name)
    strange = msgspec.structs.replace(
        screen(0, name, suspects=()), levels={"h1": {"memory": -1.0}}, pair_levels={}
    )
    keep_screen(folder, strange)
    assert "4 nodes, none suspected" in settled(client, "/nodes")
    assert "memory" not in settled(client, "/nodes/h1")
    keep_screen(folder, screen(0, name, suspects=(SLOW,)))
    assert "suspected: node h3, of 4 nodes" in settled(client, "/nodes")
    (tmp_path / name / "screen.json").write_text("{")
    assert "No cluster was screened yet" in settled(client, "/nodes")
