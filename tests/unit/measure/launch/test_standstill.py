"""Who stands still, by what the kernel says of each rank."""

import pytest

from leadline.measure.launch.hosts import Glimpse, parse_glimpse, standing_still

BUSY = Glimpse(("R", "R"), (100, 290))
ASLEEP = Glimpse(("S", "S"), (100, 100))


def _seen(odd, others=BUSY, count=8):
    return {f"h{at}": odd if at == 3 else others for at in range(count)}


@pytest.mark.parametrize(("state", "words"), [("T", "stopped"), ("D", "device"), ("Z", "dead")])
@pytest.mark.parametrize("others", [BUSY, ASLEEP])
def test_what_the_kernel_stopped_is_named(state, words, others):
    found = standing_still(_seen(Glimpse((state, state), (5, 5)), others))
    assert list(found) == ["h3"]
    assert words in found["h3"]


def test_a_rank_that_reads_from_disk_for_a_moment_is_not_stopped():
    assert standing_still(_seen(Glimpse(("D", "R"), (5, 90)))) == {}


def test_who_does_nothing_while_others_wait_is_named():
    assert list(standing_still(_seen(ASLEEP))) == ["h3"]


def test_nobody_is_named_where_all_sleep_or_all_are_busy():
    assert standing_still(_seen(ASLEEP, ASLEEP)) == {}
    assert standing_still(_seen(BUSY)) == {}
    assert standing_still({}) == {}
    assert standing_still({"a": None, "b": None}) == {}


def test_lines_that_are_missing_say_nothing():
    line = "7 (a) b) S 1 7 7 0 -1 0 0 0 0 0 30 2 0 0"
    assert parse_glimpse(f"{line}\n{line}") == Glimpse(("S", "S"), (32, 32))
    assert parse_glimpse(line) is None
    assert parse_glimpse("") is None
    assert parse_glimpse("7 (a)\n7 (a)") is None
