"""Never slower than the library: only what is faster in fresh processes, for sure, is kept."""

import math
import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.model.tuning import Trial
from leadline.tune.proof import as_one, is_sure, verdicts, without_harm


def trial(without, with_it, size=8, choice="a", **changes):
    return Trial(
        collective="bcast", nodes=1, processes=2, bytes=size, choice=choice,
        without_s=tuple(without), with_s=tuple(with_it), **changes,
    )  # fmt: skip


def scattered(level, launches, seed, spread=0.03):
    chance = random.Random(str(seed))
    return [level * math.exp(chance.gauss(0, spread)) for _ in range(launches)]


def test_a_gain_beyond_chance_is_kept_with_its_figures():
    (verdict,) = verdicts([trial(scattered(2e-6, 8, 1), scattered(1e-6, 8, 2))])
    assert verdict.kept
    assert verdict.gain == pytest.approx(2, rel=0.05)
    assert 1.8 < verdict.gain_low < verdict.gain < verdict.gain_high < 2.2
    assert verdict.without_us / verdict.with_us == pytest.approx(verdict.gain)


def test_what_won_by_luck_is_dropped():
    """The race saw twice the speed, the proof sees none."""
    (verdict,) = verdicts([trial(scattered(1e-6, 8, 1), scattered(1e-6, 8, 2))])
    assert not verdict.kept and verdict.reason


def test_a_slower_one_is_dropped_and_says_so():
    (verdict,) = verdicts([trial(scattered(1e-6, 8, 1), scattered(2e-6, 8, 2))])
    assert verdict.reason == "not faster"
    assert verdict.gain < 1


def test_only_gains_are_asked_for():
    """One of 70 ways to deal four and four launches has such a gain."""
    on_two = trial([2.0e-6, 2.1e-6, 2.2e-6, 2.05e-6], [1.0e-6, 1.1e-6, 1.05e-6, 1.02e-6])
    on_four = msgspec.structs.replace(on_two, processes=4)
    found = verdicts([on_two, on_four])
    assert [verdict.p_value for verdict in found] == [pytest.approx(1 / 70)] * 2
    assert all(verdict.kept for verdict in found)


def test_many_gains_are_kept_that_each_alone_could_be_chance():
    """Launches scatter by 30 %: to bound the chance of any false one would keep half of them."""
    sizes = [
        trial(scattered(2e-6, 9, seed, 0.3), scattered(1e-6, 9, seed + 50, 0.3), seed)
        for seed in range(40)
    ]
    found = verdicts(sizes)
    assert sum(each.kept for each in found) >= 36
    assert all(each.gain_low > 1 for each in found if each.kept)


def test_of_many_sizes_without_any_gain_hardly_ever_one_is_kept():
    """5 % for all sizes together, not for each: ten sizes would else give half a rule a tuning."""
    wrong = 0
    for tuning in range(8):
        # Launches are faster or slower as a whole, too.
        luck = [scattered(1, 7, (tuning, side), 0.05) for side in range(2)]
        trials = [
            trial(*([scattered(one, 1, (tuning, size, one), 0.02)[0] for one in side]
                    for side in luck), size=size)
            for size in range(10)
        ]  # fmt: skip
        wrong += any(verdict.kept for verdict in verdicts(trials))
    # More than 3 have a probability of 0.04 %.
    assert wrong <= 3


def test_too_few_launches_and_wrong_data_prove_nothing():
    few = trial([2e-6] * 2, [1e-6] * 2)
    wrong = trial(scattered(2e-6, 8, 1), scattered(1e-6, 8, 2), verified=False)
    assert [verdict.reason for verdict in verdicts([few, wrong])] == [
        "too few launches", "wrong data"
    ]  # fmt: skip


def test_three_launches_prove_a_clear_gain_and_no_other():
    sizes = [trial(scattered(1e-6, 3, i), scattered(1e-6, 3, i + 20), 8 << i) for i in range(9)]
    clear = trial(scattered(1.6e-6, 3, 30), scattered(1e-6, 3, 40))
    assert [each.kept for each in verdicts([clear, *sizes])] == [True] + [False] * 9


