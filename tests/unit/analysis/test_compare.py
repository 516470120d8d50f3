"""Two runs held against each other: which figures, and which verdicts."""

import numpy as np
import pytest
from launched import figure, imported

from leadline.analysis.compare.compare import compare


def held(base, other, **options):
    return compare("before", base, "after", other, **options)


def verdict(base, other, **options) -> str:
    (found,) = held([base], [other], **options).figures
    return found.verdict


STEADY = (1.0, 1.01, 0.99, 1.005, 0.995, 1.0, 1.01, 0.99, 1.002, 0.998)


def times(factor):
    return [factor * value for value in STEADY]


@pytest.mark.parametrize(
    ("factor", "expected"),
    [(1.0, "same"), (1.02, "same"), (1.1, "slower"), (3.0, "slower"), (0.9, "faster")],
)
def test_steady_launches_give_a_verdict(factor, expected):
    assert verdict(figure(times(1.0)), figure(times(factor))) == expected


def test_a_difference_of_no_use_is_no_verdict():
    base, other = figure(times(1.0)), figure(times(1.04))
    assert verdict(base, other, same_within=0.10) == "same"
    assert verdict(base, other, same_within=0.01) == "slower"


def test_three_launches_tell_a_difference_that_their_scatter_cannot_make():
    (found,) = held([figure([1.0, 1.01, 0.99])], [figure([2.0, 2.01, 1.99])]).figures
    assert found.verdict == "slower" and found.p_value <= 0.05 and found.launches_needed is None
    assert found.low < 2.0 < found.high < 2.1
    assert found.method == "rotated launches, 3 and 3, scatter of all figures"


def test_one_launch_is_too_few_and_the_answer_says_how_many_would_do():
    (found,) = held([figure([1.0])], [figure([2.0])]).figures
    assert (found.verdict, found.p_value, found.launches_needed) == ("cannot tell", None, 10)


def test_steady_figures_tell_how_the_launches_of_a_disturbed_one_scatter():
    # Alone, three launches that scatter so do not tell 1.4; nine others scatter by less.
    base, other = [1.0, 1.14, 0.88], [1.4, 1.22, 1.55]
    assert verdict(figure(base), figure(other)) == "cannot tell"
    random = np.random.default_rng(5)
    sizes = range(10, 19)
    before, after = (
        [figure(random.lognormal(0, 0.06, 3).tolist(), size=size) for size in sizes]
        for _ in range(2)
    )
    found = held([figure(base), *before], [figure(other), *after]).figures
    assert found[0].verdict == "slower"
    assert {each.verdict for each in found[1:]} <= {"same", "cannot tell"}


def test_the_more_launches_scatter_the_more_are_needed():
    needed = []
    for scatter in (4, 7, 10):
        wide = [value**scatter for value in STEADY]
        (found,) = held([figure(wide[:3])], [figure([1.12 * v for v in wide[:3]])]).figures
        assert found.verdict == "cannot tell"
        needed.append(found.launches_needed)
    assert needed[0] < needed[1] < needed[2]


def test_launches_in_a_slow_state_hide_no_slow_down():
    slow = [2.5 if i in (1, 4, 5) else 1.0 for i in range(10)]
    base = figure([a * b for a, b in zip(slow, STEADY, strict=True)])
    other = figure([1.1 * a * b for a, b in zip(slow[::-1], STEADY, strict=True)])
    assert verdict(base, other) == "slower"


def test_a_side_that_was_measured_only_in_the_slow_state_is_no_verdict():
    mixed = figure([2.5 * value if value < 0.995 else value for value in STEADY])
    assert verdict(mixed, figure(times(2.5))) == "cannot tell"


@pytest.mark.parametrize(
    ("as_slow", "expected"), [(0, "slower"), (1, "slower"), (3, "slower"), (4, "cannot tell")]
)
def test_an_eighth_of_the_launches_shows_a_slow_while(as_slow, expected):
    many = STEADY * 4
    slow = range(0, 8 * as_slow, 8)
    base = figure([1.4 * many[i] if i in slow else many[i] for i in range(32)])
    assert verdict(base, figure([1.35 * value for value in many[:32]])) == expected


def test_figures_without_intervals_need_a_quarter():
    assert verdict(imported(1.0), imported(1.2)) == "cannot tell"
    (found,) = held([imported(1.0)], [imported(1.3)]).figures
    assert (found.verdict, found.low, found.method) == ("slower", None, "no interval")
    assert verdict(figure(times(1.0)), imported(0.7)) == "faster"


def test_figures_are_paired_across_what_differs():
    base = [figure(times(1.0), size=size, mpi="one") for size in (8, 64)]
    other = [figure(times(1.0), size=size, mpi="another") for size in (64, 1024)]
    found = held(base, other)
    assert [each.name for each in found.figures] == ["family/thing at 64 B"]
    assert found.only_base == ("family/thing at 8 B with one",)
    assert found.only_other == ("family/thing at 1 KiB with another",)


def test_a_choice_that_both_have_is_never_crossed():
    ways = {way: figure(times(1.0), axes={"way": way}) for way in ("plain", "clever", "new")}
    found = held([ways["plain"], ways["clever"]], [ways["clever"], ways["new"]])
    assert [each.name for each in found.figures] == ["family/thing way=clever at 8 B"]
    assert found.only_other == ("family/thing way=new at 8 B",)


def test_a_figure_is_in_one_pair_at_most():
    both = [figure(times(1.0), mpi=mpi) for mpi in ("two", "three")]
    found = held([figure(times(1.0), mpi="one")], both)
    assert len(found.figures) == 1
    assert found.figures[0].other.mpi == "two"
    assert found.only_other == ("family/thing at 8 B with three",)


def test_a_time_of_zero_has_no_ratio():
    found = held([figure([0.0, 0.0])], [figure([1.0, 1.0])])
    assert found.figures == ()
    assert found.without_ratio == ("family/thing at 8 B",)
