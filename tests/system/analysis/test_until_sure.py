"""Looks at few launches, then at more of what is open: no more false alarms than promised."""

import math
from functools import lru_cache

import numpy as np
import pytest

from leadline.analysis.stats import rotation
from leadline.analysis.stats.rivals import ratios

PAIRS, TRIALS, LOOKS = 12, 200, (3, 5, 8, 12, 18)
SAME = math.log(1.05)


@pytest.fixture(autouse=True)
def each_look_is_judged_once(monkeypatch):
    """A look judges those before it again, which give what they gave."""
    judge = rotation.shifts

    @lru_cache(maxsize=8)
    def kept(values, shape, confidence, singly):
        rows = np.frombuffer(values).reshape(shape)
        return judge(rows, confidence, singly=singly)

    def shifts(rows, confidence, *, singly):
        return kept(rows.tobytes(), rows.shape, confidence, singly)

    monkeypatch.setattr(rotation, "shifts", shifts)


def settled(ratio):
    """Tell whether a pair is different for sure, or the same within 5 %."""
    if ratio.p_value <= 0.05:
        return True
    return max(abs(math.log(end)) for end in ratio.interval) <= SAME


def watched(random, factors, scatter):
    """Measure what is open after each look; return the last ratios, and the launches spent."""
    drawn = random.normal(size=(PAIRS, LOOKS[-1])) * scatter + np.log(factors)[:, None]
    launches = [LOOKS[0]] * PAIRS
    for look in range(len(LOOKS)):
        pairs = [
            (np.exp(row[:count]).tolist(), [1.0] * count)
            for row, count in zip(drawn, launches, strict=True)
        ]
        found = ratios(pairs, LOOKS[: look + 1])
        if look + 1 < len(LOOKS):
            launches = [
                count if settled(ratio) or count < LOOKS[look] else LOOKS[look + 1]
                for count, ratio in zip(launches, found, strict=True)
            ]
    return found, launches


def alarms(seed, scatter, differing=0):
    """Return the part of trials in which any of the pairs that are alike is called different."""
    random = np.random.default_rng(seed)
    factors = np.array([1.5] * differing + [1.0] * (PAIRS - differing))
    return np.mean(
        [
            any(ratio.p_value <= 0.05 for ratio in watched(random, factors, scatter)[0][differing:])
            for _ in range(TRIALS)
        ]
    )


# So many may come by chance where 5 % are promised: two standard errors.
MOST = 0.05 + 2 * math.sqrt(0.05 * 0.95 / TRIALS)


def test_five_looks_keep_the_promise():
    """With figures that scatter alike, and with some that scatter ten times as much."""
    assert alarms(1, 0.06) <= MOST
    assert alarms(2, np.array([[0.02]] * 6 + [[0.2]] * 6)) <= MOST


def test_five_looks_keep_the_promise_beside_real_differences():
    assert alarms(3, 0.06, differing=6) <= MOST


def test_what_three_launches_leave_open_is_settled_by_more():
    random = np.random.default_rng(4)
    factors = np.array([1.12] + [1.0] * (PAIRS - 1))
    trials = [watched(random, factors, 0.06) for _ in range(50)]
    assert np.mean([found[0].p_value <= 0.05 for found, _ in trials]) >= 0.9
    # What is settled early is measured no more.
    assert np.mean([launches for _, launches in trials]) < LOOKS[-1]
