"""The tables of noise, filled in from figures that are known."""

from types import SimpleNamespace

import pytest

from leadline.core.errors import UserError
from leadline.model.noise import Noise, NoiseCost, Period, RankNoise
from leadline.model.summary import Analysis
from leadline.output.terminal.table import lines
from leadline.output.terminal.tables.disturbances import noise, noise_cost

RUN = SimpleNamespace(run="some-run")
POINT = SimpleNamespace(
    benchmark="node/work", mpi="lib-1", nodes=1, processes_per_node=2, axes={"quantum_us": 100}
)
QUIET = RankNoise(
    rank=1, quantum_s=1e-4, lost_fraction=0.0, detours_fraction=0.0, detours_per_s=0.0,
    detour_median_s=None, detour_p99_s=None, detour_max_s=None,
)  # fmt: skip
NOISY = RankNoise(
    rank=0, quantum_s=1e-4, lost_fraction=0.05, detours_fraction=0.04, detours_per_s=812.4,
    detour_median_s=3e-6, detour_p99_s=1.5e-3, detour_max_s=7e-3,
)  # fmt: skip
TICK = Period(
    period_s=4e-3, ci95_low_s=4e-3, ci95_high_s=4e-3, duration_s=3e-6, detours_per_period=1.0,
    lost_fraction=7.5e-4, preempted_fraction=0.0, ranks=(0,), together=None, source="timer tick",
)  # fmt: skip
COSTS = tuple(
    NoiseCost(
        phase_s=1e-3, tasks=tasks, slowdown=slowdown, ci95_low=1.1, ci95_high=high,
        together_slowdown=1.05, reach=reach,
    )
    for tasks, slowdown, high, reach in ((2, 1.1, 1.2, "samples"), (1000, 5.35, None, "beyond"))
)  # fmt: skip


def analysis(**changes):
    known = {
        "point": 0, "observed_s": 8.0, "quantum_s": 1e-4, "lost_fraction": 0.025, "ci95_low": 0.02,
        "ci95_high": 0.03, "detours_fraction": 0.02, "detours_per_s": 406.0,
        "together_fraction": 0.1, "shortest_period_s": 8e-4, "longest_period_s": 0.8,
        "false_alarm_fraction": 0.01, "ranks": (NOISY, QUIET), "periods": (TICK,), "costs": COSTS,
    }  # fmt: skip
    return Analysis(points=(POINT,), sweeps=(), noise=(Noise(**(known | changes)),))


def test_each_rank_has_a_row():
    *notes, _, heading, first, second = lines(noise(RUN, analysis()))
    assert "4.00 ms (timer tick, 3.00 us each, 0.075 %)" in " ".join(notes)
    assert heading.split()[:4] == ["benchmark", "library", "place", "choices"]
    assert first.split()[4:] == ["0", "100.00", "5.00", "4.00", "812", "3.0", "1500.0", "7000"]
    assert second.split()[4:9] == ["1", "100.00", "0.00", "0.00", "0"]


def test_each_cost_has_a_row_and_lower_bounds_no_upper_end():
    *_, first, second = lines(noise_cost(RUN, analysis()))
    assert first.split()[4:] == ["1000", "2", "1.100", "1.100", "1.200", "1.050", "samples"]
    assert second.split()[4:7] == ["1000", "1000", "5.350"] and second.split()[-1] == "beyond"


def test_no_period_is_said_too():
    assert "quantum_us=100: none" in " ".join(noise(RUN, analysis(periods=())).notes)


@pytest.mark.parametrize("table", [noise, noise_cost])
def test_a_run_without_noise_is_one_clear_line(table):
    with pytest.raises(UserError, match="some-run has none"):
        table(RUN, Analysis(points=(POINT,), sweeps=()))
