"""`leadline screen` on a virtual cluster: slow and dead hosts are named."""

import json
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from slurm_daemons import SlurmOnHosts, running

from leadline.measure.launch.slots import available_cores

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(available_cores() < 2, reason="this machine has one core"),
]
WORDS = [sys.executable, "-m", "leadline"]


@pytest.fixture(scope="module")
def mpi(wide):
    return wide.probed("mpich-5")


def _screened(lab, mpi, *words):
    done = lab.call(
        "screen", "--hosts", "lab", "--mpi", mpi, "--seed", "3", "--json", "--runs", lab.runs,
        *words,
    )  # fmt: skip
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_a_host_behind_a_slow_link_is_named(wide, mpi):
    wide("link", "h3", "50mbit")
    try:
        status, found = _screened(wide, mpi)
    finally:
        wide("link", "h3", "heal")
    assert status == 1
    assert found["nodes"] == [f"h{at}" for at in range(8)]
    slow = {each["name"]: each for each in found["suspects"]}
    assert "h3" in slow, found
    assert slow["h3"]["kind"] == "node"
    assert slow["h3"]["ratios"]["bandwidth"] == pytest.approx(2.0, rel=0.25)
    assert slow["h3"]["probability"] > 0.9
    run = json.loads((wide.runs / found["run"] / "run.json").read_text())
    assert all(point["verified"] for launch in run["launches"] for point in launch["points"])
    own = {"node/stream", "node/memcpy", "node/flops", "node/noise"}
    measured = {point["benchmark"] for point in run["points"]}
    assert found["share_cores"] == (available_cores() < 8)
    assert measured == {"mpi/rounds"} | (set() if found["share_cores"] else own)
    assert bool(found["levels"]) != found["share_cores"]


@pytest.mark.skipif(available_cores() >= 8, reason="each of the eight hosts has a core here")
def test_nodes_that_share_cores_are_not_measured_by_themselves(wide, mpi):
    refused = wide.refused("screen", "--hosts", "lab", "--mpi", mpi, "--node-only")
    assert "--node-only: the nodes share cores" in refused


@pytest.fixture(scope="module")
def slurm(wide, tmp_path_factory):
    nodes = [f"h{at}" for at in range(8)]
    made = SlurmOnHosts(tmp_path_factory.mktemp("slurm"), nodes, wide.folder)
    with running(made, "head", "") as started:
        yield started


def test_a_job_of_slurm_ends_in_the_command_that_drains(wide, mpi, slurm):
    variables = {name: value for name, value in slurm.environment.items() if "SLURM" in name}
    wide("link", "h2", "50mbit")
    try:
        done = wide.call(
            "virtual-cluster", "run", *WORDS, "screen", "--batch", "slurm", "--nodes", 8,
            "--mpi", mpi,
            "--seed", "4", "--runs", wide.runs, **variables,
        )  # fmt: skip
    finally:
        wide("link", "h2", "heal")
    assert done.returncode == 1, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    drain = [line for line in lines if line.startswith("scontrol update nodename=h2 state=drain")]
    assert len(drain) == 1, done.stdout
    assert 'reason="leadline: bandwidth' in drain[0]


@contextmanager
def _started(lab, mpi, *words, before=(), **variables):
    """Give a screening that has measured something, and what its probe has said so far."""
    runs = set(lab.runs.glob("*-screen-*"))
    with subprocess.Popen(
        [*WORDS, *before, "screen", *words, "--mpi", mpi, "--json", "--runs", str(lab.runs)],
        env={**lab.environment, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:

        def await_(look):
            while not (seen := look()):
                assert started.poll() is None, started.communicate()
                time.sleep(0.1)
            return seen

        (run,) = await_(lambda: set(lab.runs.glob("*-screen-*")) - runs)
        path = run / "launches" / "000" / "events.jsonl"
        await_(lambda: path.exists() and '"event":"point"' in path.read_text())
        lines = [line for line in path.read_text().splitlines() if line.endswith("}")]
        yield started, [json.loads(line) for line in lines]


def test_a_rank_that_hangs_in_a_job_is_named_and_the_others_are_screened_in_another(
    wide, mpi, slurm
):
    variables = {name: value for name, value in slurm.environment.items() if "SLURM" in name}
    batch = ("--batch", "slurm", "--nodes", "7")
    inside = ("lab", "run", *WORDS)
    with _started(wide, mpi, *batch, before=inside, **variables) as (started, events):
        (rank,) = [each for each in events if each["event"] == "rank" and each["rank"] == 3]
        ssh = (wide.folder / "ssh", rank["host"])
        subprocess.run([*ssh, "kill", "-STOP", str(rank["pid"])], check=True)
        output, errors = started.communicate()
    assert started.returncode == 1, errors
    found = json.loads(output)
    assert found["is_complete"], errors
    hung = [(each["name"], each["reason"]) for each in found["suspects"] if not each["ratio"]]
    assert hung == [(rank["host"], "is stopped")]
    assert len(found["nodes"]) == 6
    assert rank["host"] not in found["nodes"]


def test_a_host_that_dies_is_one_line_and_the_others_are_screened(wide, mpi):
    """Last: the host stays dead."""
    with _started(wide, mpi, "--hosts", "lab") as (started, _):
        wide("kill", "h6")
        output, errors = started.communicate()
    assert started.returncode == 1, errors
    found = json.loads(output)
    assert found["nodes"] == ["h0", "h1", "h2", "h3", "h4", "h5", "h7"]
    assert found["is_complete"]
    dead = [each for each in found["suspects"] if each["figure"] == "answer"]
    assert [(each["kind"], each["name"]) for each in dead] == [("node", "h6")]
