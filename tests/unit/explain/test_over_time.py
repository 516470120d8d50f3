"""Slices of the run: the rank that turns slow, when, and why; no word where none does."""

import numpy as np
import pytest
from msgspec.structs import replace

from leadline.explain.bounds import Bounds
from leadline.explain.over_time import over_time
from leadline.explain.owners import RankTime
from leadline.explain.recording import Marks, Peer, Rank, Recording
from leadline.explain.report import explain
from leadline.output.program_time import change_text, headline
from leadline.output.terminal.program_time import explained_lines

SECONDS, MARKS = 64.0, 48
PROBE_S = 4e-7


def recording(
    slow=(), *, ranks=4, begin=0.0, end=1.0, times=1.5, noise=0.05, seed=1, own=None, nodes=1,
    lost=0.0, by_quota=False, stolen=0.0, clock=1.0, before=0.0, quota=None, wander=0.0,
):  # fmt: skip
    """Return a recording in which the `slow` compute `times` as long from `begin` to `end`.

    All wait for the longest in each step. Of what they compute longer, the part `lost` is time
    without a core, and the part `stolen` a hypervisor's. `own` is how long each computes beside the
    others all the time. A `quota` lets the slow run for a part of each period, of so many steps.
    Noise that lasts can `wander`.
    """
    chance = np.random.default_rng(seed)
    steps = 1200
    at = np.arange(steps) / steps
    late = (at >= begin) & (at < end)
    each = np.array(own if own is not None else [1.0] * ranks)[:, None]
    factors = np.ones((ranks, steps))
    factors[list(slow)] += late * (times - 1) * (quota is None)
    # Noise of parts of the run, as machines have it, and of steps.
    slow_noise = np.repeat(chance.normal(1, noise, (ranks, 40)), steps // 40, axis=1)
    work = each * factors * slow_noise * chance.normal(1, 0.2, (ranks, steps)).clip(0.2)
    if wander:
        work *= np.exp(wander * np.repeat(wandering(chance, ranks, 60), steps // 60, axis=1))
    if quota:
        (rank,), (period, part) = slow, quota
        work = stopped(work, rank, late, period, part, chance.uniform(0, period))
    step = work.max(axis=0) + 0.1
    scale = SECONDS / step.sum()
    ends = np.cumsum(step) * scale
    found = []
    for rank in range(ranks):
        marks_at = np.linspace(SECONDS / MARKS, SECONDS, MARKS)

        def sums(values, ends=ends, marks_at=marks_at):
            return np.interp(marks_at, ends, np.cumsum(values) * scale)

        waiting = step - 0.1 - work[rank]
        extra = np.where(late & (rank in slow), work[rank] * (1 - 1 / times), 0.0)
        is_late = np.interp(marks_at, ends, late & (rank in slow)) > 0.5
        found.append(
            Rank(
                rank=rank,
                node=rank * nodes // ranks,
                host=f"n{rank * nodes // ranks}",
                seconds=SECONDS + before,
                before_s=before,
                mpi_s=float((waiting.sum() + 0.1 * steps) * scale) + before,
                waiting_s=float(waiting.sum() * scale),
                queued_s=0.0,
                marks=Marks(
                    at_s=marks_at + before,
                    mpi_s=sums(waiting + 0.1) + before,
                    waiting_s=sums(waiting),
                    queued_s=sums(lost * extra),
                    throttled_s=sums(lost * extra if by_quota else 0.0 * extra),
                    probe_s=np.where(is_late, clock, 1.0) * PROBE_S,
                    stolen_s=sums(stolen * extra),
                ),
            )
        )
    return Recording(ranks=tuple(found), ranks_total=ranks), ends[late.argmax()]


def stopped(work, rank, late, period, part, now):
    """Return the work of all where the rank, while `late`, runs for a part of each period."""
    found, runs = work.copy(), part * period
    for at in np.flatnonzero(late):
        ran = now // period * runs + min(now % period, runs) + work[rank, at]
        found[rank, at] = ran // runs * period + ran % runs - now
        now += found[:, at].max() + 0.1
    return found


def wandering(chance, ranks, count, memory=0.8):
    """Return values that remember what they were before; shape (ranks, count)."""
    values = chance.normal(0, 1, (count, ranks))
    for at in range(1, count):
        values[at] = memory * values[at - 1] + (1 - memory**2) ** 0.5 * values[at]
    return values.T


def change_of(made):
    found = over_time(
        made,
        [
            RankTime(
                rank=rank.rank,
                computing_s=rank.seconds - rank.mpi_s,
                waiting_s=rank.waiting_s,
                transfer_s=rank.mpi_s - rank.waiting_s,
            )
            for rank in made.ranks
        ],
    )
    return found.change


def test_rank_and_slice_are_found_wherever_it_begins():
    chance = np.random.default_rng(7)
    right = 0
    for seed in range(100):
        size = int(chance.integers(2, 40))
        rank, begin = int(chance.integers(size)), float(chance.uniform(0.1, 0.85))
        made, at_s = recording(
            [rank], ranks=size, begin=begin, times=float(chance.uniform(1.3, 2.5)), seed=seed
        )
        found = change_of(made)
        if found and found.ranks == (rank,) and found.until_s is None:
            right += abs((found.from_s or 0.0) - at_s) <= 2 * SECONDS / 32
    assert right >= 97


def test_a_quota_is_found_whose_periods_beat_with_the_slices():
    chance = np.random.default_rng(8)
    right, seeds = 0, 60
    for seed in range(seeds):
        size = 2 if seed % 2 else int(chance.integers(3, 40))
        rank, begin = int(chance.integers(size)), float(chance.uniform(0.05, 0.8))
        # Slices of 32 to 256 ms have some 25 steps.
        steps = 30 * float(chance.choice([20, 100]) / chance.uniform(32, 256))
        quota = (steps, float(chance.uniform(0.4, 0.7)))
        made, at_s = recording([rank], ranks=size, begin=begin, quota=quota, noise=0.03, seed=seed)
        found = change_of(made)
        if found and found.ranks == (rank,) and found.until_s is None:
            right += abs((found.from_s or 0.0) - at_s) <= 2 * SECONDS / 32
    assert right >= 0.97 * seeds


@pytest.mark.parametrize("size", [2, 5, 30])
def test_no_rank_is_named_whose_noise_lasts_for_some_slices(size):
    named = [
        seed for seed in range(40)
        if change_of(recording(ranks=size, noise=0.02, wander=0.002 * seed, seed=seed)[0])
    ]  # fmt: skip
    assert not named


def test_no_rank_is_named_where_none_turns_slow():
    named = [
        seed for seed in range(100)
        if change_of(recording(ranks=2 + seed % 30, noise=0.02 + 0.001 * seed, seed=seed)[0])
    ]  # fmt: skip
    assert not named


def test_a_rank_that_is_longer_all_the_time_changes_nothing():
    assert change_of(recording(own=[1.0, 1.0, 1.8, 1.0])[0]) is None


def test_a_part_in_the_middle_has_a_begin_and_an_end():
    found = change_of(recording([2], begin=0.3, end=0.6, times=2.0)[0])
    assert found.ranks == (2,)
    assert found.from_s == pytest.approx(0.26 * SECONDS, abs=4)
    assert found.until_s == pytest.approx(0.62 * SECONDS, abs=6)
    assert found.times == pytest.approx(2.0, abs=0.2)


def test_of_two_ranks_the_one_is_named_that_is_uneven_in_the_part():
    until = change_of(recording([0], ranks=2, end=0.4)[0])
    assert until.ranks == (0,)
    assert until.from_s is None
    since = change_of(recording([1], ranks=2, begin=0.4)[0])
    assert since.ranks == (1,)
    assert since.until_s is None


def test_all_ranks_of_a_node_are_that_node():
    made, _ = recording([2, 3], ranks=8, nodes=4, begin=0.5)
    found = change_of(made)
    assert (found.ranks, found.node, found.host) == ((2, 3), 1, "n1")


@pytest.mark.parametrize(
    ("what", "cause"),
    [
        ({}, "work"),
        ({"lost": 1.0}, "another program"),
        ({"lost": 1.0, "by_quota": True}, "quota"),
        ({"clock": 1.5}, "clock"),
        ({"stolen": 0.8, "clock": 1.5}, "hypervisor"),
        ({"stolen": 0.2}, "work"),
    ],
)
def test_the_cause_is_what_kernel_and_core_say(what, cause):
    assert change_of(recording([1], begin=0.5, **what)[0]).cause == cause


def test_nothing_is_said_of_the_time_before_mpi():
    made, _ = recording([1], begin=0.5, before=10.0)
    found = change_of(made)
    assert found.from_s == pytest.approx(0.43 * SECONDS, abs=4)


def said(made):
    """Return what is said of a recording."""
    found = explain(made, Bounds())
    return found, " ".join(each.plain for each in explained_lines(found))


def test_the_sentence_says_when_and_why_above_a_picture():
    made, _ = recording([1], begin=0.5, lost=1.0)
    found, text = said(made)
    assert change_text(found).startswith("From 28 s (44 %) on, rank 1 computes 1.5 times as long ")
    assert change_text(found).endswith(": something else had the core.")
    assert "rank 1 computes" in text and "the others compute" in text and "█" in text


def test_the_sentence_says_how_much_a_hypervisor_took():
    found, _ = said(recording([1], begin=0.5, times=2.0, stolen=1.0)[0])
    assert found.over_time.change.stolen == pytest.approx(0.46, abs=0.04)
    assert change_text(found).endswith(
        f": the machine under the virtual machine took {found.over_time.change.stolen:.0%} of its "
        "time.".replace("%", " %")
    )


def test_only_a_late_rank_that_turned_slow_is_said_to_be_late_from_then_on():
    made, _ = recording([1], begin=0.5)
    waits = {1: Peer(0, 0, 14.0, 1000)}
    late = [replace(rank, peers=waits if rank.rank != 1 else {}) for rank in made.ranks]
    assert "a call, most from 28 s" in headline(said(replace(made, ranks=tuple(late)))[0])
    crowded = [replace(rank, queued_s=20.0) for rank in late]
    found, _ = said(replace(made, ranks=tuple(crowded)))
    assert found.over_time.change is not None
    assert headline(found).endswith(": ranks that could run had no processor for 31 % of it.")
    in_turn = [replace(rank, peers={0: Peer(0, 0, 14.0, 9)}) for rank in made.ranks[1:]]
    assert "most from" not in headline(said(replace(made, ranks=(made.ranks[0], *in_turn)))[0])


def test_a_picture_of_many_ranks_fits_the_screen():
    made, _ = recording(range(0, 60, 3), ranks=160, begin=0.5)
    found, _ = said(made)
    assert len(found.over_time.change.ranks) == 20
    lines = [each.plain for each in explained_lines(found)]
    assert any("these ranks compute" in each for each in lines)
    assert max(map(len, lines)) <= 80


def test_a_run_without_marks_has_no_slices():
    short = Rank(rank=0, node=0, seconds=0.01, mpi_s=0.0, waiting_s=0.0)
    made = Recording(ranks=(short,), ranks_total=1)
    assert over_time(made, [RankTime(rank=0, computing_s=0.01)]) is None
