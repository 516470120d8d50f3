"""Regions with what goes on in them, from nodes and jobs alone."""

import pytest

from leadline.model.jobs import CoresByKind, Job, Limits, Node
from leadline.output.terminal.jobs import regions_table
from leadline.output.terminal.table import draw
from leadline.site.schedulers.regions import count_cores, fill_regions
from leadline.site.schedulers.slurm import jobs as slurm


def node(name, phase="idle", used=0, queues=("batch",), **more):
    return Node(name=name, phase=phase, state=phase, queues=queues, cores=4, cores_in_use=used,
                **more)  # fmt: skip


def job(name, queue, cores, *hosts, phase="running"):
    return Job(id=name, user="anna", name="x", phase=phase, state="", queue=queue, cores=cores,
               hosts=hosts)  # fmt: skip


NODES = [
    node("n1", "allocated", 4),
    node("n2", "mixed", 3, queues=("batch", "test")),
    node("n3", queues=("batch", "test")),
    node("n4", reserved=True),
    node("n5", "drained"),
    node("n6", "down"),
]
JOBS = [
    job("1", "batch", 6, "n1", "n2"),
    job("2", "test", 1, "n2"),
    job("3", "batch,test", 8, phase="waiting"),
    job("4", "batch", 8, phase="waiting"),
]
LIMITS = [
    Limits(name="batch", state="up", open=True, default=True, most_nodes=4, most_s=86_400.0),
    Limits(name="test", state="down", open=False, most_nodes=1, least_nodes=1, default_s=60.0),
]


def test_cores_by_kind():
    cores = count_cores(NODES, JOBS, frozenset({"2"}))
    assert cores == CoresByKind(batch=6, interactive=1, idle=5, reserved=4, drained=4, down=4)


def test_hardware_threads_are_no_more_cores_than_a_node_has():
    """Slurm may count hardware threads for a job; the node says how many cores those are."""
    cores = count_cores([node("n1", "allocated", 4)], [job("1", "batch", 8, "n1")], frozenset())
    assert cores == CoresByKind(batch=4)


def test_cores_of_nobody_known_are_of_others():
    assert count_cores([node("n1", "mixed", 1)], [], frozenset()) == CoresByKind(others=1, idle=3)


def test_regions():
    batch, test = fill_regions(LIMITS, NODES, JOBS, frozenset({"2"}))
    assert (batch.nodes, batch.idle, batch.in_use) == (6, 1, 2)
    assert (batch.reserved, batch.drained, batch.down) == (1, 1, 1)
    assert (batch.running, batch.waiting) == (1, 2)
    assert batch.cores == CoresByKind(batch=6, others=1, idle=5, reserved=4, drained=4, down=4)
    assert (test.nodes, test.running, test.waiting) == (2, 1, 1)
    assert test.cores == CoresByKind(interactive=1, others=2, idle=5)
    assert (batch.most_s, test.open) == (86_400.0, False)


def test_nodes_that_name_no_region_are_of_every_one():
    (region,) = fill_regions(LIMITS[:1], [node("n1", queues=())], [], frozenset())
    assert region.nodes == 1


@pytest.mark.parametrize("width", [40, 80, 200])
def test_a_table_of_regions_is_as_wide_as_the_terminal(width):
    table = regions_table(fill_regions(LIMITS, NODES, JOBS, frozenset()))._replace(caption="c")
    shown = [line.plain for line in draw(table, width, None, "-")]
    assert max(map(len, shown)) <= width
    if width == 200:
        (row,) = [line for line in shown if line.split()[:1] == ["batch*"]]
        assert row.split()[:4] == ["batch*", "up", "1-00:00:00", "1-4"]


def test_a_partition_as_slurm_shows_it(monkeypatch):
    shown = (
        "PartitionName=night AllowGroups=ops,dev AllowAccounts=ALL Default=YES DefaultTime=NONE "
        "MaxNodes=UNLIMITED MaxTime=12:30:00 MinNodes=2 Nodes=n[1-2] PriorityTier=5 RootOnly=NO "
        "State=DRAIN TotalCPUs=8 TotalNodes=2 TRES=cpu=8,mem=4M\n"
    )
    monkeypatch.setattr(slurm, "_ask", lambda *words: shown)
    assert slurm.SOURCE.regions() == (
        Limits(
            name="night",
            state="drain",
            open=False,
            default=True,
            least_nodes=2,
            most_s=45_000.0,
            priority=5,
            for_whom="groups ops,dev",
        ),
    )
