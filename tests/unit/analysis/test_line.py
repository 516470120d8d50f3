"""Times carried on to more work: exact laws go on, and intervals hold what they promise."""

import numpy as np
import pytest

from leadline.analysis.stats.line import predict_growth

SIZES = [4.0**level for level in range(7)]


@pytest.mark.parametrize("power", [0.5, 1.0, 1.5])
def test_a_power_law_goes_on_as_it_was(power):
    measured = [3e-6 * size**power for size in SIZES]
    found = predict_growth(SIZES[:5], measured[:5], SIZES[5:])
    assert [each.seconds for each in found] == pytest.approx(measured[5:])
    assert [each.low for each in found] == pytest.approx(measured[5:])
    assert [each.high for each in found] == pytest.approx(measured[5:])


def test_the_last_slope_counts_not_those_in_the_caches():
    """Work that is linear outside the caches is predicted as linear, whatever it was inside."""
    measured = [size if size < 64 else 3 * size for size in SIZES]
    (next_one, *_) = predict_growth(SIZES[:6], measured[:6], SIZES[6:])
    assert next_one.seconds == pytest.approx(measured[6])
    assert next_one.low < measured[6] / 2 < 2 * measured[6] < next_one.high


def test_two_sizes_or_a_time_of_zero_predict_nothing():
    assert predict_growth(SIZES[:2], [1.0, 4.0], SIZES[2:3]) == []
    assert predict_growth(SIZES[:3], [0.0, 1.0, 4.0], SIZES[3:4]) == []


@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("ratio", [2.0, 4.0])
def test_nineteen_in_twenty_intervals_hold_a_slope_that_drifts(count, ratio):
    random = np.random.default_rng(7)
    step = np.log(ratio)
    held = np.zeros(2)
    tries = 1000
    for _ in range(tries):
        slopes = 1 + np.cumsum(random.normal(0, 0.05 * np.sqrt(step), count + 1))
        seconds = np.exp(np.cumsum([0.0, *slopes * step]))
        sizes = np.exp(step * np.arange(count + 2))
        found = predict_growth(sizes[:count], seconds[:count], sizes[count:])
        held += [one.low <= s <= one.high for one, s in zip(found, seconds[count:], strict=True)]
    assert (np.abs(held / tries - 0.95) < 0.03).all()


def test_further_work_is_less_sure():
    one, two = predict_growth(SIZES[:4], [1.0, 4.1, 16.0, 65.0], SIZES[4:6])
    assert one.high / one.low < two.high / two.low
