"""Every MPI starts its ranks on the hosts of a virtual cluster, where and as it should."""

import os
import time
from collections import Counter

import pytest
from checkout import TESTS
from programs import compiled

from leadline.measure.launch.start import start_for
from leadline.measure.launch.supervise import run_supervised
from leadline.model.job import Job
from leadline.model.placement import parse_placement
from leadline.site.vcluster import control

SOURCES = TESTS / "system" / "measure" / "launch"

pytestmark = pytest.mark.mpi


@pytest.fixture(
    scope="module",
    params=["mpich-5", "mpich-4", "intel", "openmpi-5", "openmpi-4", "openmpi-4 shmem"],
)
def kind(request, flat, tmp_path_factory):
    """Give an installation, an API, and a program whose ranks say where they run."""
    name, _, api = request.param.partition(" ")
    installation = flat.installation(name)
    if api and not installation.oshcc:
        pytest.skip(f"{installation.name} has no OpenSHMEM")
    source = SOURCES / ("elements.c" if api else "ranks.c")
    compiler = installation.oshcc if api else installation.mpicc
    folder = tmp_path_factory.mktemp("program")
    program = compiled(compiler, source, folder, "-O1", **installation.environment)
    return installation, api or "mpi", program


@pytest.mark.parametrize("place", ["2x1", "4x2"])
def test_ranks_are_where_they_were_placed(kind, flat, tmp_path, monkeypatch, place):
    installation, api, program = kind
    monkeypatch.setenv("LEADLINE_LAB", str(flat.folder))
    hosts = control.hosts()
    job = Job(
        program=(str(program),),
        placement=parse_placement(place),
        api=api,
        hosts=hosts,
    )
    stdout, stderr = tmp_path / "stdout.txt", tmp_path / "stderr.txt"
    expected = job.placement.processes

    def said():
        return [line for line in stdout.read_text().splitlines() if line.startswith("rank=")]

    ended = run_supervised(
        start_for(job, installation),
        stdout=stdout,
        stderr=stderr,
        tag=f"lab/{os.getpid()}/{time.monotonic_ns()}",
        tick=lambda: False,
        time_limit_s=60.0,
        finished=lambda: len(said()) == expected,
    )
    assert ended.outcome.state == "complete", stderr.read_text()
    ranks = [dict(part.split("=", 1) for part in line.split(";")) for line in said()]
    ranks.sort(key=lambda rank: int(rank["rank"]))
    each = job.placement.processes_per_node
    assert [rank["host"] for rank in ranks] == [
        host for host in hosts.names[: job.placement.nodes] for _ in range(each)
    ]
    allowed = Counter(rank["cpus"] for rank in ranks)
    if expected <= hosts.shared_cores:
        assert max(allowed.values()) == 1
        assert all(cpus.isdigit() for cpus in allowed)
    else:
        assert set(allowed) == {",".join(map(str, sorted(os.sched_getaffinity(0))))}
