"""`leadline screen` on a virtual cluster: slow and dead hosts are named."""

import json
import subprocess
import sys
import time

import pytest
from slurm_daemons import SlurmOnHosts, why_not

from leadline.measure.launch.slots import available_cores

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.timeout(900),  # the first test may have to build the probe
    pytest.mark.skipif(available_cores() < 2, reason="this machine has one core"),
]
WORDS = [sys.executable, "-m", "leadline"]


@pytest.fixture(scope="module")
def mpi(wide):
    name = wide.installation("mpich-5").name
    built = wide.call("benchmarks", "--build", "--mpi", name, limit_s=800)
    assert built.returncode == 0, built.stderr
    return name


def _screened(lab, mpi, *words, limit_s=400):
    done = lab.call(
        "screen", "--hosts", "lab", "--mpi", mpi, "--seed", "3", "--json", "--runs", lab.runs,
        *words, limit_s=limit_s,
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
    own = {"memory", "copies", "arithmetic", "noise"}
    assert found["share_cores"] == (available_cores() < 8)
    if found["share_cores"]:
        assert not any(own & set(each["ratios"]) for each in slow.values())
    run = json.loads((wide.runs / found["run"] / "run.json").read_text())
    assert all(point["verified"] for launch in run["launches"] for point in launch["points"])


@pytest.mark.skipif(available_cores() >= 8, reason="each of the eight hosts has a core here")
def test_nodes_that_share_cores_are_not_compared_by_themselves(wide, mpi):
    refused = wide.refused("screen", "--hosts", "lab", "--mpi", mpi, "--node-only")
    assert "--node-only: the nodes share cores" in refused


@pytest.fixture(scope="module")
def slurm(wide, tmp_path_factory):
    if why := why_not():
        pytest.skip(why)
    nodes = [f"h{at}" for at in range(8)]
    started = SlurmOnHosts(tmp_path_factory.mktemp("slurm"), nodes, wide.folder)
    started.configure("head", "", {})
    try:
        started.start()
        yield started
    finally:
        started.stop()


def test_a_job_of_slurm_ends_in_the_command_that_drains(wide, mpi, slurm):
    variables = {name: value for name, value in slurm.environment.items() if "SLURM" in name}
    wide("link", "h2", "50mbit")
    try:
        done = wide.call(
            "lab", "run", *WORDS, "screen", "--batch", "slurm", "--nodes", 8, "--mpi", mpi,
            "--seed", "4", "--runs", wide.runs, limit_s=400, **variables,
        )  # fmt: skip
    finally:
        wide("link", "h2", "heal")
    assert done.returncode == 1, done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    drain = [line for line in lines if line.startswith("scontrol update nodename=h2 state=drain")]
    assert len(drain) == 1, done.stdout
    assert 'reason="leadline: bandwidth' in drain[0]


def test_a_host_that_dies_is_one_line_and_the_others_are_screened(wide, mpi):
    """Last: the host stays dead."""
    words = ["screen", "--hosts", "lab", "--mpi", mpi, "--json", "--runs", str(wide.runs)]
    with subprocess.Popen(
        [*WORDS, *words],
        env=wide.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        before = set(wide.runs.glob("*-screen-*"))
        while not (new := set(wide.runs.glob("*-screen-*")) - before):
            assert started.poll() is None
            time.sleep(0.1)
        events = new.pop() / "launches" / "000" / "events.jsonl"
        while not (events.exists() and '"event":"point"' in events.read_text().replace(" ", "")):
            assert started.poll() is None
            time.sleep(0.1)
        wide("kill", "h6")
        output, errors = started.communicate(timeout=400)
    assert started.returncode == 1, errors
    found = json.loads(output)
    assert found["nodes"] == ["h0", "h1", "h2", "h3", "h4", "h5", "h7"]
    assert found["is_complete"]
    dead = [each for each in found["suspects"] if each["figure"] == "answer"]
    assert [(each["kind"], each["name"]) for each in dead] == [("node", "h6")]
