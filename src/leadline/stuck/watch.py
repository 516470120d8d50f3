"""Looking at a job for a second: where its ranks are, and which came a step further."""

import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from leadline.check import look
from leadline.check.ranks import Found
from leadline.core.errors import UserError
from leadline.site.hardware.files import Files
from leadline.stuck import job as seen
from leadline.stuck.current import Awaiting, NodeFile, Standing, node_files
from leadline.stuck.job import Call, Job, Process, Rank, Request
from leadline.stuck.processes import Processes
from leadline.stuck.stacks import call_of, stacks
from leadline.stuck.target import RECORDING, Target, find_target

Ask = Callable[[Iterable[int], Iterable[int]], dict[int, tuple[str, ...]]]
LOOK_S = 0.8
# Ranks that have only just left a call are not held for their stack.
_LONG_S = 1.0
_LOOKS = 5
# Launchers tell a rank how many of its job are on its host.
_LOCAL_SIZES = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_LOCAL_SIZE")
_PYTHON = "python"


def watch(
    text: str,
    files: Files | None = None,
    seconds: float = LOOK_S,
    sleep: Callable[[float], None] = time.sleep,
    ask: Ask = stacks,
) -> Job:
    """Look at the job that `text` means for so many seconds, and return what was seen.

    `ask` returns the stacks of processes. Raises `UserError` where `text` means no parallel job
    that runs.
    """
    files = files or Files()
    target = find_target(text, files)
    if target.folder is None:
        return _from_outside(target, files, seconds, sleep, ask)
    return _recorded(target.folder, target.pids, files, seconds, sleep, ask)


def _recorded(
    folder: Path,
    pids: Mapping[int, int],
    files: Files,
    seconds: float,
    sleep: Callable[[float], None],
    ask: Ask,
) -> Job:
    nodes = node_files(folder)
    try:
        here = platform.node()[:63]
        first = [list(node.standings()) for node in nodes]
        own = {
            each.pid: _pid(files, each, pids)
            for node, standings in zip(nodes, first, strict=True)
            if node.host == here
            for each in standings
        }
        processes = Processes(files)
        began = time.monotonic()
        for look_number in range(_LOOKS):
            if look_number:
                sleep(seconds / (_LOOKS - 1))
            processes.look(set(own.values()))
        last = [list(node.standings()) for node in nodes]
        now = time.monotonic()
        if not any(map(len, last)):
            raise UserError(f"{folder} has no rank yet: ask again when the program has begun")
        senders = {
            each.rank: (node, each)
            for node, standings in zip(nodes, last, strict=True)
            for each in standings
            if each.rank is not None
        }
        told = _stacks_outside_mpi(files, last, own, processes, ask)
        ranks: list[Rank] = []
        for node, before, after in zip(nodes, first, last, strict=True):
            at_first = {each.pid: each for each in before}
            for each in after:
                process = None
                if node.host == here:
                    pid = own.get(each.pid, each.pid)
                    process = msgspec.structs.replace(processes.seen(pid), stack=told.get(pid, ()))
                awaiting = tuple(_request(each, one, senders) for one in each.awaiting)
                ranks.append(
                    _rank(
                        files,
                        node,
                        each,
                        at_first.get(each.pid),
                        process,
                        now,
                        now - began,
                        awaiting,
                    )
                )
    finally:
        for node in nodes:
            node.close()
    if all(rank.has_ended or rank.is_dead for rank in ranks):
        raise UserError(f"the job of {folder} has ended: give one that runs")
    return Job(
        ranks=tuple(sorted(ranks, key=lambda each: each.rank)),
        size=max(node.ranks_total for node in nodes),
        seconds=now - began,
        library=nodes[0].library,
        recording=str(folder),
    )


def _pid(files: Files, standing: Standing, pids: Mapping[int, int]) -> int:
    """Return the process of a rank as this host numbers it."""
    environment = look.environment_of(files, standing.pid)
    if environment and RECORDING not in environment:
        # The number is another process's now, or that of a rank in a container.
        return pids.get(standing.rank, 0) if standing.rank is not None else 0
    if not files.exists(f"/proc/{standing.pid}") and standing.rank is not None:
        return pids.get(standing.rank, standing.pid)
    return standing.pid


def _request(
    waiting: Standing, one: Awaiting, senders: Mapping[int, tuple[NodeFile, Standing]]
) -> Request:
    """Return what a rank waits for; of a sender that has sent more since, it may have come."""
    has_begun = one.has_begun
    if one.sent is not None and waiting.rank is not None and one.peer in senders:
        node, sender = senders[one.peer]
        now = node.messages(sender, waiting.rank)
        has_begun = has_begun or (now is not None and now > one.sent)
    return Request(
        peer=one.peer,
        tag=one.tag,
        sends=one.sends,
        receives=one.receives,
        is_collective=one.is_collective,
        has_begun=has_begun,
        communicator=one.communicator,
        number=one.number,
    )


