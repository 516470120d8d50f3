"""The answer to `leadline check`, as the shape that `--json` prints."""

import msgspec

from leadline.check.fault import Fault
from leadline.check.faults import find_faults
from leadline.check.observation import Observation, Thread
from leadline.check.transports import Transport, collective_components, transports


class CheckedThread(msgspec.Struct, frozen=True, kw_only=True):
    """A thread: where it may run and was seen, and which share of the look it wanted and had."""

    thread: int
    name: str
    cores: tuple[int, ...]
    seen_on: tuple[int, ...]
    wanted: float
    ran: float


class CheckedRank(msgspec.Struct, frozen=True, kw_only=True):
    """A rank as the kernel has it."""

    rank: int
    host: str
    pid: int
    cores: tuple[int, ...]
    threads: tuple[CheckedThread, ...]
    library: str


class LaunchCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in a look at a command.

    `elsewhere` counts ranks on other hosts, which were not looked at. `status` is the exit status
    of the command, null where it was still running. `not_judged` names rules that failed, with the
    error.
    """

    findings: tuple[Fault, ...]
    ranks: tuple[CheckedRank, ...]
    transports: tuple[Transport, ...]
    collectives: tuple[str, ...]
    launcher: str
    command: tuple[str, ...]
    seconds: float
    elsewhere: int
    status: int | None
    not_judged: tuple[str, ...] = ()


def report(seen: Observation) -> LaunchCheck:
    """Return the answer for an observation: what is wrong in it, and what was seen."""
    faults, failed = find_faults(seen)
    return LaunchCheck(
        findings=faults,
        ranks=tuple(
            CheckedRank(
                rank=rank.rank,
                host=rank.host,
                pid=rank.pid,
                cores=rank.cores,
                threads=tuple(map(_thread, rank.threads)),
                library=rank.mpi[0].path if rank.mpi else "",
            )
            for rank in seen.ranks
        ),
        transports=transports(seen),
        collectives=collective_components(seen),
        launcher=seen.launcher,
        command=seen.command,
        seconds=round(seen.seconds, 2),
        elsewhere=seen.elsewhere,
        status=seen.status,
        not_judged=failed,
    )


def _thread(thread: Thread) -> CheckedThread:
    names = CheckedThread.__struct_fields__
    return CheckedThread(**{name: getattr(thread, name) for name in names})
