"""Figures that look slower are launched again, and slow spells waited for."""

import math

import numpy as np
import pytest
from example_run import example_run
from launched import figure

from leadline.analysis.compare.confirming import Fresh, Yardsticks, choose
from leadline.analysis.compare.history import Dated
from leadline.analysis.compare.nights import Follower, Night
from leadline.library import confirming, until_sure
from leadline.library.confirming import Confirming
from leadline.library.nights import Followed
from leadline.library.until_sure import Budget

STEP = math.log(1.25)


class Told:
    def doing(self, text):
        pass


@pytest.fixture
def asked(monkeypatch):
    """What is asked for after launches of the figure 3, of which the last ones may be slow."""
    random = np.random.default_rng(1)

    def night(number, step=0.0):
        rows = {key: random.normal(0, 0.02, 3) + (key == 3) * step for key in range(12)}
        return Night(f"night-{number}", rows, dict.fromkeys(rows, "all"), {} if step else None)

    follower = Follower(at_once=False)
    for number in range(8):
        follower.add(night(number))
    last = night(8, STEP)
    new = Dated("new", (figure((1.0, 1.0)),))
    verdict = follower.judge(last)
    found = Followed(new, last, [verdict], 8, Yardsticks([new]))
    again = choose(verdict, last)
    keys = (*again.suspects, *again.witnesses)
    monkeypatch.setattr(until_sure, "round_s", lambda launches, points: float(len(points)))

    def ask(*slow, budget_s=60.0):
        waited = []
        fresh = Fresh(
            {key: np.full(len(slow), STEP * (key == 3)) for key in keys},
            {key: np.array(slow, dtype=bool) for key in keys},
        )
        monkeypatch.setattr(confirming, "launches_again", lambda *_: fresh)
        budget = Budget(budget_s, lambda: 0.0, waited.append)
        more = Confirming(found, again, {key: frozenset({key}) for key in keys}, budget, Told())
        return more(example_run(), None), waited

    ask.points = set(keys)
    return ask


def test_it_asks_for_as_many_launches_as_the_next_look_takes(asked):
    assert asked(False) == ((asked.points, 2), [])
    assert asked(False, False, False) == (None, []), "1.25x is sure after three"


def test_after_a_slow_spell_it_waits_and_asks_for_one(asked):
    assert asked(True) == ((asked.points, 1), [0.5])
    assert asked(False, True) == ((asked.points, 1), [0.5])
    assert asked(True, False) == ((asked.points, 2), [])


def test_it_does_not_wait_longer_than_the_budget(asked):
    assert asked(True, budget_s=3.4) == (None, [])
    assert asked(True, budget_s=3.6) == ((asked.points, 1), [0.5])
    assert asked(False, budget_s=3.6) == ((asked.points, 1), [])
