"""Programs whose waits are known: how long each rank waited, by what it noted of its calls."""

import pytest
from comparison.waits import KINDS, Call, Outcome, Program, drawn, waits


def call(name, part, begin, end, peer=-1, step=0):
    """What a rank notes of one call."""
    return Call(step, name, part, peer, begin, end)


@pytest.mark.parametrize(
    ("first", "second", "known"),
    [
        (call("barrier", "all", 0, 5), call("barrier", "all", 4, 5), [4, 0]),
        (call("scan", "all", 4, 5), call("scan", "all", 0, 5), [0, 4]),
        (call("scan", "all", 0, 5), call("scan", "all", 4, 5), [0, 0]),
        (call("bcast", "root", 0, 1, 0), call("bcast", "other", 4, 5, 0), [0, 0]),
        (call("bcast", "root", 4, 5, 0), call("bcast", "other", 0, 5, 0), [0, 4]),
        (call("reduce", "root", 0, 5, 0), call("reduce", "other", 4, 5, 0), [4, 0]),
        (call("reduce", "root", 4, 5, 0), call("reduce", "other", 0, 5, 0), [0, 0]),
        (call("small", "sender", 0, 5, 1), call("small", "receiver", 4, 5, 0), [0, 0]),
        (call("large", "sender", 0, 5, 1), call("large", "receiver", 4, 5, 0), [4, 0]),
        (call("small", "sender", 4, 5, 1), call("small", "waiter", 0, 5, 0), [0, 4]),
    ],
)
def test_who_waits_for_whom(first, second, known):
    assert waits([[first], [second]]) == known


def test_nobody_waits_longer_than_its_call_takes():
    early = call("bcast", "other", 0, 2, 1)
    assert waits([[early], [call("bcast", "root", 9, 10, 1)]]) == [2, 0]


def test_programs_are_the_same_for_the_same_seed():
    programs = drawn(9, 1, [2, 4])
    assert programs == drawn(9, 1, [2, 4]) != drawn(9, 2, [2, 4])
    assert {each.kind for each in programs} == set(KINDS)
    assert {each.ranks for each in programs} == {2, 4}


@pytest.mark.parametrize(
    ("kind", "found", "verdict", "right"),
    [
        ("late", 1.04, "rank", (True, True)),
        ("late", 1.06, "noise", (False, False)),
        ("balanced", 0.96, "library", (True, True)),
        ("noise", 0.9, "noise", (False, True)),
    ],
)
def test_what_is_right(kind, found, verdict, right):
    one = Outcome(Program(1, 2, kind, "both"), 2.0, [1.0, 0.0], [found, 0.0], verdict)
    assert (one.waits_right, one.verdict_right) == right
