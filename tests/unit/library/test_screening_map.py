"""The map of a screening: suspects by letter, below their switches, with what pairs reached."""

import msgspec
import numpy as np
import pytest
import run_parts as parts

from leadline.library.screening_map import screen_map
from leadline.library.screening_plan import default_plan
from leadline.model.run import PointResult, RankPlace
from leadline.model.screen import Screen, Suspect
from leadline.output.html.map import render_map
from leadline.output.terminal.map import drawn_in

NAMES = ("h0", "h1", "h2", "h3")
ROUNDS = (((0, 3), (1, 2)), ((0, 1), (2, 3)))
NEIGHBOURS = (((3,), (2,), (1,), (0,)), ((1,), (0,), (3,), (2,)))
BYTES = 262144
SWITCHES = {"s1": ("h0", "h2"), "s2": ("h1", "h3")}


class Samples:
    """Pairs of each round, of which rank 3's take twice as long."""

    def columns(self, point):
        first, second = np.array(ROUNDS[point]).T
        return {
            "rank": first,
            "peer": second,
            "seconds": np.where(second == 3, 2e-4, 1e-4),
            "flags": np.zeros(2, dtype=np.int64),
            "launch": np.zeros(2, dtype=np.int64),
        }


def made_run(measured=2):
    points = [
        parts.point(
            turn, 4, 1, benchmark="mpi/rounds",
            axes={"bytes": BYTES, "mode": "stream", "window": 2, "load": "one", "round": turn},
        )
        for turn in range(2)
    ]  # fmt: skip
    ranks = tuple(
        RankPlace(rank=rank, host="same", node=rank, cpus="0", cpu=0, pid=1) for rank in range(4)
    )
    results = tuple(
        PointResult(
            point=turn, bytes=BYTES, moved_bytes=BYTES, messages=1.0, verified=True,
            neighbours=NEIGHBOURS[turn],
        )
        for turn in range(measured)
    )  # fmt: skip
    launch = parts.launch(0, 4, 1, ranks=ranks, points=results)
    plan = default_plan(["a"], 0, 0.4)
    return parts.run(
        run="2026-screen", plan=plan, started="2026-01-01", launches=[launch], points=points
    )


def suspect(kind="node", name="h3", ratio=2.0, figure="bandwidth alone"):
    return Suspect(kind=kind, name=name, figure=figure, ratio=ratio, probability=0.99)


def screen(*suspects, switches=SWITCHES, measured=NAMES):
    return Screen(
        run="2026-screen", nodes=NAMES, rounds=2, seconds=1.0, suspects=suspects, switches=switches,
        levels={name: {"memory": 1.0} for name in measured},
    )  # fmt: skip


def text(drawn):
    lines = drawn_in(msgspec.structs.replace(drawn, traffic=None), 80)
    return "\n".join(line.plain.rstrip() for line in lines)


def test_a_suspect_is_a_letter_below_its_switch():
    drawn = screen_map(screen(suspect()), made_run(), Samples())
    shown = text(drawn)
    assert [node.name for node in drawn.nodes] == ["h0", "h2", "h1", "h3"]
    assert "s1  . ." in shown
    assert "s2  . A" in shown
    assert "node h3: bandwidth alone 2.00x" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_node_that_was_not_measured_has_a_sign_of_its_own():
    shown = text(screen_map(screen(suspect(), measured=("h0", "h3")), made_run(), Samples()))
    assert "s1  . ?" in shown
    assert "s2  ? A" in shown
    assert "?  not measured" in shown


def test_links_carry_what_pairs_of_all_rounds_reached():
    drawn = screen_map(screen(suspect()), made_run(), Samples())
    assert drawn.traffic
    assert drawn.traffic.pairs == 4
    assert "round=" not in drawn.traffic.figure
    names = [vertex.name for vertex in drawn.vertices]
    rates = {
        frozenset((names[link.one], names[link.other])): (link.pairs, link.MBps)
        for link in drawn.links
    }
    slow, usual = BYTES / 2e-4 / 1e6, BYTES / 1e-4 / 1e6
    assert rates[frozenset(("h3", "s2"))] == (2, pytest.approx(2 * slow, rel=1e-4))
    assert rates[frozenset(("h1", "s2"))] == (2, pytest.approx(2 * usual, rel=1e-4))
    assert "2026-screen" in render_map(drawn)


def test_pairs_themselves_are_drawn_where_no_switch_is_known():
    drawn = screen_map(screen(switches={}), made_run(), Samples())
    assert {(link.one, link.other) for link in drawn.links} == {(0, 3), (1, 2), (0, 1), (2, 3)}
    assert drawn.topology == "rows"


def test_a_silent_node_stands_apart_and_an_uplink_is_its_nodes():
    dead = suspect(name="h9", ratio=None, figure="answer")
    drawn = screen_map(screen(dead, suspect("uplink", "s1")), made_run(), Samples())
    phases = {node.name: (node.phase, node.jobs) for node in drawn.nodes}
    assert phases["h9"] == ("down", (0,))
    assert phases["h0"] == phases["h2"] == ("used", (1,))
    assert phases["h1"] == ("free", ())
    assert "node h9: does not answer" in text(drawn)


def test_what_was_not_measured_carries_nothing():
    drawn = screen_map(screen(), made_run(measured=0), Samples())
    assert drawn.traffic is None
    assert all(not link.pairs for link in drawn.links)
