"""The ways that messages take between ranks: rules."""

import os
import re
from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.fault import Fault
from leadline.check.observation import Observation, Rank, format_ranks
from leadline.check.settings import collective_of, copying_twice, forced_algorithms, narrowing
from leadline.core.units import about_bytes

_MOST_BESIDE_NETWORK = 1 << 20
_DEVICES = ("/dev/infiniband/", "/dev/hfi1", "/dev/cxi", "/dev/ipath")


def network_unused(seen: Observation, command: Command) -> Iterator[Fault]:
    """Messages between hosts that go by TCP although there is a faster network."""
    opened = any(device.startswith(_DEVICES) for rank in seen.ranks for device in rank.devices)
    away = [each for each in seen.connections if each.other is None]
    moved = sum(each.moved_bytes or 0 for each in away)
    if not seen.machine.rdma or opened or moved < _MOST_BESIDE_NETWORK:
        return
    settings = narrowing(seen.ranks[0].environment)
    yield Fault(
        ranks=tuple(sorted({each.rank for each in away})),
        text=f"Messages to other hosts go by TCP, and {', '.join(seen.machine.rdma)} is not used.",
        evidence=(
            f"{about_bytes(moved)} went to {', '.join(sorted({each.address for each in away}))}",
            "no rank has opened a device of it",
            *(f"{name}={value}" for name, value in settings.items()),
        ),
        fix=command.without_variables(settings)
        if settings
        else "Install an MPI with UCX or libfabric for this network (`leadline mpi` lists yours).",
    )


_MEANING = {
    "ipc": "System V shared memory",
    "pid": "process numbers",
    "user": "users, so that single copies are refused",
}


