"""A machine without a batch system: its processes, and itself with a virtual cluster's hosts."""

import contextlib
import os
import platform
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping

from leadline.core.errors import UserError
from leadline.model.jobs import Job, Node, NodePhase
from leadline.site.hardware import processors
from leadline.site.hardware.activity import queue
from leadline.site.hardware.files import Files
from leadline.site.hardware.inventory import meminfo_bytes
from leadline.site.processes import CpuShares, Process
from leadline.site.schedulers.job_source import NoAnswer, Source
from leadline.site.vcluster import control
from leadline.site.vcluster.cluster import rate_text
from leadline.site.vcluster.namespaces import network_of

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
        if not process.is_ancestor:
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
        if parent is None or parent.is_ancestor or parent.pid in seen:
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


_INTERVAL_S = 0.4
# So much of its cores may be busy with housekeeping on an idle node, or idle on a busy one.
_SLACK = 0.1


def _jobs() -> tuple[Job, ...]:
    """Return what takes processors now, seen for 0.4 s. There is no queue: nothing waits."""
    seen = _read_processes()
    return jobs_of(seen, _find_hosts(seen, _find_clusters()), platform.node())


def _nodes() -> tuple[Node, ...]:
    """Return this machine, and the hosts of the virtual clusters that are up."""
    files, seen, clusters = Files(), _read_processes(), _find_clusters()
    hosts = _find_hosts(seen, clusters)
    virtual = [n for each in clusters for n in _describe_hosts(each, seen, hosts)]
    return (_describe_machine(files, sum(each.cpu_share for each in seen)), *virtual)


def _read_processes() -> tuple[Process, ...]:
    try:
        shares = CpuShares()
        time.sleep(_INTERVAL_S)
        return shares.end()
    except OSError as error:
        raise NoAnswer(f"the processes cannot be read: {error.strerror} (mount /proc)") from error


def _find_clusters() -> tuple[control.Status, ...]:
    found = []
    for name in reversed(control.names()):
        # Only root sees a virtual cluster; others cannot have made one.
        with contextlib.suppress(UserError):
            found.append(control.status(name))
    return tuple(found)


def _name_host(cluster: control.Status, host: control.HostStatus) -> str:
    """Return what a host is called here: those of clusters with a name have it before theirs."""
    return f"{cluster.name}/{host.name}" if cluster.name else host.name


def _find_hosts(seen: tuple[Process, ...], clusters: tuple[control.Status, ...]) -> dict[int, str]:
    up = [(_name_host(c, host), host.pid) for c in clusters for host in c.hosts if host.pid]
    networks = {network: name for name, pid in up if (network := network_of(pid))}
    places = ((each.pid, networks.get(network_of(each.pid))) for each in seen if networks)
    return {pid: name for pid, name in places if name}


def _describe_machine(files: Files, busy: float) -> Node:
    layout, sizes = processors.topology(files), meminfo_bytes(files)
    cores = layout.get("cores") or os.cpu_count() or 1
    clock = processors.nominal_frequency(files)
    return Node(
        name=platform.node(),
        phase=_classify_phase(busy, cores),
        state="up",
        features=tuple(filter(None, [processors.model(files)])),
        architecture=platform.machine(),
        sockets=layout.get("sockets"),
        cores=cores,
        threads_per_core=layout.get("threads_per_core"),
        cores_in_use=min(round(busy), cores),
        memory_bytes=sizes.get("MemTotal"),
        free_memory_bytes=sizes.get("MemAvailable"),
        clock_hz=clock[0] if clock else None,
        load=queue(files).get("load_1_min"),
    )


def _describe_hosts(
    cluster: control.Status, seen: tuple[Process, ...], hosts: dict[int, str]
) -> tuple[Node, ...]:
    busy = {_name_host(cluster, host): 0.0 for host in cluster.hosts}
    for each in seen:
        if hosts.get(each.pid) in busy:
            busy[hosts[each.pid]] += each.cpu_share
    return tuple(
        Node(
            name=name,
            phase="down" if host.state == "down" else _classify_phase(busy[name], host.cores),
            state=host.state,
            queues=(f"lab/{cluster.name}" if cluster.name else "lab",),
            features=() if host.link_bps is None else (f"link {rate_text(host.link_bps)}",),
            architecture=platform.machine(),
            cores=host.cores,
            cores_in_use=min(round(busy[name]), host.cores),
            note="its link is cut" if host.cut else "",
        )
        for host, name in zip(cluster.hosts, busy, strict=True)
    )


def _classify_phase(busy: float, cores: int) -> NodePhase:
    if busy < _SLACK * cores:
        return "idle"
    return "allocated" if busy > (1 - _SLACK) * cores else "mixed"


# There always is a machine; who starts a process has all of it, and nobody can tell who sits there.
SOURCE = Source("plain", 99, lambda: True, _jobs, _nodes)
