"""Delays of which the cause and the rank are known, because they were put in."""

import numpy as np
import pytest
from halo_model import FLAGS, Delay, exchange, ring

from leadline.analysis.jitter.causes import CAUSES, Noise, attribute, noise_of

MS = 1e-3


def by_cause(causes) -> dict[str, float]:
    """The excess of the outliers in seconds, by cause."""
    return {
        CAUSES[index]: float(causes.excess[causes.cause == index].sum())
        for index in np.unique(causes.cause[causes.outlier]).tolist()
    }


def test_a_quiet_exchange_has_no_outliers() -> None:
    causes = attribute(exchange(4, 300), FLAGS, ring(4))
    assert not causes.outlier.any() and (causes.cause == -1).all()


OWN = [
    ({"flag": "preempted", "waited": 1 * MS}, 1 * MS, "preempted"),
    ({"flag": "preempted"}, 1 * MS, "preempted"),  # a kernel that does not tell how long
    ({"flag": "stolen"}, 5 * MS, "hypervisor"),
    ({"flag": "page_fault", "page_faults": 400}, 0.5 * MS, "page_faults"),
    ({"flag": "migrated"}, 0.2 * MS, "migrated"),
]


@pytest.mark.parametrize("where", ["gap", "sending", "sent"])
@pytest.mark.parametrize(("signs", "seconds", "cause"), OWN)
@pytest.mark.parametrize("ranks", [2, 5])
def test_what_the_kernel_counted_is_named_on_all_that_waited(
    where, signs, seconds, cause, ranks
) -> None:
    delays = [Delay(call, 1, seconds, where, **signs) for call in (50, 120, 200)]
    causes = attribute(exchange(ranks, 300, delays), FLAGS, ring(ranks))
    assert set(by_cause(causes)) == {cause}
    assert set(causes.root[causes.outlier]) == {1}
    # Whoever waits for rank 1 is an outlier too; rank 1 itself where its own call was long.
    assert set(np.flatnonzero(causes.outlier.any(axis=0))) >= {0}
    assert causes.outlier[:, 1].any() == (where != "gap")


def test_signs_too_small_for_the_delay_explain_nothing() -> None:
    weak = [
        Delay(50, 1, 4 * MS, "sent", flag="preempted", waited=0.1 * MS),
        Delay(100, 1, 4 * MS, "sent", flag="page_fault", page_faults=3),
        Delay(150, 1, 4 * MS, "sent", flag="migrated"),
    ]
    causes = attribute(exchange(3, 300, weak), FLAGS, ring(3))
    assert set(by_cause(causes)) == {"network"}
    assert set(causes.root[causes.outlier]) == {1}


def test_page_faults_of_every_call_explain_no_outlier() -> None:
    calls = exchange(2, 300, [Delay(100, 0, 50e-6, "sent")])
    always = calls._replace(page_faults=calls.page_faults + 40)
    assert set(by_cause(attribute(always, FLAGS, ring(2)))) == {"network"}


def test_time_without_a_core_before_the_call_does_not_explain_the_call() -> None:
    """Rank 0 lost its core before call 100, and then waited in it for a page-faulting rank 1."""
    delays = [
        Delay(100, 0, 1 * MS, "gap", flag="preempted", waited=1 * MS),
        Delay(100, 1, 4 * MS, "sending", flag="page_fault", page_faults=3000),
    ]
    causes = attribute(exchange(2, 300, delays), FLAGS, ring(2))
    assert CAUSES[causes.cause[100, 0]] == "page_faults" and causes.root[100, 0] == 1


def test_a_delay_is_followed_through_three_ranks() -> None:
    """In a long ring each call passes the delay on to the next neighbours."""
    delays = [Delay(100, 0, 2 * MS, "sending", flag="preempted", waited=2 * MS)]
    causes = attribute(exchange(11, 300, delays), FLAGS, ring(11))
    assert CAUSES[causes.cause[102, 3]] == "preempted"
    assert causes.root[102, 3] == 0 and causes.hops[102, 3] == 3
    assert set(by_cause(causes)) == {"preempted"} and set(causes.root[causes.outlier]) == {0}
    assert causes.hops.max() == 5  # half-way round


def test_two_delays_at_once_are_kept_apart() -> None:
    delays = [
        Delay(100, 2, 2 * MS, "sending", flag="preempted", waited=2 * MS),
        Delay(100, 9, 1 * MS, "gap", flag="page_fault", page_faults=900),
    ]
    causes = attribute(exchange(14, 300, delays), FLAGS, ring(14))
    assert {CAUSES[c] for c in causes.cause[100, [1, 2, 3]]} == {"preempted"}
    assert {CAUSES[c] for c in causes.cause[100, [8, 10]]} == {"page_faults"}
    assert causes.root[100, 8] == 9 and causes.root[100, 3] == 2


def test_a_rank_that_begins_late_for_no_reason_is_a_late_neighbour() -> None:
    delays = [Delay(call, 2, 0.5 * MS, "gap") for call in (60, 160)]
    causes = attribute(exchange(5, 300, delays), FLAGS, ring(5))
    assert set(by_cause(causes)) == {"late_neighbour"}
    assert set(causes.root[causes.outlier]) == {2}


