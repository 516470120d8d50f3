"""Jobs to be started, with the fields of their hosts beside their own."""

from leadline.model.hosts import Hosts
from leadline.model.job import Job
from leadline.model.placement import parse_placement

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
