"""Ranks and threads that share cores, or leave them idle: rules."""

from collections.abc import Iterator

from leadline.check.command import Command
from leadline.check.crowding import at_work, confined, is_everywhere, pinned_by_openmp
from leadline.check.fault import Fault, assigned, fault, named
from leadline.check.observation import Observation, Rank, format_cores
from leadline.check.settings import yielding
from leadline.core.units import count, percent
from leadline.site.schedulers.batch_system import JOB_VARIABLES

_THREADS = "OMP_NUM_THREADS"


def _are_free(free: int, what: str) -> str:
    return f"while {count(free, what)} {'is' if free == 1 else 'are'} free"


def _requested_threads(rank: Rank) -> str:
    return f"{_THREADS} is {rank.environment.get(_THREADS) or 'not set'}"


def cores_shared(seen: Observation, command: Command) -> Iterator[Fault]:
    """Several ranks confined to fewer cores than they are, while others are free."""
    crowded = confined(seen)
    if not crowded or pinned_by_openmp(seen, command) or is_everywhere(seen, crowded[0]):
        return
    cores, ranks = crowded
    free = len(set(seen.usable) - set(cores))
    ran = sum(thread.ran for rank in ranks for thread in rank.threads[:1]) / len(ranks)
    yield fault(
        ranks,
        f"{len(ranks)} ranks share {format_cores(cores)}, {_are_free(free, 'other core')}.",
        command.bound(1),
        f"{named(ranks)} may use {format_cores(cores)} only",
        f"each of them ran {percent(ran)} of the time",
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
    yield fault(
        ranks,
        f"OpenMP pins threads of {len(ranks)} ranks to {format_cores(cores)}: "
        "each rank counts the cores as its own.",
        command.bound(threads if fits else 1),
        f"{name}={ranks[0].environment[name]}",
        f"{command.launcher.title} did not bind {named(ranks)}",
    )


def threads_squeezed(seen: Observation, command: Command) -> Iterator[Fault]:
    """A rank with more threads at work than cores of its own."""
    squeezed = [
        rank for rank in seen.ranks if _is_alone(rank, seen) and at_work(rank) > len(rank.cores)
    ]
    if confined(seen) or not squeezed:
        return
    needs = max(map(at_work, squeezed))
    first = squeezed[0]
    cores = len(first.cores)
    fits = needs * len(seen.ranks) <= len(seen.usable)
    each = "Each of " if len(squeezed) > 1 else ""
    yield fault(
        squeezed,
        f"{each}{named(squeezed)} runs {needs} threads on {count(cores, 'core')}.",
        command.bound(needs) if fits else command.with_variable(_THREADS, str(cores)),
        f"rank {first.rank} may use {format_cores(first.cores)} only",
        _requested_threads(first),
    )


def _is_alone(rank: Rank, seen: Observation) -> bool:
    others = {core for other in seen.ranks if other is not rank for core in other.cores}
    return bool(rank.cores) and not others & set(rank.cores)


def oversubscribed(seen: Observation, command: Command) -> Iterator[Fault]:
    """More ranks, or more busy threads, than the host has cores for them."""
    crowded = confined(seen)
    if crowded:
        if is_everywhere(seen, crowded[0]):
            yield _by_ranks(seen, command, *crowded)
        return
    cores = {core for rank in seen.ranks for core in rank.cores}
    busy = sum(map(at_work, seen.ranks))
    shared = len(cores) < sum(len(rank.cores) for rank in seen.ranks)
    if not cores or busy <= len(cores) or not shared:
        return
    yield fault(
        seen.ranks,
        f"{count(len(seen.ranks), 'rank')} run {busy} threads on {len(cores)} cores.",
        command.with_variable(_THREADS, str(max(len(cores) // len(seen.ranks), 1))),
        _requested_threads(seen.ranks[0]),
        f"a thread that wanted a core had it {percent(_had(seen.ranks))} of the time",
    )


def _by_ranks(
    seen: Observation, command: Command, cores: tuple[int, ...], ranks: tuple[Rank, ...]
) -> Fault:
    online = seen.machine.online
    in_job = any(name in rank.environment for rank in ranks for name in JOB_VARIABLES)
    evidence = [f"a rank that wanted a core had it {percent(_had(ranks))} of the time"]
    fix = command.with_processes(len(cores))
    if set(online) - set(cores) and not in_job:
        evidence.append(f"this shell is confined: the host has {format_cores(online)}")
        fix = f"taskset -cp {','.join(map(str, online))} $$"
    text = f"{len(ranks)} ranks share {count(len(cores), 'core')}, all that they may use here."
    return fault(ranks, text, fix, *evidence)


def _had(ranks: tuple[Rank, ...]) -> float:
    threads = [thread for rank in ranks for thread in rank.busy]
    return sum(thread.ran / thread.wanted for thread in threads) / max(len(threads), 1)


def hardware_threads_shared(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks bound to hardware threads of one core, while whole cores are free."""
    core_of = seen.machine.core_of
    by_core: dict[str, list[Rank]] = {}
    for rank in seen.ranks:
        cores = {core_of[cpu] for cpu in rank.cores if cpu in core_of}
        if len(cores) == 1:
            by_core.setdefault(cores.pop(), []).append(rank)
    together = [ranks for ranks in by_core.values() if len(ranks) > 1]
    taken = {core_of.get(cpu) for rank in seen.ranks for cpu in rank.cores}
    free = {core_of[cpu] for cpu in seen.usable if cpu in core_of} - taken
    if confined(seen) or not together or not free:
        return
    ranks = [rank for each in together for rank in each]
    yield fault(
        ranks,
        f"{len(ranks)} ranks share {count(len(together), 'core')} by hardware threads, "
        f"{_are_free(len(free), 'core')}.",
        command.bound(1),
        *(f"rank {rank.rank} may use {format_cores(rank.cores)}" for rank in ranks[:4]),
    )


def yields_for_nothing(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks that give their core away while they wait, although nobody else needs it."""
    settings = yielding(seen.ranks[0].environment) if len(seen.ranks) > 1 else {}
    if settings and not confined(seen):
        yield fault(
            seen.ranks,
            "Waiting ranks give their core away, although each has its own: messages take longer.",
            command.without_variables(settings),
            *assigned(settings),
        )
