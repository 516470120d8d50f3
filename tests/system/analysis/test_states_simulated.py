"""Runs that meet slow spells of the machine, with a known truth, compared again and again."""

import msgspec
import numpy as np
from launched import figure

from leadline.analysis.compare.compare import compare
from leadline.model.summary import LaunchReadings

FAST_S, TIMES = 100e-9, 3.1


def drawn(random, slow, figures=3, scatter=0.03, seen=0.03):
    """Draw a run whose launches are slow or not: in a spell, all takes three times as long."""
    slow = np.asarray(slow)
    rows = FAST_S * np.where(slow, TIMES, 1.0)[:, None] * random.lognormal(0, seen, (len(slow), 2))
    readings = [LaunchReadings(cores="one", round_trips_s=tuple(row)) for row in rows.tolist()]
    common = random.lognormal(0, scatter, len(slow))
    return [
        msgspec.structs.replace(
            figure(
                (common * np.where(slow, 3.0, 1.0) * random.lognormal(0, scatter, len(slow))),
                size=8 << number,
            ),
            readings=tuple(readings),
        )
        for number in range(figures)
    ]


def spells(random, launches=8):
    """Draw which launches are slow: spells are longer than a launch, and may take a whole run."""
    slow = [random.random() < 0.3]
    while len(slow) < launches:
        slow.append(not slow[-1] if random.random() < 0.15 else slow[-1])
    return slow


def verdicts(base, other):
    return [each.verdict for each in compare("before", base, "after", other).figures]


def test_alike_runs_that_meet_spells_are_called_different_in_one_of_twenty_at_most():
    random = np.random.default_rng(2)
    wrong = 0
    for _ in range(200):
        told = verdicts(*(drawn(random, spells(random)) for _ in range(2)))
        wrong += any(each in ("slower", "faster") for each in told)
    # Of 200 at 5 %, 15 or fewer with a probability of 95 %.
    assert wrong <= 15


def test_a_tenth_is_found_where_the_runs_met_a_state_in_common():
    random = np.random.default_rng(3)
    found = possible = 0
    trials = 100
    for _ in range(trials):
        base, other = (drawn(random, spells(random), scatter=0.01) for _ in range(2))
        slower = tuple(1.1 * each for each in other[0].launch_medians_s)
        other[0] = msgspec.structs.replace(other[0], launch_medians_s=slower)
        whole = compare("before", base, "after", other).figures[0]
        possible += whole.states is None or not whole.states.apart
        found += whole.verdict == "slower"
    assert found >= 0.8 * possible and possible >= 0.5 * trials
