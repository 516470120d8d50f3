"""Jobs to be started, with the fields of their hosts beside their own, and launches of them."""

from leadline.model.hosts import Hosts
from leadline.model.job import Job
from leadline.model.placement import parse_placement
from leadline.model.run import Launch, Outcome

_OF_HOSTS = {name for name in Hosts.__struct_fields__ if name != "names"}


def made_job(place="1x2", program=("./probe",), hosts=(), **fields):
    """Make a job at `place` on the `hosts` of these names."""
    there = {name: fields.pop(name) for name in _OF_HOSTS & fields.keys()}
    return Job(
        program=program,
        placement=parse_placement(place),
        hosts=Hosts(names=hosts, **there),
        **fields,
    )


def made_launch(place="1x2", **fields):
    """Make a launch at `place` that has not begun."""
    placement = parse_placement(place)
    usual = {
        "launch": 0, "mpi": "one", "api": "mpi", "argv": ("x",), "environment": {},
        "processes": placement.processes, "nodes": placement.nodes,
        "processes_per_node": placement.processes_per_node, "oversubscribed": False,
        "started": "", "ended": "", "outcome": Outcome(state="running"),
    }  # fmt: skip
    return Launch(**(usual | fields))
