"""Results are made once, kept for a while, and never waited for longer than one has patience."""

import threading

import pytest

from leadline.core.errors import UserError
from leadline.output.server.cache import Cache, NotYet, Workers


class Counted:
    """Makes a number, and counts how often and how many at once; waits for `gate` if it has one."""

    def __init__(self, gate=None):
        self.gate = gate
        self.made = 0

    def __call__(self):
        self.made += 1
        if self.gate:
            assert self.gate.wait(30)
        return self.made


def test_a_result_is_made_once():
    kept, make = Cache(Workers(), 4), Counted()
    assert [kept.get("key", make) for _ in range(3)] == [1, 1, 1]
    assert kept.has("key")
    assert not kept.has("other")


def test_many_who_ask_at_once_get_the_same():
    gate = threading.Event()
    kept, make = Cache(Workers(4), 4), Counted(gate)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(kept.get("key", make))) for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    assert found == [1] * 16
    assert make.made == 1


def test_those_not_asked_for_longest_go_first():
    kept, make = Cache(Workers(), 2), Counted()
    kept.get("a", make), kept.get("b", make), kept.get("a", make), kept.get("c", make)
    assert [kept.has(key) for key in "abc"] == [True, False, True]
    assert len(kept) == 2


def test_an_error_is_kept_too():
    kept = Cache(Workers(), 2)
    asked = []

    def fail():
        asked.append(1)
        raise ValueError("no")

    for _ in range(3):
        with pytest.raises(UserError, match="ValueError: no"):
            kept.get("key", fail)
    assert asked == [1]


def test_who_has_no_patience_comes_again():
    gate = threading.Event()
    kept, make = Cache(Workers(), 2), Counted(gate)
    for _ in range(3):
        with pytest.raises(NotYet):
            kept.get("key", make, 0.01)
    gate.set()
    assert kept.get("key", make, 30) == 1
    assert make.made == 1


def test_too_many_that_wait_are_sent_away_and_may_come_again():
    gate = threading.Event()
    kept = Cache(Workers(threads=1, waiting=2), 100)
    held = Counted(gate)
    sent_away = 0
    for key in range(20):
        try:
            kept.get(key, held, 0.01)
        except NotYet:
            sent_away += not kept.has(key) and key not in kept._jobs
    assert sent_away >= 16
    gate.set()
    for key in range(3):
        kept.get(key, held, 30)
    assert kept.get(19, lambda: "made", 30) == "made"


def test_what_a_result_needs_is_made_by_the_same_worker():
    kept = Cache(Workers(threads=1), 4)
    assert kept.get("whole", lambda: kept.get("part", lambda: 2) + 1, 30) == 3


def test_workers_that_need_each_others_results_do_not_wait_for_ever():
    kept = Cache(Workers(threads=2), 64)
    found = []
    threads = [
        threading.Thread(
            target=lambda key=key: found.append(
                kept.get(("whole", key), lambda: kept.get(("part", key % 2), lambda: key % 2), 30)
            )
        )
        for key in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == [0] * 10 + [1] * 10
