"""Every launcher present makes every order of ranks true, on the hosts of a virtual cluster."""

import os
import time

import msgspec
import pytest
from lab_possible import why_not
from programs import compiled
from tests.system.measure.launch.test_real import HERE, KINDS

from leadline.measure.knobs.knob import Unsupported
from leadline.measure.launch.start import start_for
from leadline.measure.launch.supervise import run_supervised
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.site.vcluster import control
from leadline.site.vcluster.cluster import cluster
from leadline.topology.rank_order.order import NAMED, cycle

pytestmark = pytest.mark.mpi

PLACEMENT = Placement(4, 2)
CUSTOM = ((5, 0), (1, 2), (7, 6), (4, 3))
ORDERS = {**{name: order(PLACEMENT) for name, order in NAMED.items()}, "custom": CUSTOM}


@pytest.fixture(scope="module")
def hosts(tmp_path_factory):
    """Give four hosts with two cores each, in namespaces of this machine."""
    if why := why_not():
        pytest.skip(why)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADLINE_LAB", str(tmp_path_factory.mktemp("lab") / "cluster"))
        control.up(cluster(4, "2", "1gbit", 1, None))
        try:
            yield control.hosts()
        finally:
            control.down()


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind[0].name)
def kind(request, tmp_path_factory):
    """Give an installation, an API, and a program built for them."""
    installation, api = request.param
    source = HERE / ("elements.c" if api == "shmem" else "ranks.c")
    compiler = installation.oshcc if api == "shmem" else installation.mpicc
    folder = tmp_path_factory.mktemp("program")
    program = compiled(compiler, source, folder, "-O1", **installation.environment)
    return installation, api, program


def launched(kind, hosts, folder, order, **fields):
    """Return what each rank said of itself; skip where this launcher must have no such order."""
    installation, api, program = kind
    job = Job(
        # Debian's MPICH 4.0.2 crashes or hangs in more than every second MPI_Finalize over hosts.
        program=(str(program), "leave"),
        placement=PLACEMENT,
        api=api,
        folder=str(folder),
        hosts=msgspec.structs.replace(hosts, cores=(), shared_cores=0, pin=()),
        ranks_by_node=() if order == ORDERS["smp"] else order,
        **fields,
    )
    try:
        start = start_for(job, installation)
    except Unsupported:
        assert installation.family == "mpich" and installation.version < "5.0.2"
        assert cycle(order) is None
        pytest.skip(f"{installation.name} has no way of doing this, and says so")
    for name, text in start.files.items():
        (folder / name).write_text(text)
    run_supervised(
        start,
        stdout=folder / "stdout.txt",
        stderr=folder / "stderr.txt",
        tag=f"orders/{os.getpid()}/{time.monotonic_ns()}",
        tick=lambda: False,
        time_limit_s=20.0,
    )
    lines = (folder / "stdout.txt").read_text().splitlines()
    said = [
        dict(item.split("=", 1) for item in line.split(";"))
        for line in lines
        if line.startswith("rank=")
    ]
    ranks = {int(rank["rank"]): rank for rank in said}
    assert sorted(ranks) == list(range(PLACEMENT.processes)), (folder / "stderr.txt").read_text()
    return ranks


def shown(ranks):
    """Return the ranks of each host, and which ranks share a node for MPI."""
    at = tuple({rank for rank in ranks if ranks[rank]["host"] == f"h{node}"} for node in range(4))
    together = {
        frozenset(each for each in ranks if ranks[each]["node"] == ranks[rank]["node"])
        for rank in ranks
        if "node" in ranks[rank]
    }
    return at, together


@pytest.mark.parametrize("order", ORDERS)
def test_ranks_are_where_the_order_puts_them(kind, hosts, tmp_path, order):
    ranks = launched(kind, hosts, tmp_path, ORDERS[order], oversubscribe=True)
    at, together = shown(ranks)
    assert at == tuple(map(set, ORDERS[order]))
    assert together in (set(), set(map(frozenset, ORDERS[order])))


def test_bound_ranks_of_a_host_have_a_core_each(kind, hosts, tmp_path):
    takes_turns = kind[0].family == "mpich" and kind[0].version < "5.0.2"
    order = ORDERS["round-robin"] if takes_turns else CUSTOM
    ranks = launched(kind, hosts, tmp_path, order, bind=True)
    assert shown(ranks)[0] == tuple(map(set, order))
    for own in order:
        assert len({ranks[rank]["cpus"] for rank in own}) == len(own)