def _rank(
    files: Files,
    node: NodeFile,
    now: Standing,
    before: Standing | None,
    process: Process | None,
    clock_s: float,
    seconds: float,
    awaiting: tuple[Request, ...],
) -> Rank:
    grown = _grown(before, now) if before else {}
    tested = sum(
        count for function, count in grown.items() if node_kind(node, function) in seen.IDLE
    )
    moved = before is None or _moved(before, now, tested, sum(grown.values()) - tested)
    since = now.since_s if process is not None else None
    # A wait for one message is about that message.
    one = awaiting[0] if len(awaiting) == 1 and not awaiting[0].is_collective else now
    pause = None
    if now.calls and since is not None:
        pause = max(since - now.started_s - now.mpi_s, 0.0) / now.calls
    called: dict[str, set[int]] = {}
    for (function, bits), count in now.called.items():
        if count:
            called.setdefault(function, set()).add(bits)
    return Rank(
        rank=now.rank if now.rank is not None else _number(files, process),
        pid=process.pid if process else now.pid,
        host=node.host,
        state=now.state,
        call=Call(
            function=now.function,
            kind=now.kind,
            place=now.place,
            communicator=one.communicator if now.function else None,
            number=now.number,
            peer=one.peer,
            tag=one.tag,
            root=now.root,
            bytes=now.bytes,
            awaiting=awaiting,
            since_s=max(clock_s - since, 0.0) if since is not None else None,
        ),
        process=process,
        moved=moved,
        polls=0.0 if moved else tested / seconds,
        called={function: frozenset(sizes) for function, sizes in called.items()},
        usual_pause_s=pause,
    )


def node_kind(node: NodeFile, function: str) -> int:
    """Return the kind of a function of that name."""
    return next((each.kind for each in node.functions if each.name == function), seen.OTHER)


def _grown(before: Standing, now: Standing) -> dict[str, int]:
    """Return how many calls of each function have ended between two looks."""
    grown: dict[str, int] = {}
    for key, count in now.called.items():
        if more := count - before.called.get(key, 0):
            grown[key[0]] = grown.get(key[0], 0) + more
    return grown


def _moved(before: Standing, now: Standing, tested: int, others: int) -> bool:
    """Tell whether a rank came a step further: tests that find nothing are none.

    Of all calls between two looks so many were tests, and so many `others`.
    """
    if before.state != now.state or others:
        return True
    # A rank that tests does so while its counters are read, one after the other: they differ by
    # what it did meanwhile. Calls that are in no row are counted with the others only.
    if now.calls - before.calls > 2 * tested:
        return True
    at_first, at_last = _step(before), _step(now)
    if tested:
        # Between two tests it is in its own code again and again.
        at_first, at_last = at_first[:1], at_last[:1]
    return at_first != at_last


def _step(standing: Standing) -> tuple[object, ...]:
    if standing.kind in seen.IDLE:
        return ("", None)
    return (standing.function, standing.since_ticks)


def _number(files: Files, process: Process | None) -> int:
    """Return the rank of a process that has not passed MPI_Init, -1 where nobody tells."""
    from leadline.check.launchers import LAUNCHERS, number

    environment = look.environment_of(files, process.pid) if process else {}
    found = (number(environment, each.rank) for each in LAUNCHERS)
    return next((each for each in found if each is not None), -1)


def _stacks_outside_mpi(
    files: Files,
    nodes: Sequence[Sequence[Standing]],
    own: Mapping[int, int],
    processes: Processes,
    ask: Ask,
) -> dict[int, tuple[str, ...]]:
    """Return the stacks of ranks that are in their own code while other ranks are in MPI."""
    standings = [each for node in nodes for each in node if each.state == seen.RUNNING]
    waiting = [each for each in standings if each.function and each.kind not in seen.IDLE]
    now = time.monotonic()
    outside = [
        own[each.pid]
        for each in standings
        if own.get(each.pid) and not each.function and now - (each.since_s or now) > _LONG_S
    ]
    if not waiting:
        return {}
    seen_now = ((pid, processes.seen(pid)) for pid in outside)
    running = (pid for pid, one in seen_now if not (one.is_gone or one.is_stopped))
    return _stacks(files, running, ask)


def _stacks(files: Files, pids: Iterable[int], ask: Ask) -> dict[int, tuple[str, ...]]:
    asked = list(pids)
    python = [
        pid
        for pid in asked
        if files.link(f"/proc/{pid}/exe").rpartition("/")[2].startswith(_PYTHON)
    ]
    return ask(asked, python) if asked else {}


def _from_outside(
    target: Target, files: Files, seconds: float, sleep: Callable[[float], None], ask: Ask
) -> Job:
    processes = Processes(files)
    pids = [each.pid for each in target.found]
    began = time.monotonic()
    for look_number in range(_LOOKS):
        if look_number:
            sleep(seconds / (_LOOKS - 1))
        processes.look(pids)
    elapsed = time.monotonic() - began
    looked = {each.rank: processes.seen(each.pid) for each in target.found}
    running = (each.pid for each in looked.values() if not (each.is_gone or each.is_stopped))
    told = _stacks(files, running, ask)
    ranks = [
        _outside_rank(each, msgspec.structs.replace(process, stack=told.get(each.pid, ())))
        for each in target.found
        for process in (looked[each.rank],)
    ]
    size = max(each.size for each in target.found)
    return Job(
        ranks=tuple(sorted([*ranks, *_lost(target.found, size)], key=lambda each: each.rank)),
        size=size,
        seconds=elapsed,
        calls_known=False,
    )


def _outside_rank(found: Found, process: Process) -> Rank:
    function, place = call_of(process.stack)
    return Rank(
        rank=found.rank,
        pid=found.pid,
        host=platform.node(),
        call=Call(function=function, place=place, kind=seen.OTHER if function else 0),
        process=process,
    )


def _lost(found: Sequence[Found], size: int) -> list[Rank]:
    """Return the ranks of this host that are not there any more; none where it has not all."""
    local = max(
        (
            int(each.environment[name])
            for each in found
            for name in _LOCAL_SIZES
            if each.environment.get(name, "").isdigit()
        ),
        default=0,
    )
    if local != size or len(found) >= size:
        return []
    there = {each.rank for each in found}
    return [
        Rank(rank=rank, host=platform.node(), process=Process(pid=0, state=""))
        for rank in range(size)
        if rank not in there
    ]
