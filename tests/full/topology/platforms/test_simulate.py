"""`leadline simulate` over the real probe: what if, noise, and what is refused."""

import json
import shutil
import sys

import pytest
from programs import run

pytestmark = [
    pytest.mark.mpi,
    # The first of them may build the probe.
    pytest.mark.skipif(
        not (shutil.which("smpirun") and shutil.which("smpicxx")),
        reason="no SimGrid here: see tools/test-packages",
    ),
]


def leadline(*words):
    return run(sys.executable, "-m", "leadline", *words)


@pytest.fixture
def median(tmp_path):
    """Return a function from options to the one-way time of 8 bytes in seconds."""

    def simulate(*words):
        done = leadline(
            *("simulate", "mpi/pingpong", "--on", "cray-xt", "--place", "2x1", "--bytes", 8),
            *("--mode", "blocking", "--json", "--runs", tmp_path, *words),
        )
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        (point,) = answer["points"]
        return point["median_s"]

    return simulate


def test_changes_are_simulated_and_kept(median, tmp_path):
    quiet = median()
    late = median("--change", "topology.nic_latency_s=11.95e-6")
    # Each side's way into the torus takes 10 us more.
    assert late - quiet == pytest.approx(20e-6, rel=1e-3)
    kept = [json.loads(path.read_text()) for path in sorted(tmp_path.glob("*/run.json"))]
    assert [run["plan"].get("changes", []) for run in kept] == [
        [], ["topology.nic_latency_s=11.95e-6"]
    ]  # fmt: skip
    assert [run["platform"]["topology"]["nic_latency_s"] for run in kept] == [1.95e-6, 11.95e-6]
    one, other = (run["platform_digest"] for run in kept)
    assert one
    assert one != other


def test_every_message_late_is_exactly_that_much_later(median):
    noise = ("--change", "noise.probability=1,noise.delay_s=1e-3", "--minimum", 5, "--maximum", 5)
    assert median(*noise) - median() == pytest.approx(1e-3, rel=1e-6)


def test_noise_is_the_same_with_the_same_seed_and_another_with_another(median):
    def noisy(seed):
        change = f"noise.latency=0.5,noise.seed={seed}"
        return median("--change", change, "--minimum", 20, "--maximum", 20, "--seed", 1)

    first = noisy(1)
    assert first > median()
    assert noisy(1) == first
    assert noisy(2) != first


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["quick"], "--on is missing"),
        (["quick", "--on", "cray-tx"], "did you mean cray-xt"),
        (["quick", "--on", "cray-xt", "--processes", "3"], "a multiple of 2"),
        (["quick", "--on", "cray-xt", "--processes", "256"], "--processes 256 has to be from 1"),
        (["quick", "--on", "cray-xt", "--place", "65x1"], "65x1 needs 65 nodes of 64"),
        (["quick", "--on", "cray-xt", "--place", "1x2", "--processes", "2"], "leave out one"),
        (["quick", "--on", "cray-xt", "--change", "nodes=128"], "change both"),
        (["quick", "--on", "cray-xt", "--mpi", "mpich"], "runs on real machines"),
    ],
)
def test_what_cannot_be_simulated_is_refused_in_one_line(words, said):
    done = leadline("simulate", *words, "--dry-run")
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
