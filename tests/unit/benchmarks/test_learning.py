"""The table of learnt and tuned gains: its arithmetic, without any program."""

import pytest
from comparison.learning import Launch, gains, lines, summary


def launches(learnt, tuned=None, rounds=5):
    """Rounds whose machine is ever slower; gains within a round are those given, by row."""
    for number in range(rounds):
        slow = 1e-6 * (1 + number)
        yield Launch("m", "library", number, dict.fromkeys(learnt, slow))
        yield Launch("m", "learnt", number, {key: slow / gain for key, gain in learnt.items()})
        if tuned:
            yield Launch("m", "tuned", number, {key: slow / gain for key, gain in tuned.items()})


LEARNT = {
    ("barrier.first", 0): 1.5,
    ("barrier.back", 0): 2.0,
    ("barrier.apart", 0): 8.0,
    ("barrier.whole", 0): 0.9,
}
TUNED = dict.fromkeys(LEARNT, 5.0)


def test_the_mean_is_of_what_follows_the_first_calls_and_the_least_of_whole_runs():
    found = summary(list(launches(LEARNT, TUNED)), "m")
    assert found.learnt == pytest.approx(4.0)
    assert found.tuned == pytest.approx(5.0)
    assert found.share == pytest.approx(0.8)
    assert found.least.name == "barrier.whole"
    assert found.least.high == pytest.approx(0.9)


def test_the_tuned_side_may_be_absent():
    found = summary(list(launches(LEARNT)), "m")
    assert (found.tuned, found.share) == (None, None)
    assert summary([], "m") is None


def test_a_round_that_lacks_a_side_does_not_count():
    some = [each for each in launches(LEARNT) if (each.round, each.side) != (4, "learnt")]
    assert len(gains(some, "m", "learnt")) == len(LEARNT)
    assert gains([each for each in some if each.side == "learnt"], "m", "learnt") == []


def test_the_table_has_share_and_cost():
    told = lines(list(launches(LEARNT, TUNED)), {"m": 0.0042}, by_size=True)
    assert len(told) == 1 + len(LEARNT) + 2
    assert "80%" in told[-1] and "0.42%" in told[-1] and "0.90 (barrier 0 B), 0.90" in told[-1]
