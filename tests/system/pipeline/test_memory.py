"""Sweeps over memory and copies in it, on real ranks, by what their descriptions offer."""

import pytest
from real_ranks import REAL_RANKS

pytestmark = REAL_RANKS
BRIEF = ("--seconds", "0.02", "--minimum", "5", "--launches", "1", "--place", "1x2")


def measured(leadline, benchmark, *words):
    """Return the figures of a short run in which nothing went wrong."""
    answer = leadline.measure(benchmark, *BRIEF, *words)
    assert answer["outcome"]["state"] == "complete"
    assert all(point["verified"] for point in answer["points"])
    return answer["points"]


def moved_bytes(point):
    return point["bandwidth_MBps"] * point["median_s"] * 1e6


def test_sweeps_say_what_the_program_moves_and_what_caches_fetch(leadline):
    storing = "write,copy,scale,triad,update"
    points = measured(
        leadline, "node/stream",
        "--operation", f"read,{storing}", "--stores", "usual,non_temporal", "--bytes", "1000,48K",
    )  # fmt: skip
    of = {(p["axes"]["operation"], p["axes"]["stores"], p["bytes"]): p for p in points}
    assert ("read", "non_temporal", 1000) not in of
    touched = {"read": 1, "write": 1, "copy": 2, "scale": 2, "triad": 3, "update": 3}
    arrays = {"read": 1, "write": 1, "copy": 2, "scale": 2, "triad": 3, "update": 2}
    for (operation, stores, size), point in of.items():
        array = size // arrays[operation] // 64 * 64
        assert moved_bytes(point) == pytest.approx(2 * touched[operation] * array)
        allocates = stores == "usual" and operation not in ("read", "update")
        assert point["metrics"]["write_allocate_bytes"] == (2 * array if allocates else 0)


def test_sweeps_need_a_line_for_each_array(leadline):
    answer = leadline.measure("node/stream", *BRIEF, "--operation", "read,triad", "--bytes", "128")
    assert [point["axes"]["operation"] for point in answer["points"]] == ["read"]
    (left_out,) = [each for each in answer["findings"] if each["kind"] == "not_available"]
    assert "operation=triad takes bytes=192 or more" in left_out["text"]


@pytest.mark.parametrize("cache", ["warm", "cold"])
def test_what_one_process_hands_another_is_checked_in_pieces_and_in_one(leadline, cache):
    points = measured(
        leadline, "node/handover", "--copies", "two,one", "--bytes", "1,8K,8193,200001",
        "--cache", cache,
    )  # fmt: skip
    assert len(points) == 2 * 4


@pytest.mark.parametrize("cache", ["warm", "cold"])
def test_every_copy_is_checked_whatever_its_alignment(leadline, cache):
    described = leadline.measure("node/memcpy", *BRIEF, "--bytes", "8")
    assert described["points"][0]["axes"]["routine"] == "library"
    points = measured(
        leadline, "node/memcpy", "--routine", "library,chosen,words",
        "--bytes", "1,100,5000", "--source-offset", "0,13", "--target-offset", "0,63",
        "--cache", cache,
    )  # fmt: skip
    assert len(points) == 3 * 3 * 2 * 2
    for point in points:
        assert moved_bytes(point) == pytest.approx(2 * 2 * point["bytes"])
