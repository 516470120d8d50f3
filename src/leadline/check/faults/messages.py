"""The ways that messages take between ranks: rules."""

import os
import re
from collections.abc import Iterator, Sequence

from leadline.check.command import Command
from leadline.check.fault import Fault, assigned, fault, named
from leadline.check.observation import Observation, Rank, format_ranks
from leadline.check.settings import collective_of, copying_twice, forced_algorithms, narrowing
from leadline.core.units import about_bytes, count

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
    talking = {each.rank for each in away}
    yield fault(
        (rank for rank in seen.ranks if rank.rank in talking),
        f"Messages to other hosts go by TCP, and {', '.join(seen.machine.rdma)} is not used.",
        command.without_variables(settings)
        if settings
        else "Install an MPI with UCX or libfabric for this network (`leadline mpi` lists yours).",
        f"{about_bytes(moved)} went to {', '.join(sorted({each.address for each in away}))}",
        "no rank has opened a device of it",
        *assigned(settings),
    )


_MEANING = {
    "ipc": "System V shared memory",
    "pid": "process numbers",
    "user": "users, so that single copies are refused",
}


def namespaces_apart(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks of one host in containers of their own, which share no memory."""
    apart = seen.separate_views
    numbers = {rank.rank for each in apart.values() for rank in each}
    if not apart:
        return
    yield fault(
        (rank for rank in seen.ranks if rank.rank in numbers),
        f"{format_ranks(numbers)} run in namespaces of their own: memory is hard to share.",
        command.unconfined()
        if command.wraps("unshare")
        else "Start one container a host and all its ranks in it (`apptainer instance start`), or "
        "let the containers share IPC, PID and user namespaces.",
        *(f"each has its own {_MEANING[kind]}" for kind in apart),
    )


# Libraries that wire themselves up by TCP move less than this.
_WIRING_BYTES = 256 * 1024


def tcp_inside_node(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks of one host that talk by TCP instead of shared memory."""
    ranks = {rank.rank: rank for rank in seen.ranks}
    carrying, involved = [], set()
    for each in seen.connections:
        one, other = ranks.get(each.rank), ranks.get(-1 if each.other is None else each.other)
        if one is None or other is None or _host(one) != _host(other):
            continue
        if (each.moved_bytes or 0) > _WIRING_BYTES or not {*one.segments} & {*other.segments}:
            carrying.append(each)
            involved |= {one.rank, other.rank}
    talking = [ranks[number] for number in sorted(involved)]
    settings = narrowing(talking[0].environment) if talking else {}
    # Without room for shared memory, that is the fault.
    is_consequence = not settings and _lacks_shared_memory(seen)
    if not carrying or seen.separate_views or is_consequence:
        return
    moved = sum(each.moved_bytes or 0 for each in carrying)
    yield fault(
        talking,
        f"{named(talking)} talk by TCP, not by shared memory.",
        command.without_variables(settings) if settings else _open(seen, command),
        f"{about_bytes(moved)} went through {count(len(carrying), 'connection')} in the look",
        *assigned(settings),
    )


def _host(rank: Rank) -> tuple[str | None, ...]:
    """Return what makes a host of its own of a part of this one, as in a virtual cluster."""
    return rank.namespaces.get("uts"), rank.namespaces.get("net")


def _open(seen: Observation, command: Command) -> str:
    libraries = seen.ranks[0].libraries
    if not seen.elsewhere and any(each.name.startswith("libucp.") for each in libraries):
        # UCX takes TCP for large messages where single copies are refused.
        return command.with_variable("UCX_TLS", "^tcp")
    if command.launcher.name.startswith("openmpi"):
        shared = "vader" if command.launcher.name == "openmpi4" else "sm"
        return command.with_variable("OMPI_MCA_btl", f"self,{shared},tcp")
    return "Install an MPI that was built with shared memory, or give the ranks one /dev/shm."


_FREE_BYTES_PER_RANK = 16 << 20
_SIZE_BYTES_PER_RANK = 64 << 20


def _remount(seen: Observation, rank: Rank, option: str) -> str:
    """Return the command that mounts the rank's /dev/shm again with an option."""
    apart = rank.namespaces.get("mnt") != seen.machine.namespaces.get("mnt")
    inside = f"nsenter --mount --target {rank.pid} " if apart else ""
    return f"sudo {inside}mount -o remount,{option} /dev/shm"


def _lacks_shared_memory(seen: Observation) -> bool:
    is_read_only = any(rank.shared_memory_read_only for rank in seen.ranks)
    return is_read_only or _has_little_room(seen.ranks)


def _has_little_room(ranks: Sequence[Rank]) -> bool:
    free = [rank.shared_memory_free_bytes for rank in ranks]
    known = [each for each in free if each is not None]
    return len(known) > 1 and min(known) < _FREE_BYTES_PER_RANK * len(known)


def shared_memory_read_only(seen: Observation, command: Command) -> Iterator[Fault]:
    """A /dev/shm in which the ranks of this host cannot make files."""
    ranks = [rank for rank in seen.ranks if rank.shared_memory_read_only]
    if len(ranks) < 2:
        return
    yield fault(
        ranks,
        f"/dev/shm is read-only for {len(ranks)} ranks: libraries share memory in it, or fail.",
        _remount(seen, ranks[0], "rw"),
        "a container takes --tmpfs /dev/shm, or --ipc=host",
    )


def shared_memory_small(seen: Observation, command: Command) -> Iterator[Fault]:
    """A /dev/shm that is too small for the ranks of this host."""
    ranks = [rank for rank in seen.ranks if rank.shared_memory_free_bytes is not None]
    if not _has_little_room(ranks):
        return
    free = min(rank.shared_memory_free_bytes or 0 for rank in ranks)
    size = min(rank.shared_memory_bytes or 0 for rank in ranks)
    wanted = f"size={max(_SIZE_BYTES_PER_RANK * len(ranks), 2 * size) >> 20}m"
    yield fault(
        ranks,
        f"/dev/shm has {about_bytes(free)} free for {len(ranks)} ranks: "
        "a full one ends jobs with a bus error.",
        _remount(seen, ranks[0], wanted),
        f"its size is {about_bytes(size)}",
        f"a container takes --shm-{wanted}",
    )


# What Open MPI and UCX write when the kernel refuses.
_WORDS = re.compile(
    r"Read -1, expected \d+, errno = \d+|restrictive ptrace settings|CMA support is not available"
    r"|process_vm_readv failed|process_vm_readv\([^)]*\)[^\n]*not permitted",
    re.IGNORECASE,
)
_FILTERED = 2
_TWICE = "large messages between ranks of this host are copied twice."


def single_copy_refused(seen: Observation, command: Command) -> Iterator[Fault]:
    """Large messages inside a host that are copied twice: copying once is refused or off."""
    refused = _WORDS.search(seen.output)
    if not refused and (len(seen.ranks) < 2 or seen.apart):
        return
    settings = copying_twice(seen.ranks[0].environment) if seen.ranks else {}
    error, scope = seen.machine.reading_error, seen.machine.ptrace_scope
    if scope == 1 and not refused:
        # Libraries ask for leave then (PR_SET_PTRACER of prctl(2)), which this try does not.
        error = 0
    filtered = any(rank.seccomp == _FILTERED for rank in seen.ranks)
    words = [f'the program wrote "{refused[0]}"'] if refused else []
    if settings and not error:
        text = f"{' and '.join(settings)} forbids single copies: {_TWICE}"
        fix = command.without_variables(settings)
        yield fault(seen.ranks, text, fix, *assigned(settings))
    elif "MPIDI_CMA" in seen.output:
        # MPICH 5 does not fall back: it aborts.
        text = "The kernel refuses single copies, and MPICH aborts at the first large message."
        fix = command.with_variable("MPIR_CVAR_CH4_CMA_ENABLE", "0")
        yield fault(seen.ranks, text, fix, *words)
    elif scope and (error or refused):
        text = f"yama refuses single copies: {_TWICE}"
        fix = "sudo sysctl kernel.yama.ptrace_scope=0"
        yield fault(seen.ranks, text, fix, f"kernel.yama.ptrace_scope is {scope}", *words)
    elif error or refused or (filtered and seen.machine.seccomp != _FILTERED):
        sure = "refuses" if error or refused else "is likely to refuse"
        yield fault(
            seen.ranks,
            f"{'A seccomp filter' if filtered else 'The kernel'} {sure} single copies: {_TWICE}",
            "Start the container with --cap-add=SYS_PTRACE, or with another seccomp profile.",
            *([f"process_vm_readv fails: {os.strerror(error)}"] if error else []),
            *words,
            *(["the ranks run under a seccomp filter"] if filtered else []),
        )


_ENOUGH_BYTES = 1 << 30


def memory_lock(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks that may lock little memory, which RDMA needs."""
    ulimit = seen.machine.lock_limit_bytes
    limited = [rank for rank in seen.ranks if _is_small(rank.lock_limit_bytes, seen)]
    if not limited:
        return
    limit, most = limited[0].lock_limit_bytes or 0, limited[0].lock_most_bytes
    yield fault(
        limited,
        f"The ranks may lock {about_bytes(limit)} of memory only.",
        command.with_wrapper("prlimit", f"--memlock={most or 'unlimited'}")
        if most is None or most > limit
        else "Set memlock to unlimited in /etc/security/limits.conf, and LimitMEMLOCK of the batch "
        "system's daemon.",
        f"{', '.join(seen.machine.rdma)} needs it: without it libraries fail or take TCP"
        if seen.machine.rdma
        else f"the shell that started leadline may lock {about_bytes(ulimit) if ulimit else 'all'}",
    )


def _is_small(limit: int | None, seen: Observation) -> bool:
    ulimit = seen.machine.lock_limit_bytes
    if limit is None:
        return False
    return ulimit is None or limit < ulimit or (bool(seen.machine.rdma) and limit < _ENOUGH_BYTES)


def collectives_forced(seen: Observation, command: Command) -> Iterator[Fault]:
    """A setting that forces one algorithm of a collective at every size."""
    settings = forced_algorithms(seen.ranks[0].environment) if seen.ranks else {}
    if not settings:
        return
    names = " and ".join(dict.fromkeys(map(collective_of, settings)))
    forced = "is forced to one algorithm"
    if len(settings) > 1:
        forced = "are forced to one algorithm each"
    text = f"{names} {forced} at every size."
    yield fault(seen.ranks, text, command.without_variables(settings), *assigned(settings))
