"""What the kernel and other programs take from the ranks: rules."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import busy_threads, confined
from leadline.check.fault import Fault
from leadline.check.observation import Observation, Rank, format_ranks
from leadline.core.units import about_bytes, number, percent

_NOTICEABLE = 0.02


def cpu_quota(seen: Observation, command: Command) -> Iterator[Fault]:
    """A control group that stops the ranks for part of the time."""
    rationed = [rank for rank in seen.ranks if rank.quota_cores is not None]
    if not rationed:
        return
    worst = min(rationed, key=lambda rank: rank.quota_cores or 0.0)
    quota = worst.quota_cores or 0.0
    stopped = max(rank.throttled_s for rank in rationed)
    share = stopped / max(seen.seconds, 0.1)
    if share < _NOTICEABLE and busy_threads(rationed) <= quota:
        return
    unlimited = "max" if worst.quota_file.endswith("cpu.max") else "-1"
    yield Fault(
        ranks=tuple(rank.rank for rank in rationed),
        text=f"{len(rationed)} rank{'s' if len(rationed) > 1 else ''} may use {number(quota)} "
        f"core{'s' if quota > 1 else ''} together: the kernel stops them.",
        evidence=(
            *([f"stopped {percent(min(share, 1.0))} of the time"] if share >= _NOTICEABLE else []),
            f"the limit is in {worst.quota_file}",
            "in a container or pod, raise its limit of CPUs (`docker update --cpus`)",
        ),
        fix=f"echo {unlimited} | sudo tee {worst.quota_file}",
    )


# sched(7).
_POLICIES = {3: "SCHED_BATCH", 5: "SCHED_IDLE"}


def low_priority(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks that everybody else on the host goes before."""
    low = {
        rank.rank: rank.threads[0]
        for rank in seen.ranks
        if rank.threads and (rank.threads[0].nice > 0 or rank.threads[0].policy in _POLICIES)
    }
    if not low:
        return
    first = next(iter(low.values()))
    words = {word.rpartition("/")[2] for word in (*command.before, *command.program)}
    pids = " ".join(str(rank.pid) for rank in seen.ranks if rank.rank in low)
    yield Fault(
        ranks=tuple(low),
        text=f"{format_ranks(low).capitalize()} run with low priority: other programs go first.",
        evidence=(
            f"the nice value is {first.nice}"
            if first.nice > 0
            else f"the scheduling policy is {_POLICIES[first.policy]}",
        ),
        fix=command.unconfined() if words & {"nice", "chrt"} else f"sudo renice -n 0 -p {pids}",
    )


def traced(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks that a debugger or tracer stops again and again."""
    traced = [rank for rank in seen.ranks if rank.tracer]
    if not traced:
        return
    words = {word.rpartition("/")[2] for word in (*command.before, *command.program)}
    yield Fault(
        ranks=tuple(rank.rank for rank in traced),
        text=f"A tracer or debugger holds {format_ranks(rank.rank for rank in traced)}: "
        "system calls take longer.",
        evidence=(f"rank {traced[0].rank} is traced by process {traced[0].tracer}",),
        fix=command.unconfined()
        if words & {"strace", "ltrace"}
        else f"kill {' '.join(sorted({str(rank.tracer) for rank in traced}))}",
    )


_MOST_NAMED = 3


def other_programs(seen: Observation, command: Command) -> Iterator[Fault]:
    """Other programs that take the cores which ranks want."""
    others = seen.machine.others
    room = len(seen.usable) - busy_threads(seen.ranks)
    if not others or confined(seen) or sum(each.cores for each in others) <= max(room, 0) + 0.2:
        return
    waiting = [
        (rank.rank, 1 - thread.ran / thread.wanted)
        for rank in seen.ranks
        for thread in rank.busy
        if thread.ran < 0.75 * thread.wanted
    ]
    if not waiting:
        return
    share = max(lost for _, lost in waiting)
    yield Fault(
        ranks=tuple(sorted({rank for rank, _ in waiting})),
        text=f"Other programs take the ranks' cores: a rank waited {percent(share)} of the time.",
        evidence=tuple(
            f"{each.command} (pid {each.pid}, {each.user}) used {number(each.cores)} cores"
            for each in others[:_MOST_NAMED]
        ),
        fix=f"sudo renice -n 19 -p {' '.join(str(each.pid) for each in others)}",
    )


_LEAST_SWAPPED = 1 << 20


def swapped(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks of which part lies on disk."""
    swapped = {
        rank.rank: rank.swapped_bytes for rank in seen.ranks if rank.swapped_bytes >= _LEAST_SWAPPED
    }
    if not swapped:
        return
    yield Fault(
        ranks=tuple(swapped),
        text=f"{about_bytes(sum(swapped.values()))} of {format_ranks(swapped)} lies in swap: "
        "this host has too little memory for them.",
        evidence=tuple(f"rank {rank}: {about_bytes(size)}" for rank, size in swapped.items()),
        fix=command.with_processes(max(seen.size // 2, 1)),
    )


_LEAST_MEMORY = 64 << 20
_MOST_FAR = 0.5


def memory_far(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks whose memory lies on another NUMA node than their cores."""
    far = {rank.rank: share for rank in seen.ranks if (share := _far(rank, seen)) > _MOST_FAR}
    if not far:
        return
    confined = {"numactl"} & {
        word.rpartition("/")[2] for word in (*command.before, *command.program)
    }
    yield Fault(
        ranks=tuple(far),
        text=f"{format_ranks(far).capitalize()} have {percent(max(far.values()))} of their "
        "memory on another NUMA node than their cores.",
        evidence=tuple(f"rank {rank}: {percent(share)} far" for rank, share in far.items()),
        fix=command.unconfined() if confined else command.with_wrapper("numactl", "--localalloc"),
    )


def _far(rank: Rank, seen: Observation) -> float:
    near = {seen.machine.node_of[core] for core in rank.cores if core in seen.machine.node_of}
    total = sum(rank.memory_bytes.values())
    if not near or total < _LEAST_MEMORY:
        return 0.0
    return sum(size for node, size in rank.memory_bytes.items() if node not in near) / total
