"""A timer tick of 250 Hz."""

import dataclasses

from leadline.model.noise import Noise, NoiseCost, Period, RankNoise

SOURCE = "invented figures"


def noise():
    rank = RankNoise(
        rank=1, quantum_s=1e-4, lost_fraction=0.03, detours_fraction=0.015, detours_per_s=250.0,
        detour_median_s=3e-6, detour_p99_s=4e-5, detour_max_s=7e-3,
    )  # fmt: skip
    tick = Period(
        period_s=4e-3, ci95_low_s=3.9998e-3, ci95_high_s=4.0002e-3, duration_s=3e-6,
        detours_per_period=0.99, lost_fraction=7e-4, preempted_fraction=0.0, ranks=(0, 1),
        together=False, source="timer tick", rate_hz=250.0,
    )  # fmt: skip
    costs = tuple(
        NoiseCost(
            phase_s=phase_s, tasks=tasks, slowdown=1 + factor * more, ci95_low=1.0,
            ci95_high=1.5 + factor * more, together_slowdown=1.02, reach="tail",
        )
        for phase_s, more in ((1e-4, 4.0), (1e-3, 1.0), (1e-2, 0.1))
        for tasks, factor in ((2, 0.01), (1000, 1), (100_000, 2))
    )  # fmt: skip
    return Noise(
        point=0, observed_s=8.0, quantum_s=1e-4, lost_fraction=0.02, ci95_low=0.015, ci95_high=0.03,
        detours_fraction=0.015, detours_per_s=260.0, together_fraction=0.1,
        shortest_period_s=8e-4, longest_period_s=0.2, false_alarm_fraction=0.01, ranks=(rank, rank),
        periods=(tick,), costs=costs,
    )  # fmt: skip


def evidence(makers):
    return dataclasses.replace(makers.evidence([makers.figure(1e-4, None)]), noise=(noise(),))
