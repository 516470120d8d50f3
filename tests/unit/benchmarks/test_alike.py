"""The comparison of a plan with itself, on made-up launches."""

import numpy as np
import pytest
from comparison.alike import at_most, lines, summarised, tried
from launched import figure
from scipy import stats


def run(random, shift=1.0):
    return tuple(figure(shift * random.lognormal(0, 0.01, 10), size=size) for size in (8, 64, 512))


def test_like_runs_raise_no_alarm_and_a_slower_figure_is_found():
    random = np.random.default_rng(2)
    trials = [t for n in range(3) for t in tried(run(random), run(random), n, 1.1)]
    assert [trial.order for trial in trials[:2]] == ["one after the other", "in turn"]
    assert all(trial.found and not trial.wrong and trial.figures == 3 for trial in trials)


def test_a_run_that_was_slow_as_a_whole_is_an_alarm_unless_measured_in_turn():
    random = np.random.default_rng(3)
    after, in_turn = tried(run(random), run(random, 1.5), 0, 1.1)
    assert len(after.wrong) == 3
    assert in_turn.wrong == ()
    summary = summarised([after, in_turn])
    assert [each["false_alarms"] for each in summary] == [1, 0]
    assert "one after the other        1 of 1" in lines(summary, 10, 10)[2]


@pytest.mark.parametrize(("count", "trials"), [(0, 50), (1, 50), (7, 20), (20, 20)])
def test_the_limit_of_a_share_is_clopper_and_pearsons(count, trials):
    peer = stats.binomtest(count, trials, alternative="less").proportion_ci(0.95)
    assert at_most(count, trials) == pytest.approx(peer.high, abs=1e-9)
