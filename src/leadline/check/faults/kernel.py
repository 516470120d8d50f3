"""What the kernel and other programs take from the ranks: rules."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import busy_threads, confined
from leadline.check.fault import Fault, fault, named
from leadline.check.observation import Observation, Rank
from leadline.core.units import about_bytes, count, number, percent

_NOTICEABLE = 0.02


def cpu_quota(seen: Observation, command: Command) -> Iterator[Fault]:
    """A control group that stops the ranks for part of the time."""
    rationed = [rank for rank in seen.ranks if rank.quota_cores is not None]
    if not rationed:
        return
    worst = min(rationed, key=lambda rank: rank.quota_cores or 0.0)
    quota = worst.quota_cores or 0.0
    share = max(rank.throttled_s for rank in rationed) / max(seen.seconds, 0.1)
    if share < _NOTICEABLE and busy_threads(rationed) <= quota:
        return
    stopped = f"stopped {percent(min(share, 1.0))} of the time"
    unlimited = "max" if worst.quota_file.endswith("cpu.max") else "-1"
    yield fault(
        rationed,
        f"{count(len(rationed), 'rank')} may use {number(quota)} core{'s' if quota > 1 else ''} "
        "together: the kernel stops them.",
        f"echo {unlimited} | sudo tee {worst.quota_file}",
        *([stopped] if share >= _NOTICEABLE else []),
        f"the limit is in {worst.quota_file}",
        "in a container or pod, raise its limit of CPUs (`docker update --cpus`)",
    )


# sched(7).
_POLICIES = {3: "SCHED_BATCH", 5: "SCHED_IDLE"}


def low_priority(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks that everybody else on the host goes before."""
    low = [
        rank
        for rank in seen.ranks
        if rank.threads and (rank.threads[0].nice > 0 or rank.threads[0].policy in _POLICIES)
    ]
    if not low:
        return
    first = low[0].threads[0]
    pids = " ".join(str(rank.pid) for rank in low)
    yield fault(
        low,
        f"{named(low)} run with low priority: other programs go first.",
        command.unconfined() if command.wraps("nice", "chrt") else f"sudo renice -n 0 -p {pids}",
        f"the nice value is {first.nice}"
        if first.nice > 0
        else f"the scheduling policy is {_POLICIES[first.policy]}",
    )


def traced(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks that a debugger or tracer stops again and again."""
    held = [rank for rank in seen.ranks if rank.tracer]
    if not held:
        return
    tracers = " ".join(sorted({str(rank.tracer) for rank in held}))
    yield fault(
        held,
        f"A tracer or debugger holds {named(held)}: system calls take longer.",
        command.unconfined() if command.wraps("strace", "ltrace") else f"kill {tracers}",
        f"rank {held[0].rank} is traced by process {held[0].tracer}",
    )


_MOST_NAMED = 3


def other_programs(seen: Observation, command: Command) -> Iterator[Fault]:
    """Other programs that take the cores which ranks want."""
    others = seen.machine.others
    room = len(seen.usable) - busy_threads(seen.ranks)
    if not others or confined(seen) or sum(each.cores for each in others) <= max(room, 0) + 0.2:
        return
    waiting = [
        (rank, 1 - thread.ran / thread.wanted)
        for rank in seen.ranks
        for thread in rank.busy
        if thread.ran < 0.75 * thread.wanted
    ]
    if not waiting:
        return
    share = percent(max(lost for _, lost in waiting))
    yield fault(
        {rank.rank: rank for rank, _ in waiting}.values(),
        f"Other programs take the ranks' cores: a rank waited {share} of the time.",
        f"sudo renice -n 19 -p {' '.join(str(each.pid) for each in others)}",
        *(
            f"{each.command} (pid {each.pid}, {each.user}) used {number(each.cores)} cores"
            for each in others[:_MOST_NAMED]
        ),
    )


_LEAST_SWAPPED = 1 << 20


def swapped(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks of which part lies on disk."""
    out = [rank for rank in seen.ranks if rank.swapped_bytes >= _LEAST_SWAPPED]
    if not out:
        return
    total = about_bytes(sum(rank.swapped_bytes for rank in out))
    yield fault(
        out,
        f"{total} of {named(out)} lies in swap: this host has too little memory for them.",
        command.with_processes(max(seen.size // 2, 1)),
        *(f"rank {rank.rank}: {about_bytes(rank.swapped_bytes)}" for rank in out),
    )


_LEAST_MEMORY = 64 << 20
_MOST_FAR = 0.5


def memory_far(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks whose memory lies on another NUMA node than their cores."""
    shares = [_far(rank, seen) for rank in seen.ranks]
    far = [rank for rank, share in zip(seen.ranks, shares, strict=True) if share > _MOST_FAR]
    if not far:
        return
    yield fault(
        far,
        f"{named(far)} have {percent(max(shares))} of their memory on another NUMA node than "
        "their cores.",
        command.unconfined()
        if command.wraps("numactl")
        else command.with_wrapper("numactl", "--localalloc"),
        *(f"rank {rank.rank}: {percent(_far(rank, seen))} far" for rank in far),
    )


def _far(rank: Rank, seen: Observation) -> float:
    near = {seen.machine.node_of[core] for core in rank.cores if core in seen.machine.node_of}
    total = sum(rank.memory_bytes.values())
    if not near or total < _LEAST_MEMORY:
        return 0.0
    return sum(size for node, size in rank.memory_bytes.items() if node not in near) / total
