"""The shares of pairs that talk at once, from made-up samples whose shares are known."""

import msgspec
import numpy as np
import pytest
from example_run import example_analysis

from leadline.analysis.results.pairs import pairs_of_point

LATE = 1 << 3


@pytest.fixture(scope="module")
def figure():
    point = example_analysis().points[0]
    return msgspec.structs.replace(
        point, metrics={"pairs": 2.0}, median_s=3e-6, bandwidth_MBps=100.0, series_index=0
    )


def samples(launches, late_s=None):
    """Return ten samples a pair and launch; `launches` have the seconds of each (rank, peer)."""
    rows = [
        (launch, rank, peer, seconds, 0)
        for launch, pairs in enumerate(launches)
        for (rank, peer), seconds in pairs.items()
        for _ in range(10)
    ]
    rows += [(0, 1, 0, 1.0, 0), *([(0, 0, 1, late_s, LATE)] * 30 if late_s else [])]
    launch, rank, peer, seconds, flags = map(np.array, zip(*rows, strict=True))
    series = np.where(seconds == 1.0, 1, 0)
    return {
        "launch": launch, "rank": rank, "peer": peer, "seconds": seconds, "flags": flags,
        "series": series,
    }  # fmt: skip


def test_a_pair_of_a_third_of_the_time_gets_three_quarters(figure):
    launches = [{(0, 1): 1e-6, (2, 3): 3e-6}, {(0, 1): 2e-6, (2, 3): 6e-6}]
    (found,) = pairs_of_point([figure], samples(launches, late_s=1e-3), LATE)
    fast, slow = found.pairs
    assert (found.point, found.fair_share) == (0, 0.5)
    assert (fast.rank, fast.peer, slow.rank, slow.peer) == (0, 1, 2, 3)
    assert (fast.share, slow.share) == pytest.approx((0.75, 0.25))
    # 300 bytes an operation: in the median launch of the two 4/3 and 2/3 operations a microsecond.
    assert found.total_MBps == pytest.approx(300)
    assert (fast.seconds, fast.MBps) == pytest.approx((1.5e-6, 200))


def test_the_interval_is_over_launches(figure):
    uneven = [{(0, 1): 1e-6, (2, 3): factor * 1e-6} for factor in (2.0, 3.0, 4.0)]
    (found,) = pairs_of_point([figure], samples(uneven), LATE)
    for pair in found.pairs:
        assert 0 < pair.share_low < pair.share < pair.share_high <= 1
    (single,) = pairs_of_point([figure], samples(uneven[:1]), LATE)
    assert {pair.share_low for pair in single.pairs} == {None}


def test_pairs_that_are_drawn_anew_in_each_launch_share_each_launch(figure):
    drawn = [{(0, 1): 1e-6, (2, 3): 1e-6}, {(0, 2): 5e-6, (1, 3): 5e-6}]
    (found,) = pairs_of_point([figure], samples(drawn), LATE)
    assert [pair.share for pair in found.pairs] == pytest.approx([0.5] * 4)
    assert found.fair_share == 0.5


def test_what_is_no_figure_of_pairs_has_no_shares(figure):
    other = msgspec.structs.replace(figure, metrics={})
    assert not list(pairs_of_point([other], samples([{(0, 1): 1e-6}]), LATE))
