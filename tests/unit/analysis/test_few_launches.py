"""Too few launches have an answer at every entry of the statistics: unclear, never a fault.

From none to three launches, equal ones and some that took no time at all: nothing is raised, every
number is finite, and what one launch alone tells of another is not sure.
"""

import importlib
import inspect
import math
import pkgutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.analysis import stats
from leadline.analysis.stats import (
    alarms,
    calls,
    comparison,
    extremes,
    launches,
    line,
    modes,
    nightly,
    permutation,
    ranks,
    rivals,
    rotation,
    statistics,
    student,
    trend,
)

TIME = st.one_of(st.just(1e-6), st.floats(1e-7, 1e-2))
# Seconds of the launches of two figures, and of two others.
SIDE = st.lists(st.one_of(st.just(0.0), TIME), max_size=3)
SIDES = st.tuples(SIDE, SIDE, SIDE, SIDE)


def array(values):
    return np.array(values, dtype=float)


def logarithms(seconds):
    return np.log(np.maximum(array(seconds), 1e-9))


def table(*figures):
    """Return as many launches of each figure, shape (figures, launches)."""
    count = min(map(len, figures))
    return array([each[:count] for each in figures]).reshape(len(figures), count)


def log_table(*figures):
    return logarithms(table(*figures))


def each_launch(seconds):
    return [array([one]) for one in seconds]


def timed(seconds, interval=None):
    middle = float(np.median(seconds)) if seconds else 0.0
    return comparison.Series(middle, interval, tuple(seconds), len(seconds))


def nights(*figures):
    return [[nightly.level_of(logarithms(night)) for night in each] for each in figures]


def usual_of(*figures):
    return nightly.learn(nights(*figures))


def night_of(one, other):
    """Return what a night says of six figures, five of one group."""
    usual = usual_of(*[[one, other, one, other]] * 6)
    tonight = [logarithms(one)] * 5 + [logarithms(other)]
    return alarms.judge_night(usual, tonight, [0] * 5 + [1], [alarms.Machine(1.0, common=0.1)])


def looked(one, other):
    (usual,) = usual_of([one, other, one])
    suspect = alarms.Suspect(logarithms(other), before=nightly.level_of(logarithms(other)))
    return alarms.look(usual, logarithms(one), 3, 1, suspect)


def tonight_of(one, other):
    return alarms.tonight(usual_of([one])[0], alarms.Suspect(logarithms(other)), logarithms(one))


def columns(seconds):
    count = len(seconds)
    same = np.zeros(2 * count, dtype=int)
    return {
        "launch": np.tile(np.arange(count), 2), "rank": np.repeat([0, 1], count), "series": same,
        "repetition": same, "batch": same + 1, "flags": same, "seconds": array(list(seconds) * 2),
    }  # fmt: skip


