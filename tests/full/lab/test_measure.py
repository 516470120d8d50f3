"""Runs over the hosts of virtual clusters: figures that are known beforehand, and faults."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from leadline.measure.launch.slots import available_cores

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(available_cores() < 2, reason="this machine has one core"),
]
BRIEF = ("--minimum", 5, "--seconds", 0.2, "--launches", 2)
WORDS = [sys.executable, "-m", "leadline"]


@pytest.fixture(scope="module")
def mpi(flat):
    """Give the MPI of these tests: MPICH's wheel is in leadline's own environment."""
    return flat.probed("mpich-5")


def test_two_hosts_are_two_nodes_with_a_core_each(flat, mpi):
    run = flat.measure("mpi/pingpong", "--bytes", "8,64K", "--place", "2x1", "--mpi", mpi, *BRIEF)
    assert run["outcome"]["state"] == "complete"
    assert {(point["nodes"], point["processes"]) for point in run["points"]} == {(2, 2)}
    assert all(point["verified"] and not point["oversubscribed"] for point in run["points"])


def test_the_clocks_of_hosts_are_tested_against_the_truth(flat, mpi, tmp_path):
    """Each host's clock is set 1000 s from the one before, in a time namespace."""
    if not Path("/proc/self/ns/time").exists():
        pytest.skip("this kernel has no time namespaces")
    shell = tmp_path / "ssh"
    shell.write_text(
        f"""#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1; shift
exec {flat.folder}/ssh "$host" unshare --time --monotonic "${{host#h}}000" --fork sh -c "'$*'"
"""
    )
    shell.chmod(0o755)
    words = ("--algorithm", "library", "--place", "2x1", "--start", "agreed", "--mpi", mpi)
    run = flat.measure("mpi/barrier", *words, *BRIEF, "--remote-shell", shell)
    assert len(run["clocks"]) == 2
    for clock in run["clocks"]:
        assert not clock["shared"]
        assert 0 < clock["sync_tested_error_s"] <= 1.1 * clock["sync_error_s"] < 0.1


def slowdowns(lab, mpi, *words):
    """Return how much slower two pairs at once are than one, by distance and mode."""
    sizes = ("--bytes", "256K", "--pairs", "1,0", "--place", "4x1", "--mpi", mpi)
    run = lab.measure("mpi/pairs", *sizes, *words, "--minimum", 8, "--seconds", 0.4)
    assert all(point["verified"] and point["oversubscribed"] for point in run["points"])
    medians = {
        (p["axes"]["distance"], p["axes"]["mode"], p["metrics"]["pairs"]): p["median_s"]
        for p in run["points"]
    }
    return {
        key[:2]: median / medians[(*key[:2], 1)] for key, median in medians.items() if key[2] == 2
    }


@pytest.mark.timing
def test_pairs_on_links_of_their_own_do_not_slow_each_other(flat, mpi):
    ratios = slowdowns(flat, mpi, "--distance", "half", "--mode", "exchange", "--launches", 2)
    assert ratios["half", "exchange"] < 1.3


@pytest.mark.timing
def test_pairs_that_share_the_backbone_get_half_of_it(islands, mpi):
    # Losses in a full queue make a launch slow now and then: the median of three stands above that.
    words = ("--distance", "neighbours,half", "--mode", "exchange", "--launches", 3)
    ratios = slowdowns(islands, mpi, *words)
    assert ratios["neighbours", "exchange"] < 1.3
    assert 1.6 < ratios["half", "exchange"] < 2.6


@pytest.mark.timing
def test_opposite_directions_do_not_slow_each_other(islands, mpi):
    """An exchange moves two messages over the backbone, in the time of one."""
    words = ("--bytes", "256K", "--pairs", 1, "--distance", "half", "--mode", "pingpong,exchange")
    more = ("--place", "4x1", "--mpi", mpi, "--minimum", 8, "--seconds", 0.4, "--launches", 2)
    run = islands.measure("mpi/pairs", *words, *more)
    alone, both = sorted(run["points"], key=lambda point: point["axes"]["mode"], reverse=True)
    assert both["median_s"] < 1.3 * alone["median_s"]


def test_the_question_of_the_crossbar_is_answered(none, mpi):
    none("up", "--link", "1gbit")
    words = ("--place", "4x1", "--hosts", "lab", "--mpi", mpi, "--launches", 2, "--seconds", 0.05)
    done = none.call("run", "crossbar", *words, "--minimum", 3, "--json", "--runs", none.runs)
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    assert run["answers"]
    assert {run["findings"][index]["kind"] for index in run["answers"]} == {"link_shared"}