@pytest.mark.parametrize(("where", "ranks"), [("sent", 2), ("sent", 5), ("sending", 5)])
def test_a_rank_that_is_slow_again_and_again_is_a_late_neighbour(where, ranks) -> None:
    delays = [Delay(call, 1, 0.5 * MS, where) for call in range(20, 500, 20)]
    causes = attribute(exchange(ranks, 500, delays), FLAGS, ring(ranks))
    share = by_cause(causes)["late_neighbour"] / sum(by_cause(causes).values())
    assert share > 0.9
    assert set(causes.root[CAUSES.index("late_neighbour") == causes.cause]) == {1}


def test_of_two_ranks_that_are_late_together_neither_is_accused() -> None:
    """Who delays its only neighbour before it has sent is as late as that one."""
    delays = [Delay(call, 1, 0.5 * MS, "sending") for call in range(20, 500, 20)]
    causes = attribute(exchange(2, 500, delays), FLAGS, ring(2))
    assert set(by_cause(causes)) == {"network"}
    assert (causes.root[causes.outlier].reshape(-1, 2) == [0, 1]).all()


def test_delays_here_and_there_are_the_network() -> None:
    random = np.random.default_rng(3)
    delays = [
        Delay(call, int(random.integers(6)), 0.5 * MS, "network") for call in range(20, 500, 20)
    ]
    causes = attribute(exchange(6, 500, delays), FLAGS, ring(6))
    assert set(by_cause(causes)) == {"network"}
    first = {(delay.call, delay.rank) for delay in delays}
    assert all(causes.root[place] == place[1] for place in first)


def test_without_begin_times_what_was_counted_in_the_call_is_found() -> None:
    delays = [Delay(100, 1, 2 * MS, "sending", flag="preempted", waited=2 * MS)]
    calls = exchange(3, 300, delays)
    causes = attribute(calls._replace(begin=np.full_like(calls.begin, np.nan)), FLAGS, ring(3))
    assert CAUSES[causes.cause[100, 1]] == CAUSES[causes.cause[100, 0]] == "preempted"


def test_ranks_that_all_wait_for_each_other_need_no_list() -> None:
    delays = [
        Delay(50, 3, 2 * MS, "sending", flag="preempted", waited=2 * MS),
        Delay(150, 2, 1 * MS, "gap"),
    ]
    causes = attribute(exchange(4, 300, delays), FLAGS)
    assert {CAUSES[c] for c in causes.cause[50, 2:]} == {"preempted"}
    assert causes.root[50, 2] == 3
    assert CAUSES[causes.cause[150, 1]] == "late_neighbour" and causes.root[150, 1] == 2


def test_clocks_that_disagree_make_nobody_late() -> None:
    """A constant offset of a rank's clock is not lateness; nor is less than the clocks' error."""
    delays = [Delay(100, 1, 0.2 * MS, "gap")]
    calls = exchange(4, 300, delays)
    shifted = calls._replace(begin=calls.begin + np.array([0, 0, 3 * MS, 0]))
    causes = attribute(shifted, FLAGS, ring(4))
    assert set(causes.root[causes.outlier]) == {1}
    blind = attribute(shifted, FLAGS, ring(4), clock_error_s=1 * MS)
    assert set(by_cause(blind)) == {"network"}


def noisy_work(count: int, size: float, calls: int = 2000, ranks: int = 2):
    """Ranks that only compute, with `count` delays in all."""
    random = np.random.default_rng(5)
    quiet = exchange(ranks, calls)
    seconds = 100e-6 * random.normal(1, 0.001, (calls, ranks))
    seconds.ravel()[random.choice(seconds.size, count, replace=False)] += size
    return quiet._replace(seconds=seconds)


def test_what_noise_alone_does_is_machine_noise() -> None:
    noise = noise_of([noisy_work(400, 20e-6)], FLAGS)
    assert isinstance(noise, Noise) and len(noise.excess) == 400
    small = [Delay(call, call % 4, 15e-6, "network") for call in range(20, 300, 90)]
    causes = attribute(exchange(4, 300, small), FLAGS, ring(4), noise)
    assert set(by_cause(causes)) == {"machine_noise"}
    # Larger than any noise, or far more often, is not noise.
    large = [delay._replace(seconds=2 * MS) for delay in small]
    assert set(by_cause(attribute(exchange(4, 300, large), FLAGS, ring(4), noise))) == {"network"}
    rare = noise_of([noisy_work(1, 20e-6)], FLAGS)
    often = [Delay(call, call % 4, 15e-6, "network") for call in range(20, 300, 9)]
    assert set(by_cause(attribute(exchange(4, 300, often), FLAGS, ring(4), rare))) == {"network"}


def test_calls_that_are_not_usable_are_no_outliers_yet_causes() -> None:
    delays = [Delay(100, 0, 2 * MS, "sending", flag="preempted", waited=2 * MS)]
    calls = exchange(7, 300, delays)
    calls.usable[100] = False
    causes = attribute(calls, FLAGS, ring(7))
    assert not causes.outlier[100].any()
    assert set(by_cause(causes)) == {"preempted"} and causes.root[101, 2] == 0
