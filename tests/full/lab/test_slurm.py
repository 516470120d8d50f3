"""Jobs of a Slurm whose nodes are the hosts of a virtual cluster."""

import json
import sys
from pathlib import Path

import pytest
from slurm_daemons import SlurmOnHosts, running

BRIEF = ("--seconds", "0.05", "--maximum", "200", "--launches", "2", "--no-bind")


@pytest.fixture(scope="module")
def slurm(flat, tmp_path_factory):
    made = SlurmOnHosts(tmp_path_factory.mktemp("slurm"), ("h0", "h1"), flat.folder)
    # Hosts share the folder for temporary files, where steps would collide.
    apart = {"mpi.conf": f"PMIxCliTmpDirBase={flat.folder}/tmp\n"}
    with running(made, "head", "", apart) as started:
        yield started


@pytest.fixture(scope="module", params=["mpich", "openmpi"])
def mpi(request, flat):
    """Give the name of an MPI whose probe is built, which may take minutes."""
    return flat.probed(request.param)


@pytest.fixture(params=["mpiexec", "srun"])
def by_job(request, flat, slurm, mpi):
    """Give a function that measures in a job, with a launcher, and returns answer and run."""
    named = ("--launcher", "srun") if request.param == "srun" else ()
    variables = {name: value for name, value in slurm.environment.items() if "SLURM" in name}

    def measure(*words):
        done = flat.call(
            "virtual-cluster", "run", sys.executable, "-m", "leadline", "run", "--mpi", mpi,
            *BRIEF, *words,
            *named, "--batch", "slurm", "--runs", flat.runs, "--json", **variables,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        answer = json.loads(done.stdout)
        assert answer["outcome"]["state"] == "complete"
        return answer, json.loads((Path(answer["folder"]) / "run.json").read_text())

    return measure


@pytest.mark.mpi
def test_two_hosts(by_job):
    answer, run = by_job("mpi/pingpong", "--bytes", "8", "--place", "2x1")
    (point,) = answer["points"]
    assert (point["nodes"], point["launches"], point["verified"]) == (2, 2, True)
    assert run["machine"]["host"] == "h[0-1]"
    for launch in run["launches"]:
        assert [(rank["host"], rank["node"]) for rank in launch["ranks"]] == [("h0", 0), ("h1", 1)]


@pytest.mark.mpi
def test_orders_of_ranks(by_job):
    """Round robin comes with all; MPICH under srun knows no other, which is left out."""
    orders = {"default": "0011", "round-robin": "0101", "folded": "0110"}
    answer, run = by_job(
        "mpi/allreduce", "--bytes", "8", "--place", "2x2", "--order", ",".join(orders),
        "--oversubscribe", "--launches", "1",
    )  # fmt: skip
    found = {
        launch["knobs"]["order"]: "".join(str(rank["node"]) for rank in launch["ranks"])
        for launch in run["launches"]
    }
    assert found.items() <= orders.items()
    assert {"default", "round-robin"} <= found.keys()
    assert "placement_differs" not in [finding["kind"] for finding in answer["findings"]]
    for launch in run["launches"]:
        assert [rank["host"] for rank in launch["ranks"]] == [
            f"h{rank['node']}" for rank in launch["ranks"]
        ]


@pytest.mark.mpi
@pytest.mark.parametrize("by_job", ["mpiexec"], indirect=True)
@pytest.mark.parametrize("mpi", ["mpich"], indirect=True)
def test_a_neighbour_is_recorded_with_its_node(by_job, slurm):
    words = ("--nodes=1", "--job-name=flow", "--output=/dev/null", "--wrap", "sleep 100")
    neighbour = slurm.ask("sbatch", "--parsable", *words)
    try:
        slurm.wait_until_running(neighbour)
        _, run = by_job("mpi/barrier", "--place", "1x2", "--algorithm", "library")
    finally:
        slurm.ask("scancel", neighbour)
        slurm.wait_until_gone(neighbour)
    for launch in run["launches"]:
        (own,) = {rank["host"] for rank in launch["ranks"]}
        company = launch["company"]
        (job,) = company["jobs"]
        assert (job["id"], job["name"], job["nodes"]) == (neighbour, "flow", 1)
        assert {own, *job["hosts"]} == {"h0", "h1"} and job["shared_nodes"] == 0
        assert job["seconds"] > 0
        assert (company["batch_system"], company["jobs_running"]) == ("slurm", 1)
        assert (company["host"], company["unseen_hosts"]) == ("", [own])