def test_a_halo_that_is_bunched_crosses_fewer_links(flat, mpi):
    words = ("--pattern", "send_recv,bunched", "--bytes", "8K", "--calls", 20, "--place", "4x2")
    run = flat.measure("mpi/halo", *words, "--order", "round-robin", "--mpi", mpi, *BRIEF)
    assert all(point["verified"] for point in run["points"])
    crossing = {
        point["axes"]["pattern"]: point["metrics"]["off_node_messages_per_node"]
        for point in run["points"]
    }
    assert crossing == {"send_recv": 8.0, "bunched": 4.0}


def test_node_aware_collectives_are_right_across_hosts(flat, mpi):
    words = ("--bytes", "8,64K", "--algorithm", "library,shared", "--place", "4x2", "--mpi", mpi)
    run = flat.measure("mpi/allreduce", *words, *BRIEF)
    assert len(run["points"]) == 4
    assert all(point["verified"] for point in run["points"])


def test_a_host_has_the_cores_that_it_was_given(small, mpi):
    line = small.refused(
        "run", "mpi/barrier", "--place", "2x2", "--hosts", "lab", "--mpi", mpi, "--dry-run"
    )
    assert "placement 2x2 wants 2 processes on a node, and host h1 has 1 core" in line
    assert "--hosts names 2 (h0, h1)" in small.refused(
        "run", "mpi/barrier", "--place", "3x1", "--hosts", "lab", "--mpi", mpi
    )


def test_a_name_that_is_no_host_is_one_line(flat, mpi):
    words = ("--place", "2x1", "--hosts", "h0,nowhere", "--remote-shell", flat.folder / "ssh")
    done = flat.call("run", "mpi/barrier", *words, "--mpi", mpi, "--runs", flat.runs)
    assert done.returncode == 2
    assert "no answer from nowhere: Could not resolve hostname nowhere" in done.stderr
    assert flat.ranks() == set()


class Running:
    """A run over two hosts in the background."""

    def __init__(self, lab, mpi, *words, benchmark="mpi/pingpong", place="2x1"):
        self.runs = lab.runs.with_name(f"runs-{time.monotonic_ns()}")
        hosts = ("--place", place, "--hosts", "lab", "--mpi", mpi, "--launches", "1")
        endless = ("--minimum", "100000000", "--maximum", "100000000")
        words = (benchmark, *words, *hosts, *endless, "--json", "--runs", self.runs)
        self.process = subprocess.Popen(
            [*WORDS, "run", *map(str, words)],
            env=lab.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )

    def await_event(self, kind, count):
        """Wait until the probe has reported so many events of a kind."""
        mark = f'"event":"{kind}"'
        while True:
            texts = [path.read_text() for path in self.runs.glob("*/launches/000/events.jsonl")]
            if sum(text.count(mark) for text in texts) >= count:
                return
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.05)

    def await_samples(self):
        """Wait until the probe has written samples: warm-up, which keeps none, is over."""
        while not any(path.stat().st_size for path in self.runs.glob("*/launches/000/samples.bin")):
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.05)

    def end(self):
        output, errors = self.process.communicate()
        return self.process.returncode, json.loads(output), errors


def test_a_host_that_dies_ends_the_launch_and_keeps_what_was_measured(small, mpi):
    running = Running(small, mpi, "--bytes", "8:400:8", "--seconds", 0.2)
    running.await_event("point", 3)
    small("kill", "h1")
    status, run, errors = running.end()
    assert status == 1
    assert run["outcome"]["state"] == "incomplete"
    assert "host h1 does not answer any more" in run["outcome"]["message"]
    assert 3 <= len(run["points"]) < 50
    assert all(point["verified"] for point in run["points"])
    assert "Traceback" not in errors
    assert small.ranks() == set()


def test_a_link_that_is_cut_for_two_seconds_is_a_sample(small, mpi):
    running = Running(small, mpi, "--bytes", "8", "--seconds", 5)
    running.await_samples()
    small("link", "h1", "cut")
    time.sleep(2)
    small("link", "h1", "heal")
    status, run, _ = running.end()
    assert status == 0
    (point,) = run["points"]
    assert point["verified"]
    assert point["max_s"] > 0.5  # one way of a round trip that was held up for 2 s or more
    assert point["median_s"] < 0.1


def test_an_interrupt_leaves_no_rank_and_no_shared_memory_on_any_host(flat, mpi):
    flat("exec", "h1", "touch", "/dev/shm/somebody-elses")
    running = Running(
        flat, mpi, "--bytes", "8:400:8", "--seconds", 0.2, benchmark="mpi/pairs", place="2x2"
    )
    running.await_event("begin", 2)
    assert "mpich_shm" in flat("exec", "h1", "ls", "/dev/shm")
    running.process.send_signal(signal.SIGINT)
    status, run, _ = running.end()
    assert (status, run["outcome"]["state"]) == (130, "interrupted")
    assert flat.ranks() == set()
    assert flat("exec", "h1", "ls", "/dev/shm") == "somebody-elses\n"
