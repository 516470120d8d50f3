"""Advice is followed, and what it promises is measured: here, or on a simulated machine.

Both sides are measured in the same run, in nine launches each that take turns. What they are
compared by is the ratio of one launch each, of which the second smallest and the second largest of
nine bound the median with 96 %. A trial that fails is measured once more.
"""

import json
import mmap
import shutil
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from tried_advice import FOLLOWED

from leadline.core.errors import UserError
from leadline.measure.launch.slots import available_cores
from leadline.site.mpi.choice import choose_one

LAUNCHES = 9
BRIEF = ("--place", "1x2", "--launches", LAUNCHES, "--seconds", "0.2", "--anyway")
SIMULATED = pytest.mark.skipif(
    not (shutil.which("smpirun") and shutil.which("smpicxx")), reason="no SimGrid here"
)
pytestmark = [
    pytest.mark.mpi,
    pytest.mark.timing,
    pytest.mark.skipif(available_cores() < 2, reason="this machine has one core"),
]


class Trial(NamedTuple):
    """A run with both sides: what each point of them has, and how many operations make one.

    The advice promises `least`: that the side which follows it is surely so many times faster.
    """

    words: tuple[object, ...]
    without: Mapping[str, object]
    following: Mapping[str, object]
    operations: tuple[int, int] = (1, 1)
    least: float = 1.0


TRIALS = {
    "start_all": Trial(
        ("mpi/bandwidth", "--bytes", "64", "--window", "1,64"), {"window": 1}, {"window": 64}
    ),
    # 64 messages of 64 B, all under way at once, or their data in one.
    "join": Trial(
        ("mpi/bandwidth", "--bytes", "64,4K", "--window", "64"),
        {"bytes": 64}, {"bytes": 4096}, operations=(64, 1), least=4.0,
    ),
    "puts": Trial(
        ("app/timestep", "--cells", "64", "--pattern", "two_sided,put_flag"),
        {"pattern": "two_sided", "series": "step"}, {"pattern": "put_flag", "series": "step"},
    ),
    # Above the default limit the other protocol is as fast on some machines.
    "eager_limit": Trial(
        ("mpi/pingpong", "--bytes", "1K", "--knob", "shm_eager_limit=512,8192"),
        {"shm_eager_limit": "512"}, {"shm_eager_limit": "8K"},
    ),
    "algorithm": Trial(
        ("mpi/allreduce", "--bytes", "8", "--algorithm", "library,shared"),
        {"algorithm": "library"}, {"algorithm": "shared"},
    ),
}  # fmt: skip
# On a machine whose nodes have four cores and one link: what takes longer there takes it by design.
SIMULATIONS = {
    "spread_pairs": Trial(
        ("mpi/pairs", "--place", "2x4,8x1", "--bytes", "1M", "--pairs", "4", "--distance", "half"),
        {"nodes": 2}, {"nodes": 8}, least=2.0,
    ),
    "one_node": Trial(
        ("mpi/pingpong", "--place", "2x1,1x2", "--bytes", "8,64K"), {"nodes": 2}, {"nodes": 1}
    ),
}  # fmt: skip


def sides(points: list[dict[str, Any]], trial: Trial) -> list[list[list[float]]]:
    """Return the seconds of each launch, of each figure of the side without and of the other."""
    found = []
    for chosen in (trial.without, trial.following):
        of_side = []
        for point in points:
            known = {**point, **point["axes"], **point["knobs"]}
            if all(str(known.get(name)) == str(value) for name, value in chosen.items()):
                of_side.append(point["launch_medians_s"])
        found.append(of_side)
    assert len(found[0]) == len(found[1]) > 0, [point["axes"] for point in points]
    return found


def gains(points: list[dict[str, Any]], trial: Trial) -> list[tuple[float, float, float]]:
    """Return the median ratio of each pair of figures, and the ends of its interval.

    Where a figure lay on several levels it was measured in more launches, which follow the others
    and have none beside them: they are left out.
    """
    result = []
    for before, after in zip(*sides(points, trial), strict=True):
        many, one = trial.operations
        ratios = sorted(many * a / (one * b) for a, b in zip(before, after, strict=False))
        apart = 1 if len(ratios) >= LAUNCHES else 0
        result.append((statistics.median(ratios), ratios[apart], ratios[-1 - apart]))
    return result


def follow(
    name: str, measure: Callable[[], list[tuple[float, float, float]]], least: float
) -> None:
    """Hold that the gains surely exceed what is promised, in one of two measurements."""
    for _ in range(2):
        found = measure()
        print(name, [f"{middle:.2f} ({low:.2f} to {high:.2f})" for middle, low, high in found])
        if all(low > least for _, low, _ in found):
            return
    pytest.fail(f"{name}: {found}, promised {least}")


@pytest.fixture
def mpich() -> str:
    """The MPICH whose messages inside a node the settings are of."""
    try:
        found = choose_one("mpich")
    except UserError as error:
        pytest.skip(str(error))
    if not found.version.startswith("5."):
        pytest.skip("the trials are of MPICH 5")
    return found.name


@pytest.mark.parametrize("name", TRIALS)
def test_what_is_advised_is_faster_here(leadline, mpich, name):
    trial = TRIALS[name]

    def measure():
        answer = leadline.measure(*trial.words, "--mpi", mpich, *BRIEF)
        assert "knob_not_taken" not in {each["kind"] for each in answer["findings"]}
        return gains(answer["points"], trial)

    follow(name, measure, trial.least)


@SIMULATED
@pytest.mark.parametrize("name", SIMULATIONS)
def test_what_is_advised_is_faster_on_a_simulated_machine(leadline, name):
    trial = SIMULATIONS[name]

    def measure():
        done = leadline.in_runs("simulate", *trial.words, "--on", "chic", "--json")
        assert done.returncode == 0, done.stderr
        return gains(json.loads(done.stdout)["points"], trial)

    follow(name, measure, trial.least)


def test_tuned_the_call_is_faster_in_launches_that_the_race_did_not_see(leadline, mpich, tmp_path):
    def measure():
        words = ("mpi/allreduce", "--bytes", 8, "--place", "1x2", "--mpi", mpich, "--seconds", 5)
        done = leadline.in_runs(
            "tune", *words, "--anyway", "--json", "--out", tmp_path / "profile.toml"
        )
        assert done.returncode == 0, done.stderr
        (verdict,) = json.loads(done.stdout)["verdicts"]
        assert (not verdict["reason"]) == (tmp_path / "profile.toml").exists()
        return [(verdict["gain"], verdict["gain_low"], verdict["gain_high"])]

    follow("tuned", measure, 1.0)


def test_memory_that_is_kept_has_no_page_faults():
    size = 64 << 20

    def write(memory: mmap.mmap) -> float:
        began = time.perf_counter()
        memory[:] = data
        return time.perf_counter() - began

    def measure():
        ratios = []
        for _ in range(LAUNCHES):
            with mmap.mmap(-1, size) as memory:
                first = write(memory)
                ratios.append(first / write(memory))
        ratios.sort()
        return [(statistics.median(ratios), ratios[1], ratios[-2])]

    data = bytes(size)
    follow("keep_memory", measure, 1.2)


def test_every_trial_that_the_table_names_is_here():
    assert set(FOLLOWED.values()) == {*TRIALS, *SIMULATIONS, "tuned", "keep_memory"}
