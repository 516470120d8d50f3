"""What is said of noise."""

import dataclasses

import msgspec
import pytest

from leadline.analysis.findings.rules.noise import (
    noise_cost,
    noise_share,
    period_text,
    periodic_noise,
)
from leadline.model.noise import Noise, NoiseCost, Period, RankNoise

TICK = Period(
    period_s=4e-3,
    ci95_low_s=3.9998e-3,
    ci95_high_s=4.0002e-3,
    duration_s=3e-6,
    detours_per_period=0.99,
    lost_fraction=7e-4,
    preempted_fraction=0.0,
    ranks=(0, 1),
    together=False,
    source="timer tick",
    rate_hz=250.0,
)
DAEMON = msgspec.structs.replace(
    TICK, period_s=1.002, ci95_low_s=1.000, ci95_high_s=1.004, duration_s=8e-3,
    lost_fraction=8e-3, ranks=(1,), together=None, source="daemon", rate_hz=None,
)  # fmt: skip


def rank(number: int, lost: float) -> RankNoise:
    return RankNoise(
        rank=number,
        quantum_s=1e-4,
        lost_fraction=lost,
        detours_fraction=lost / 2,
        detours_per_s=250.0,
        detour_median_s=3e-6,
        detour_p99_s=4e-5,
        detour_max_s=7e-3,
    )


def cost(phase_s: float, tasks: int, slowdown: float, reach: str = "samples") -> NoiseCost:
    high = None if reach == "beyond" else slowdown * 1.1
    return NoiseCost(
        phase_s=phase_s, tasks=tasks, slowdown=slowdown, ci95_low=slowdown * 0.9, ci95_high=high,
        together_slowdown=1.02, reach=reach,
    )  # fmt: skip


COSTS = tuple(
    cost(phase_s, tasks, 1 + factor * more, reach)
    for phase_s, more in ((1e-4, 4.0), (1e-3, 1.0), (1e-2, 0.1))
    for tasks, factor, reach in ((2, 0.01, "samples"), (1000, 1, "tail"), (100_000, 2, "beyond"))
)


@pytest.fixture
def heard(evidence, figure):
    """Return the evidence of these changes to the noise of a figure each."""

    def make(*changes, figures=None):
        every = [
            msgspec.structs.replace(
                Noise(
                    point=index,
                    observed_s=8.0,
                    quantum_s=1e-4,
                    lost_fraction=0.02,
                    ci95_low=0.015,
                    ci95_high=0.03,
                    detours_fraction=0.015,
                    detours_per_s=260.0,
                    together_fraction=0.1,
                    shortest_period_s=8e-4,
                    longest_period_s=0.2,
                    false_alarm_fraction=0.01,
                    ranks=(rank(1, 0.03), rank(0, 0.01)),
                    periods=(DAEMON, TICK),
                    costs=COSTS,
                ),
                **one,
            )
            for index, one in enumerate(changes)
        ]
        known = figures or [figure(1e-4, None, way=str(i)) for i in range(len(changes))]
        return dataclasses.replace(evidence(known), noise=tuple(every))

    return make


def test_the_share_is_told_with_its_interval_and_its_worst_rank(heard) -> None:
    (found,) = noise_share.find(heard({}))
    assert (
        found.severity == "notice"
        and "takes 2 % (1.5 % to 3 %) of the processors' time" in found.text
    )
    assert "260 detours a second" in found.text and "the longest took 7.00 ms" in found.text
    assert found.text.endswith("Rank 1 loses 3 %.")
    (small,) = noise_share.find(heard({"lost_fraction": 0.005, "ranks": (rank(0, 0.005),)}))
    assert (small.severity, small.advice) == ("fact", None)
    (worst,) = noise_share.find(heard({}, {"lost_fraction": 0.4}))
    assert worst.text.startswith("Noise takes 40 %") and "Worst of 2" in worst.text
    (even,) = noise_share.find(heard({"detours_per_s": 0.0, "ranks": (rank(0, 0.02),)}))
    assert "no single detours" in even.text


