"""Machines in letters."""

import msgspec
import pytest
from example_maps import CROSSBAR, DRAGONFLY, FAT_TREE, T3E, example, platform

from leadline.analysis.network_map.compose import composed
from leadline.analysis.network_map.node_owners import nobody
from leadline.output.terminal.map import drawn_in
from leadline.output.terminal.picture import picture
from leadline.site.schedulers.topology import build_switched

SMALL = platform("small", 12, kind="torus", shape=(3, 2, 2))


def printed(drawn, width=80, rows=None):
    return "\n".join(line.plain for line in drawn_in(drawn, width, rows))


def test_a_torus_is_drawn_in_planes_with_y_upwards():
    text = printed(example(SMALL, [4, -1, 2], {10}))
    assert "\n".join(line.rstrip() for line in text.splitlines()[2:6]) == (
        "y  z 0        y  z 1\n"
        "1  A . B      1  . x .\n"
        "0  A A A      0  B . .\n"
        "   0 1 2 x       0 1 2 x"
    )


def test_the_legend_says_whose_the_letters_are():
    text = printed(example(SMALL, [4, -1, 2], {10}))
    assert "A  4100  user0  job4100      4" in text
    assert "B  4102  user2  job4102      2" in text
    assert ". free: 5   x down: 1" in text


@pytest.mark.parametrize("machine", [T3E, FAT_TREE, DRAGONFLY, CROSSBAR])
@pytest.mark.parametrize("width", [24, 40, 80, 200])
def test_every_node_is_drawn_once_and_no_line_is_too_long(machine, width):
    lines = [line.plain for line in picture(example(machine, [machine.nodes]), width)]
    assert sum(line.count("A") for line in lines) == machine.nodes
    assert max(map(len, lines)) <= width


def test_a_wide_torus_is_cut_into_strips():
    text = printed(example(platform("ring", 30, kind="torus", shape=(30, 1)), [30]), width=22)
    assert text.count("A") == 30 + 1
    assert max(map(len, text.splitlines()[2:])) <= 22


def test_nodes_of_a_switch_stand_together():
    lines = printed(example(FAT_TREE, [8, 3]), width=60).splitlines()
    assert lines[2].split() == ["s1.0", *"AAAAAAAA", "s1.1", *"BBB....."]


def test_groups_of_a_dragonfly_stand_together():
    text = printed(example(DRAGONFLY, [3]), width=40)
    assert "group 0  AA A. .. .. .. .. .. .." in text
    assert "48 routers" in text


def test_the_busiest_links_follow():
    text = printed(example(CROSSBAR, traffic=16), width=100)
    assert "links under some/pairs 64 KiB" in text and "simulated" in text
    assert "n1 - switch" in text and "128 KiB" in text
    assert "16 of 16 links carry something" in text


def test_no_line_is_wider_than_the_terminal_or_than_one_can_read():
    for width, most in ((30, 30), (100, 100), (10_000, 120)):
        drawn = drawn_in(example(T3E, [64], traffic=512), width)
        assert max(line.cell_len for line in drawn) <= most


def test_what_does_not_fit_is_counted():
    lines = printed(example(T3E, [64]), rows=6).splitlines()
    assert len(lines) == 6
    assert lines[-1].endswith("more lines do not fit here")


def test_names_cannot_move_the_cursor_or_break_lines():
    drawn = example(CROSSBAR, [2], names={0: "\x1b[2J\nEVIL" + "x" * 300})
    text = printed(msgspec.structs.replace(drawn, name="a\x1b]0;title\x07b"))
    assert "\x1b" not in text and "\x07" not in text
    assert not any(line.startswith("EVIL") for line in text.splitlines())
    assert max(map(len, text.splitlines())) <= 80


def test_names_of_switches_are_made_safe_and_short():
    ground = build_switched("lab", "switches", {"\x1b[2J" + "s" * 60: ["a", "b"]})
    drawn = composed(ground, nobody(["a", "b"]), "", "")
    (line, *_) = picture(drawn, 60)
    assert "\x1b" not in line.plain and line.plain.endswith("…  . .")