# What takes launches: from none to three of them.
ENTRIES = {
    alarms.judge_night: lambda a, b, c, d: night_of(a, b),
    alarms.look: lambda a, b, c, d: looked(a, b),
    alarms.tonight: lambda a, b, c, d: tonight_of(a, b),
    alarms.in_spell: lambda a, b, c, d: alarms.in_spell(
        [(each, logarithms(a)) for each in usual_of([b], [c])]
    ),
    calls.arrange: lambda a, b, c, d: [each.launch for each in calls.arrange(columns(a), 0)],
    comparison.in_series: lambda a, b, c, d: comparison.in_series([timed(a), timed(b)][: len(c)]),
    comparison.time_ratio: lambda a, b, c, d: [
        comparison.time_ratio(timed(a), timed(b, (1e-7, 1e-6) if c else None), of)
        for of in ("one run", "apart", "two runs")
    ],
    comparison.over_launches: lambda a, b, c, d: comparison.over_launches(a),
    comparison.unclear: lambda a, b, c, d: comparison.unclear(),
    comparison.level_s: lambda a, b, c, d: comparison.level_s(a),
    comparison.of_levels: lambda a, b, c, d: comparison.of_levels(a, b),
    comparison.clearly_longer: lambda a, b, c, d: comparison.clearly_longer(
        comparison.over_launches(a)
    ),
    comparison.strongest: lambda a, b, c, d: comparison.strongest(1 + one for one in a),
    extremes.fit_tail: lambda a, b, c, d: extremes.fit_tail(np.sort(array(a))),
    extremes.predict_maximum: lambda a, b, c, d: extremes.predict_maximum(
        [array([one, one, 2 * one]).reshape(3, 1) for one in a], [8, 64]
    ),
    extremes.maximum_if_independent: lambda a, b, c, d: extremes.maximum_if_independent(
        table(a, b).T
    ),
    extremes.mean_interval: lambda a, b, c, d: extremes.mean_interval(each_launch(a)),
    launches.estimate: lambda a, b, c, d: launches.estimate(each_launch(a)),
    launches.quantile_over_launches: lambda a, b, c, d: launches.quantile_over_launches(
        each_launch(a), 0.9
    ),
    launches.within_launch_interval: lambda a, b, c, d: launches.within_launch_interval(array(a)),
    line.predict_growth: lambda a, b, c, d: line.predict_growth(range(1, len(a) + 1), a, [8, 16]),
    modes.modes: lambda a, b, c, d: modes.modes(np.sort(array(a)), len(a)),
    nightly.level_of: lambda a, b, c, d: nightly.level_of(logarithms(a)),
    nightly.learn: lambda a, b, c, d: usual_of([], [a], [a, b, c], [a, b, c, d], [d] * 4),
    permutation.difference: lambda a, b, c, d: permutation.difference(logarithms(a), logarithms(b)),
    permutation.interval: lambda a, b, c, d: permutation.interval(logarithms(a), logarithms(b)),
    permutation.adjusted_p_values: lambda a, b, c, d: permutation.adjusted_p_values(
        log_table(a, b), log_table(c, d)
    ),
    permutation.p_values: lambda a, b, c, d: permutation.p_values(
        log_table(a, b), log_table(c, d), longer_only=True
    ),
    permutation.steady: lambda a, b, c, d: permutation.steady(a),
    ranks.rank_test: lambda a, b, c, d: ranks.rank_test(array(a), array(b)),
    ranks.shift: lambda a, b, c, d: ranks.shift(array(a), array(b)),
    ranks.association: lambda a, b, c, d: ranks.association(
        [
            ranks.Stratum(log_table(a, b), table(a, b)[0] > 1e-6),
            ranks.Stratum(np.zeros((0, 2)), array([0, 1]) > 0),
        ]
    ),
    ranks.launches_to_tell: lambda a, b, c, d: ranks.launches_to_tell(len(a), len(b), 0.05),
    rivals.are_many: lambda a, b, c, d: rivals.are_many(len(a), len(b)),
    rivals.judge: lambda a, b, c, d: [
        rivals.judge(table(a, b), table(c, d), longer_only=longer) for longer in (True, False)
    ],
    rivals.judge_each: lambda a, b, c, d: rivals.judge_each([a, b], [c, d]),
    rivals.ratios: lambda a, b, c, d: [
        *rivals.ratios([(a, b), (c, d)]), *rivals.ratios([(a, b), (c, d)], [2, 3])
    ],
    rotation.differences: lambda a, b, c, d: rotation.differences(log_table(a, b), log_table(c, d)),
    rotation.shifts: lambda a, b, c, d: rotation.shifts(log_table(a, b, c), singly=bool(d)),
    rotation.moderate: lambda a, b, c, d: rotation.moderate(
        np.square(table([*a, 0.0], [*b, 0.0], [*c, 0.0])), len(d)
    ),
    rotation.independent_figures: lambda a, b, c, d: rotation.independent_figures(
        log_table(a, b), min(len(a), len(b)) - 1
    ),
    statistics.quantile_interval: lambda a, b, c, d: statistics.quantile_interval(
        np.sort(array(a))
    ),
    statistics.interval_ranks: lambda a, b, c, d: statistics.interval_ranks(len(a)),
    statistics.effective_count: lambda a, b, c, d: statistics.effective_count(array(a)),
    statistics.neighbours_are_alike: lambda a, b, c, d: statistics.neighbours_are_alike(array(a)),
    statistics.coefficient_of_variation: lambda a, b, c, d: statistics.coefficient_of_variation(
        array(a)
    ),
    student.two_sided: lambda a, b, c, d: student.two_sided(sum(a), len(b)),
    student.widened: lambda a, b, c, d: student.widened(0.95, len(a)),
    student.holm: lambda a, b, c, d: student.holm(a),
    student.false_discoveries: lambda a, b, c, d: student.false_discoveries(a),
    student.simultaneous_confidence: lambda a, b, c, d: student.simultaneous_confidence(len(a)),
    trend.changes: lambda a, b, c, d: trend.changes(array(a)),
    trend.block_medians: lambda a, b, c, d: trend.block_medians(array(a), 2),
    trend.independence: lambda a, b, c, d: trend.independence(array(a)),
    trend.warm_up: lambda a, b, c, d: trend.warm_up([array(a), array(b)][: len(c)]),
}  # fmt: skip

# What is said of values that are there: of one or more of them, or of numbers alone.
OF_VALUES = {
    comparison.bounded_factor, line.fit_line, modes.dip, modes.dip_p_value, permutation.level,
    permutation.step_down, rivals.share_of, statistics.median_of, statistics.nearest_rank,
    statistics.product_interval, statistics.ratio_interval, statistics.transform_length,
    statistics.value_at_rank, student.t_quantile,
}  # fmt: skip


def public_entries():
    for found in pkgutil.iter_modules(stats.__path__, f"{stats.__name__}."):
        for name, entry in vars(importlib.import_module(found.name)).items():
            own = getattr(entry, "__module__", "") == found.name
            if own and not name.startswith("_") and not inspect.isclass(entry) and callable(entry):
                yield entry


def numbers(answer):
    """Yield all numbers of an answer."""
    if isinstance(answer, (list, tuple)):
        for each in answer:
            yield from numbers(each)
    elif isinstance(answer, np.ndarray):
        yield from answer.ravel().tolist()
    elif isinstance(answer, (int, float)):
        yield answer


def test_every_entry_is_known_here():
    assert set(public_entries()) == set(ENTRIES) | OF_VALUES


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__qualname__)
@given(SIDES)
@settings(max_examples=40)
def test_few_launches_have_an_answer(entry, sides):
    assert all(map(math.isfinite, numbers(ENTRIES[entry](*sides))))


@given(SIDE.filter(len), SIDE.filter(len))
def test_one_launch_of_either_is_unclear(one, other):
    """One launch of a side does not show how that side scatters."""
    (ratio,) = rivals.ratios([(one[:1], other)])
    (judged,) = rivals.judge(table(one[:1]), table(other))
    for found in (ratio, judged.ratio, comparison.of_levels(one[:1], other)):
        assert found.interval.low < 1 < found.interval.high
        assert not comparison.clearly_longer(found)
    assert judged.p_value == 1 == ratio.p_value


def test_without_freedom_nothing_is_known():
    assert student.two_sided(9.0, 0) == 1
    assert student.t_quantile(0.95, 0) == math.inf