def test_periods_are_told_once_with_where_they_come_from(heard) -> None:
    daemon, tick = periodic_noise.find(heard({}, {"periods": (TICK,)}))
    assert (daemon.severity, tick.severity) == ("notice", "fact")
    assert daemon.text.startswith("Every 1.00 s a program that sleeps for a round time takes 8.00")
    assert "on rank 1 only: 0.8 % of the time" in daemon.text and "pidstat" in daemon.command
    assert "Every 4.00 ms the timer tick" in tick.text and "250 Hz" in tick.text
    assert "takes 3.00 us on every rank, at different times" in tick.text
    assert tick.evidence["period_low_s"] == 3.9998e-3
    unknown = msgspec.structs.replace(TICK, source=None, together=True, detours_per_period=2.0)
    (found,) = periodic_noise.find(heard({"periods": (unknown,)}))
    assert "(2.00 per period) on every rank, at once" in found.text
    assert "/proc/interrupts" in found.advice


def test_the_turns_of_a_busy_neighbour_are_no_period(heard) -> None:
    turns = msgspec.structs.replace(
        TICK, period_s=0.208548, duration_s=0.206, lost_fraction=0.99, preempted_fraction=1.0,
        source=None, rate_hz=None,
    )  # fmt: skip
    assert list(periodic_noise.find(heard({"periods": (turns,)}))) == []
    (found,) = periodic_noise.find(heard({"periods": (turns, TICK)}))
    assert "timer tick" in found.text


def test_every_source_has_words_and_what_can_be_found_is_looked_for(heard) -> None:
    for source in ("timer tick", "timer ticks", "hypervisor tick", "daemon"):
        period = msgspec.structs.replace(TICK, source=source, period_s=20e-3)
        (found,) = periodic_noise.find(heard({"periods": (period,)}))
        assert bool(found.advice) == (source == "daemon") == bool(found.command)
        assert ("5 timer ticks" in found.text) == (source == "timer ticks")


def test_no_more_digits_than_are_known() -> None:
    rough = msgspec.structs.replace(TICK, period_s=0.05017, ci95_low_s=0.0457, ci95_high_s=0.0547)
    assert period_text(rough) == "50 ms"


def test_the_cost_is_told_as_far_as_it_is_known(heard) -> None:
    (found,) = noise_cost.find(heard({}, {"costs": (), "lost_fraction": 0.9}))
    assert (found.severity, found.advice) == ("notice", None)
    assert "on 1000 ranks: 5.0x (4.5 to 5.5) for phases of 100 us; 1.1x " in found.text
    assert found.evidence["phase_1000_us_on_100000_ranks_ratio"] == 3.0
    assert found.evidence["observed_s"] == 8.0
    unseen = tuple(msgspec.structs.replace(each, ci95_high=None) for each in COSTS)
    (found,) = noise_cost.find(heard({"costs": unseen}))
    assert "at least 5.0x for phases of 100 us" in found.text
    assert found.evidence["phase_1000_us_on_1000_ranks_ratio"] == 2.0


def test_a_quiet_machine_costs_nothing(heard) -> None:
    quiet = tuple(cost(each.phase_s, each.tasks, 1.01) for each in COSTS)
    (found,) = noise_cost.find(heard({"costs": quiet}))
    assert (found.severity, found.advice) == ("fact", None)
    assert "1.0x (0.91 to 1.1) for phases of 100 us" in found.text


def test_the_longest_watch_with_the_shortest_quantum_speaks(heard) -> None:
    (found,) = noise_cost.find(
        heard({"observed_s": 1.0}, {"quantum_s": 1e-3}, {"observed_s": 7.9, "quantum_s": 1e-5})
    )
    assert found.points == (2,)


def test_periodic_noise_stays_silent_of_next_to_nothing(heard) -> None:
    small = msgspec.structs.replace(TICK, lost_fraction=5e-5)
    assert list(periodic_noise.find(heard({"periods": (small,)}))) == []


def test_noise_share_stays_silent_of_calls_that_communicate(heard) -> None:
    assert not list(noise_share.find(heard({"costs": (), "lost_fraction": 0.5})))


def test_noise_cost_stays_silent_of_calls_that_communicate(heard) -> None:
    assert not list(noise_cost.find(heard({"costs": (), "detours_fraction": 0.5})))