def test_a_setting_that_harms_other_sizes_is_dropped_with_all_of_its_collective():
    fast = trial(scattered(2e-6, 8, 1), scattered(1e-6, 8, 2))
    as_before = trial(
        scattered(1e-6, 8, 3, 0.001), scattered(1e-6, 8, 4, 0.001), size=64, choice="library"
    )
    slower = trial(scattered(1e-6, 8, 5), scattered(3e-6, 8, 6), size=512, choice="library")
    assert [each.kept for each in without_harm(verdicts([fast, as_before]))] == [True, False]
    kept, _, _ = without_harm(verdicts([fast, as_before, slower]))
    assert kept.reason == "harms 512 B"


def test_one_choice_for_all_sizes_is_kept_for_all_or_for_none():
    fast = trial(scattered(2e-6, 8, 1), scattered(1e-6, 8, 2))
    as_well = trial(scattered(3e-6, 8, 3), scattered(1e-6, 8, 4), size=64)
    alike = trial(scattered(1e-6, 8, 3), scattered(1e-6, 8, 3), size=64)
    slower = trial(scattered(1e-6, 8, 5), scattered(3e-6, 8, 6), size=512)
    wrong = trial(scattered(2e-6, 8, 7), scattered(1e-6, 8, 8), size=1024, verified=False)
    one = {"bcast"}
    assert [each.kept for each in verdicts([fast, alike])] == [True, False]
    assert [each.kept for each in as_one(verdicts([fast, as_well]), one)] == [True, True]
    assert [each.kept for each in as_one(verdicts([fast, alike]), one)] == [False, False]
    reasons = [each.reason for each in as_one(verdicts([fast, as_well, slower]), one)]
    assert reasons == ["not faster at 512 B", "not faster at 512 B", "not faster"]
    reasons = [each.reason for each in as_one(verdicts([fast, wrong]), one)]
    assert reasons == ["wrong data at 1 KiB", "wrong data"]
    assert [each.kept for each in as_one(verdicts([fast, slower]), {"gatherv"})] == [True, False]


def test_a_size_with_few_launches_takes_none_from_the_others():
    """Of one size only three launches met the same state: the others keep all of theirs."""
    few = trial(scattered(1e-6, 3, 1), scattered(1e-6, 3, 2))
    others = [
        trial(scattered(1.3e-6, 9, n, 0.1), scattered(1e-6, 9, n + 30, 0.1), size=8 << n)
        for n in range(1, 10)
    ]
    few_verdict, *found = verdicts([few, *others])
    assert not few_verdict.kept and all(each.kept for each in found)
    assert found == verdicts(others)


def test_an_interval_over_more_than_a_factor_of_ten_proves_nothing():
    """The library is in one state or in another: nobody knows which one a program meets."""
    without = [1.5e-6, *scattered(2e-5, 6, 1)]
    (verdict,) = verdicts([trial(without, [*scattered(1e-6, 5, 2), *scattered(2e-5, 2, 3)])])
    assert 1 < verdict.gain_low < verdict.gain_high / 10 and verdict.p_value < 0.05
    assert verdict.reason == "disturbed"
    assert is_sure(2.0, 9.0, 0.01) and not is_sure(1.4, 3810.0, 0.01)
    assert not is_sure(0.81, 1.4, 0.01) and not is_sure(1.2, 1.4, 0.2)


TIME = st.floats(1e-7, 1e-2)
LAUNCHES = st.lists(TIME, min_size=0, max_size=9)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(LAUNCHES, LAUNCHES), min_size=1, max_size=4))
def test_nothing_is_kept_that_was_not_faster(sides):
    """Whatever was measured: what is kept was faster in these very launches, beyond chance."""
    trials = [trial(without, with_it, size=n) for n, (without, with_it) in enumerate(sides)]
    for one, verdict in zip(trials, verdicts(trials), strict=True):
        assert verdict.trial == one
        if verdict.kept:
            assert min(len(one.without_s), len(one.with_s)) >= 3
            assert verdict.gain > 1 and verdict.gain_low > 1
            assert verdict.gain_high <= 10 * verdict.gain_low
            assert verdict.with_us < verdict.without_us
    together = as_one(verdicts(trials), {"bcast"})
    assert len({each.kept for each in together}) == 1