def namespaces_apart(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks of one host in containers of their own, which share no memory."""
    apart = seen.separate_views
    if not apart:
        return
    ranks = sorted({rank.rank for each in apart.values() for rank in each})
    unshared = "unshare" in (*command.before, *command.program)
    yield Fault(
        ranks=tuple(ranks),
        text=f"{format_ranks(ranks).capitalize()} run in namespaces of their own: "
        "memory is hard to share.",
        evidence=tuple(f"each has its own {_MEANING[kind]}" for kind in apart),
        fix=command.unconfined()
        if unshared
        else "Start one container a host and all its ranks in it (`apptainer instance start`), or "
        "let the containers share IPC, PID and user namespaces.",
    )


# Libraries that wire themselves up by TCP move less than this.
_WIRING_BYTES = 256 * 1024


def tcp_inside_node(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks of one host that talk by TCP instead of shared memory."""
    carrying = []
    ranks = {rank.rank: rank for rank in seen.ranks}
    for each in seen.connections:
        if each.other is None or each.other not in ranks or each.rank not in ranks:
            continue
        if _hosts(ranks[each.rank]) != _hosts(ranks[each.other]):
            continue
        share = set(ranks[each.rank].segments) & set(ranks[each.other].segments)
        if (each.moved_bytes or 0) > _WIRING_BYTES or not share:
            carrying.append(each)
    if not carrying or seen.separate_views:
        return
    moved = sum(each.moved_bytes or 0 for each in carrying)
    involved = tuple(sorted({rank for each in carrying for rank in (each.rank, each.other or 0)}))
    settings = narrowing(ranks[involved[0]].environment)
    yield Fault(
        ranks=involved,
        text=f"{format_ranks(involved).capitalize()} talk by TCP, not by shared memory.",
        evidence=(
            f"{about_bytes(moved)} went through {len(carrying)} "
            f"connection{'s' if len(carrying) > 1 else ''} in the look",
            *(f"{name}={value}" for name, value in settings.items()),
        ),
        fix=command.without_variables(settings) if settings else _open(seen, command),
    )


def _hosts(rank: Rank) -> tuple[str | None, ...]:
    """Return what makes a host of its own of a part of this one, as in a virtual cluster."""
    return rank.namespaces.get("uts"), rank.namespaces.get("net")


def _open(seen: Observation, command: Command) -> str:
    if not seen.elsewhere and any(
        each.name.startswith("libucp.") for each in seen.ranks[0].libraries
    ):
        # UCX takes TCP for large messages where single copies are refused.
        return command.with_variable("UCX_TLS", "^tcp")
    if "openmpi" in command.launcher.families and command.launcher.name.startswith("openmpi"):
        shared = "vader" if command.launcher.name == "openmpi4" else "sm"
        return command.with_variable("OMPI_MCA_btl", f"self,{shared},tcp")
    return "Install an MPI that was built with shared memory, or give the ranks one /dev/shm."


_FREE_BYTES_PER_RANK = 16 << 20
_SIZE_BYTES_PER_RANK = 64 << 20


def shared_memory_small(seen: Observation, command: Command) -> Iterator[Fault]:
    """A /dev/shm that is too small for the ranks of this host."""
    told = [rank for rank in seen.ranks if rank.shared_memory_free_bytes is not None]
    if len(told) < 2:
        return
    free = min(rank.shared_memory_free_bytes or 0 for rank in told)
    size = min(rank.shared_memory_bytes or 0 for rank in told)
    if free >= _FREE_BYTES_PER_RANK * len(told):
        return
    wanted = max(_SIZE_BYTES_PER_RANK * len(told), 2 * size)
    apart = told[0].namespaces.get("mnt") != seen.machine.namespaces.get("mnt")
    inside = f"nsenter --mount --target {told[0].pid} " if apart else ""
    yield Fault(
        ranks=tuple(rank.rank for rank in told),
        text=f"/dev/shm has {about_bytes(free)} free for {len(told)} ranks: "
        "a full one ends jobs with a bus error.",
        evidence=(
            f"its size is {about_bytes(size)}",
            f"a container takes --shm-size={wanted >> 20}m",
        ),
        fix=f"sudo {inside}mount -o remount,size={wanted >> 20}m /dev/shm",
    )


# What Open MPI and UCX write when the kernel refuses.
_WORDS = re.compile(
    r"Read -1, expected \d+, errno = \d+|restrictive ptrace settings|CMA support is not available"
    r"|process_vm_readv failed|process_vm_readv\([^)]*\)[^\n]*not permitted",
    re.IGNORECASE,
)
_FILTERED = 2


def single_copy_refused(seen: Observation, command: Command) -> Iterator[Fault]:
    """Large messages inside a host that are copied twice: copying once is refused or off."""
    said = _WORDS.search(seen.output)
    if not said and (len(seen.ranks) < 2 or seen.apart):
        return
    ranks = tuple(rank.rank for rank in seen.ranks)
    consequence = "large messages between ranks of this host are copied twice."
    settings = copying_twice(seen.ranks[0].environment) if seen.ranks else {}
    error, scope = seen.machine.reading_error, seen.machine.ptrace_scope
    if scope == 1 and not said:
        # Libraries ask for leave then (PR_SET_PTRACER of prctl(2)), which this try does not.
        error = 0
    if settings and not error:
        names = " and ".join(settings)
        yield Fault(
            ranks=ranks,
            text=f"{names} forbids single copies: {consequence}",
            evidence=tuple(f"{name}={value}" for name, value in settings.items()),
            fix=command.without_variables(settings),
        )
        return
    filtered = any(rank.seccomp == _FILTERED for rank in seen.ranks)
    words = (f'the program wrote "{said[0]}"',) if said else ()
    if "MPIDI_CMA" in seen.output:
        # MPICH 5 does not fall back: it aborts.
        yield Fault(
            ranks=ranks,
            text="The kernel refuses single copies, and MPICH aborts at the first large message.",
            evidence=words,
            fix=command.with_variable("MPIR_CVAR_CH4_CMA_ENABLE", "0"),
        )
        return
    if scope and (error or said):
        yield Fault(
            ranks=ranks,
            text=f"yama refuses single copies: {consequence}",
            evidence=(f"kernel.yama.ptrace_scope is {scope}", *words),
            fix="sudo sysctl kernel.yama.ptrace_scope=0",
        )
    elif error or said or (filtered and seen.machine.seccomp != _FILTERED):
        shown = (f"process_vm_readv fails: {os.strerror(error)}",) if error else ()
        sure = "refuses" if error or said else "is likely to refuse"
        yield Fault(
            ranks=ranks,
            text=f"{'A seccomp filter' if filtered else 'The kernel'} {sure} single copies: "
            f"{consequence}",
            evidence=(*shown, *words, *(("the ranks run under a seccomp filter",) * filtered)),
            fix="Start the container with --cap-add=SYS_PTRACE, or with another seccomp profile.",
        )


_ENOUGH_BYTES = 1 << 30


def memory_lock(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks that may lock little memory, which RDMA needs."""
    own = seen.machine.lock_limit_bytes
    limited = [rank for rank in seen.ranks if _is_small(rank, seen, own)]
    if not limited:
        return
    limit, most = limited[0].lock_limit_bytes or 0, limited[0].lock_most_bytes
    devices = ", ".join(seen.machine.rdma)
    evidence = [
        f"{devices} needs it: without it libraries fail or take TCP"
        if devices
        else f"the shell that started leadline may lock {about_bytes(own) if own else 'all'}"
    ]
    if most is None or most > limit:
        fix = command.with_wrapper("prlimit", f"--memlock={most or 'unlimited'}")
    else:
        fix = (
            "Set memlock to unlimited in /etc/security/limits.conf, and LimitMEMLOCK of the batch "
            "system's daemon."
        )
    yield Fault(
        ranks=tuple(rank.rank for rank in limited),
        text=f"The ranks may lock {about_bytes(limit)} of memory only.",
        evidence=tuple(evidence),
        fix=fix,
    )


def _is_small(rank: Rank, seen: Observation, own: int | None) -> bool:
    limit = rank.lock_limit_bytes
    if limit is None:
        return False
    lowered = own is None or limit < own
    return lowered or (bool(seen.machine.rdma) and limit < _ENOUGH_BYTES)


def collectives_forced(seen: Observation, command: Command) -> Iterator[Fault]:
    """A setting that forces one algorithm of a collective at every size."""
    if not seen.ranks:
        return
    settings = forced_algorithms(seen.ranks[0].environment)
    if not settings:
        return
    names = " and ".join(dict.fromkeys(map(collective_of, settings)))
    yield Fault(
        ranks=tuple(rank.rank for rank in seen.ranks),
        text=f"{names} is forced to one algorithm at every size."
        if len(settings) == 1
        else f"{names} are forced to one algorithm each at every size.",
        evidence=tuple(f"{name}={value}" for name, value in settings.items()),
        fix=command.without_variables(settings),
    )
