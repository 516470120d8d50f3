"""More ranks, or more busy threads, than the host has cores for them."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import at_work, confined, is_everywhere
from leadline.check.fault import Fault
from leadline.check.observation import Observation, Rank, format_cores
from leadline.core.units import count, percent

GRAVITY = 15
_JOBS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")


def find(seen: Observation, command: Command) -> Iterator[Fault]:
    """Tell of ranks or threads that take turns on all the cores that there are."""
    crowded = confined(seen)
    if crowded:
        cores, ranks = crowded
        if is_everywhere(seen, cores):
            yield _by_ranks(seen, command, cores, ranks)
        return
    cores = tuple(sorted({core for rank in seen.ranks for core in rank.cores}))
    busy = sum(map(at_work, seen.ranks))
    shared = len(cores) < sum(len(rank.cores) for rank in seen.ranks)
    if not cores or busy <= len(cores) or not shared:
        return
    each = max(len(cores) // len(seen.ranks), 1)
    said = seen.ranks[0].environment.get("OMP_NUM_THREADS", "")
    yield Fault(
        ranks=tuple(rank.rank for rank in seen.ranks),
        text=f"{count(len(seen.ranks), 'rank')} run {busy} threads on {len(cores)} cores.",
        evidence=(
            f"OMP_NUM_THREADS is {said or 'not set'}",
            f"a thread that wanted a core had it {percent(_had(seen.ranks))} of the time",
        ),
        fix=command.with_variable("OMP_NUM_THREADS", str(each)),
    )


def _by_ranks(
    seen: Observation, command: Command, cores: tuple[int, ...], ranks: tuple[Rank, ...]
) -> Fault:
    hidden = [core for core in seen.machine.online if core not in cores]
    in_job = any(name in rank.environment for rank in ranks for name in _JOBS)
    evidence = [f"a rank that wanted a core had it {percent(_had(ranks))} of the time"]
    fix = command.with_processes(len(cores))
    if hidden and not in_job:
        everything = ",".join(map(str, seen.machine.online))
        evidence.append(f"this shell is confined: the host has {format_cores(seen.machine.online)}")
        fix = f"taskset -cp {everything} $$"
    return Fault(
        ranks=tuple(rank.rank for rank in ranks),
        text=f"{len(ranks)} ranks share {count(len(cores), 'core')}, all that they may use here.",
        evidence=tuple(evidence),
        fix=fix,
    )


def _had(ranks: tuple[Rank, ...]) -> float:
    threads = [thread for rank in ranks for thread in rank.busy]
    return sum(thread.ran / thread.wanted for thread in threads) / max(len(threads), 1)
