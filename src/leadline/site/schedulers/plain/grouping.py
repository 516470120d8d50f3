"""Jobs of a machine that has no batch system: processes that belong together."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from leadline.model.jobs import Job
from leadline.site.processes import Process

# Less than this part of one core is the system's own housekeeping.
_MATTERS = 0.05


def jobs_of(processes: Iterable[Process], hosts: Mapping[int, str], here: str) -> tuple[Job, ...]:
    """Return what takes processors, the busiest first, and MPI programs even when they do not.

    Processes make a job that come from one launcher, or otherwise are one process group: what a
    shell calls a job. `hosts` names the virtual host of each process that is on one; `here` is this
    machine's name.
    """
    everyone = {process.pid: process for process in processes}
    members: dict[int, list[Process]] = defaultdict(list)
    for process in everyone.values():
        if not process.own:
            members[_root(process, everyone)].append(process)
    jobs = [_job(root, group, hosts, here) for root, group in members.items()]
    return tuple(sorted(filter(None, jobs), key=lambda job: -(job.busy_cores or 0.0)))


def _root(process: Process, everyone: Mapping[int, Process]) -> int:
    """Return the number of the launcher above, else of the process group."""
    above, seen = process, {process.pid}
    found = process.group or process.pid
    while True:
        if above.is_launcher:
            found = above.pid
        parent = everyone.get(above.parent)
        if parent is None or parent.own or parent.pid in seen:
            return found
        seen.add(parent.pid)
        above = parent


def _job(root: int, members: list[Process], hosts: Mapping[int, str], here: str) -> Job | None:
    share = sum(process.cpu_share for process in members)
    if share < _MATTERS and not any(process.is_mpi for process in members):
        return None
    # The one that was started first, unless it is gone.
    head = next((each for each in members if each.pid == root), max(members, key=lambda p: p.age_s))
    places = dict.fromkeys(hosts[each.pid] for each in members if each.pid in hosts)
    where = tuple(sorted(places, key=lambda name: (len(name), name))) or (here,)
    return Job(
        id=str(root),
        user=head.user,
        name=head.name,
        phase="running",
        state="running",
        nodes=len(where),
        busy_cores=round(share, 2),
        processes=len(members),
        hosts=where,
        base_node=where[0],
        used_s=round(max(process.age_s for process in members), 1),
        command=head.command,
    )
