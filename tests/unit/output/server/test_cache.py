"""Results are made once, kept for a while, errors too."""

import threading

import pytest

from leadline.core.errors import UserError
from leadline.output.server.cache import Cache


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
    kept, make = Cache(4), Counted()
    assert [kept.get("key", make) for _ in range(3)] == [1, 1, 1]
    assert kept.has("key")
    assert not kept.has("other")


def test_many_who_ask_at_once_get_the_same():
    gate = threading.Event()
    kept, make = Cache(4), Counted(gate)
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
    kept, make = Cache(2), Counted()
    kept.get("a", make), kept.get("b", make), kept.get("a", make), kept.get("c", make)
    assert [kept.has(key) for key in "abc"] == [True, False, True]
    assert len(kept) == 2


def test_an_error_is_kept_too():
    kept = Cache(2)
    asked = []

    def fail():
        asked.append(1)
        raise ValueError("no")

    for _ in range(3):
        with pytest.raises(UserError, match="ValueError: no"):
            kept.get("key", fail)
    assert asked == [1]


def test_what_a_result_needs_is_made_by_the_same_thread():
    kept = Cache(4)
    assert kept.get("whole", lambda: kept.get("part", lambda: 2) + 1) == 3
