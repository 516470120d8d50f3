"""Which earlier screenings a node is held against."""

import msgspec

from leadline.library.node_screening import kind_of, past_levels
from leadline.model.screen import Screen, Suspect
from leadline.store.history import SCREEN_FILE, last_screen, past_screens

KIND = "Made up, 2 sockets, 64 cores"


def _screen(levels, kind="", suspected=(), nodes=()):
    return Screen(
        run="r",
        nodes=tuple(nodes) or tuple(levels),
        rounds=0,
        seconds=5.0,
        suspects=tuple(
            Suspect(kind="node", name=name, figure="memory", ratio=2.0, probability=1.0)
            for name in suspected
        ),
        levels={name: {"memory": seconds} for name, seconds in levels.items()},
        kind=kind,
    )


def test_its_own_past_is_enough_where_there_are_five():
    own = [_screen({"a": 1.0 + at, "b": 9.0}) for at in range(5)]
    past = past_levels([*own, _screen({"c": 7.0}, KIND)], "a", KIND)
    assert [each["memory"] for each in past] == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_its_kind_are_nodes_screened_with_it_and_those_of_its_processors():
    earlier = [
        _screen({"a": 1.0, "b": 2.0}),
        _screen({"c": 3.0}, KIND),
        _screen({"d": 4.0}, "Another"),
        _screen({"e": 5.0, "f": 6.0}),
    ]
    assert sorted(each["memory"] for each in past_levels(earlier, "a", KIND)) == [1.0, 2.0, 3.0]


def test_what_was_suspected_is_nobodys_measure():
    earlier = [_screen({"a": 1.0, "b": 2.0}, suspected=["a"]), _screen({"a": 1.5}, suspected=["a"])]
    assert [each["memory"] for each in past_levels(earlier, "a", KIND)] == [2.0]


def test_a_kind_is_told_by_its_processors():
    assert kind_of({"cpu_model": "Made up", "sockets": 2, "cores": 64}) == KIND
    assert kind_of({}) == "unknown processor, 0 sockets, 0 cores"


def test_screenings_are_read_newest_first_and_damaged_ones_left_out(tmp_path):
    oldest, newest = (msgspec.json.encode(_screen({name: 1.0})) for name in "ab")
    for at, text in enumerate((oldest, b"{", None, b"", newest)):
        folder = tmp_path / f"2026-01-0{at + 1}T00-00-00-screen-x"
        folder.mkdir()
        (folder / "run.json").write_text("{}")
        if text is not None:
            (folder / SCREEN_FILE).write_bytes(text)
    assert [each.nodes for each in past_screens(tmp_path)] == [("b",), ("a",)]


def test_a_screening_that_measured_nothing_is_nobodys_last_one(tmp_path):
    measured = msgspec.structs.replace(_screen({"a": 1.0}), run="measured")
    failed = msgspec.structs.replace(measured, run="failed", levels={})
    for at, screen in enumerate((measured, failed)):
        folder = tmp_path / f"2026-01-0{at + 1}T00-00-00-screen-x"
        folder.mkdir()
        (folder / "run.json").write_text("{}")
        (folder / SCREEN_FILE).write_bytes(msgspec.json.encode(screen))
    last = last_screen(tmp_path, ["a"])
    assert last and last.run == "measured"
