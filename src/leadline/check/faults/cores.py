"""Ranks and threads that share cores, or leave them idle: rules."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import at_work, confined, is_everywhere, pinned_by_openmp
from leadline.check.fault import Fault
from leadline.check.observation import Observation, Rank, format_cores, format_ranks
from leadline.check.settings import yielding
from leadline.core.units import count, percent


def cores_shared(seen: Observation, command: Command) -> Iterator[Fault]:
    """Several ranks confined to fewer cores than they are, while others are free."""
    crowded = confined(seen)
    if not crowded or pinned_by_openmp(seen, command):
        return
    cores, ranks = crowded
    if is_everywhere(seen, cores):
        return
    free = [core for core in seen.usable if core not in cores]
    ran = sum(thread.ran for rank in ranks for thread in rank.threads[:1]) / len(ranks)
    yield Fault(
        ranks=tuple(rank.rank for rank in ranks),
        text=f"{len(ranks)} ranks share {format_cores(cores)}, "
        f"while {len(free)} other core{'s are' if len(free) > 1 else ' is'} free.",
        evidence=(
            f"{format_ranks(rank.rank for rank in ranks)} may use {format_cores(cores)} only",
            f"each of them ran {percent(ran)} of the time",
        ),
        fix=command.bound(1),
    )


def threads_pinned_together(seen: Observation, command: Command) -> Iterator[Fault]:
    """OpenMP pins the threads of several ranks to the same cores."""
    crowded = confined(seen)
    name = pinned_by_openmp(seen, command)
    if not crowded or not name or is_everywhere(seen, crowded[0]):
        return
    cores, ranks = crowded
    threads = max(len({thread.cores for thread in rank.threads}) for rank in ranks)
    fits = threads * len(seen.ranks) <= len(seen.usable)
    yield Fault(
        ranks=tuple(rank.rank for rank in ranks),
        text=f"OpenMP pins threads of {len(ranks)} ranks to {format_cores(cores)}: "
        "each rank counts the cores as its own.",
        evidence=(
            f"{name}={ranks[0].environment[name]}",
            f"{command.launcher.title} did not bind {format_ranks(rank.rank for rank in ranks)}",
        ),
        fix=command.bound(threads if fits else 1),
    )


def threads_squeezed(seen: Observation, command: Command) -> Iterator[Fault]:
    """A rank with more threads at work than cores of its own."""
    if confined(seen):
        return
    squeezed = [
        rank for rank in seen.ranks if _is_alone(rank, seen) and at_work(rank) > len(rank.cores)
    ]
    if not squeezed:
        return
    needs = max(at_work(rank) for rank in squeezed)
    first = squeezed[0]
    fits = needs * len(seen.ranks) <= len(seen.usable)
    said = first.environment.get("OMP_NUM_THREADS", "")
    cores = len(first.cores)
    yield Fault(
        ranks=tuple(rank.rank for rank in squeezed),
        text=f"Each of {format_ranks(rank.rank for rank in squeezed)} runs {needs} threads on "
        f"{cores} core{'s' if cores > 1 else ''}."
        if len(squeezed) > 1
        else f"Rank {first.rank} runs {needs} threads on {cores} core{'s' if cores > 1 else ''}.",
        evidence=(
            f"rank {first.rank} may use {format_cores(first.cores)} only",
            f"OMP_NUM_THREADS is {said or 'not set'}",
        ),
        fix=command.bound(needs) if fits else command.with_variable("OMP_NUM_THREADS", str(cores)),
    )


def _is_alone(rank: Rank, seen: Observation) -> bool:
    """Tell whether a rank shares its cores with no other one."""
    return bool(rank.cores) and not any(
        set(rank.cores) & set(other.cores) for other in seen.ranks if other is not rank
    )


_JOBS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")


def oversubscribed(seen: Observation, command: Command) -> Iterator[Fault]:
    """More ranks, or more busy threads, than the host has cores for them."""
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


def hardware_threads_shared(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks bound to hardware threads of one core, while whole cores are free."""
    if confined(seen):
        return
    core_of = seen.machine.core_of
    by_core: dict[str, list[Rank]] = {}
    for rank in seen.ranks:
        cores = {core_of[cpu] for cpu in rank.cores if cpu in core_of}
        if len(cores) == 1:
            by_core.setdefault(cores.pop(), []).append(rank)
    together = [ranks for ranks in by_core.values() if len(ranks) > 1]
    taken = {core_of.get(cpu) for rank in seen.ranks for cpu in rank.cores}
    free = {core_of[cpu] for cpu in seen.usable if cpu in core_of} - taken
    if not together or not free:
        return
    ranks = [rank for each in together for rank in each]
    yield Fault(
        ranks=tuple(rank.rank for rank in ranks),
        text=f"{len(ranks)} ranks share {len(together)} core{'s' if len(together) > 1 else ''} by "
        f"hardware threads, while {len(free)} core{'s are' if len(free) > 1 else ' is'} free.",
        evidence=tuple(
            f"rank {rank.rank} may use {format_cores(rank.cores)}" for rank in ranks[:4]
        ),
        fix=command.bound(1),
    )


def yields_for_nothing(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks that give their core away while they wait, although nobody else needs it."""
    if len(seen.ranks) < 2 or confined(seen):
        return
    settings = yielding(seen.ranks[0].environment)
    if not settings:
        return
    yield Fault(
        ranks=tuple(rank.rank for rank in seen.ranks),
        text="Waiting ranks give their core away, although each has its own: messages take longer.",
        evidence=tuple(f"{name}={value}" for name, value in settings.items()),
        fix=command.without_variables(settings),
    )
