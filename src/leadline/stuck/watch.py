"""Looking at a job for a second: where its ranks are, and which came a step further."""

import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from leadline.check import look
from leadline.check.launchers import LAUNCHERS, number
from leadline.check.ranks import Found
from leadline.core.errors import UserError
from leadline.explain.ending import read_end
from leadline.site.hardware.files import Files
from leadline.stuck.current import NodeFile, Standing, node_files
from leadline.stuck.job import HABIT, IDLE, OTHER, RUNNING, Call, Job, Process, Rank, Request
from leadline.stuck.processes import Processes
from leadline.stuck.stacks import call_of, stacks
from leadline.stuck.target import JOBS, RECORDING, Target, find_target

Ask = Callable[[Iterable[int], Iterable[int]], dict[int, tuple[str, ...]]]
Senders = Mapping[int | None, tuple[NodeFile, Standing]]
LOOK_S = 0.8
# Ranks that have only just left a call are not held for their stack.
_LONG_S = 1.0
_LOOKS = 5
# Launchers tell a rank how many of its job are on its host.
_LOCAL_SIZES = ("MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_LOCAL_SIZE")


def watch(
    text: str,
    files: Files | None = None,
    seconds: float = LOOK_S,
    sleep: Callable[[float], None] = time.sleep,
    ask: Ask = stacks,
    clock: Callable[[], float] = time.monotonic,
) -> Job:
    """Look at the job that `text` means for so many seconds, and return what was seen.

    `ask` returns the stacks of processes. Raises `UserError` where `text` means no parallel job
    that runs.
    """
    files = files or Files()
    target = find_target(text, files)
    watcher = _Watcher(files, seconds, sleep, ask, clock)
    if target.folder is None:
        return watcher.from_outside(target.found)
    return watcher.recorded(target.folder, target)


@dataclass
class _Watcher:
    """A look of some seconds at the processes of a job, and what was seen of them."""

    files: Files
    seconds: float
    sleep: Callable[[float], None]
    ask: Ask
    clock: Callable[[], float]
    processes: Processes = field(init=False)
    looked_s: float = 0.0

    def __post_init__(self) -> None:
        self.processes = Processes(self.files, self.clock)

    def recorded(self, folder: Path, target: Target) -> Job:
        """Return a job whose ranks write where they are into the files of a folder."""
        if target.by_process and not any(folder.glob("*.explain")):
            raise _no_rank(folder)
        with ExitStack() as opened:
            nodes = node_files(folder)
            for node in nodes:
                opened.callback(node.close)
            first = {node: list(node.standings()) for node in nodes}
            here = [node for node in nodes if node.host == platform.node()[:63]]
            pids = {each.pid: self._pid(each, target) for node in here for each in first[node]}
            self._look(set(pids.values()))
            last = {node: list(node.standings()) for node in nodes}
            now = self.clock()
            if not any(last.values()):
                raise _no_rank(folder)
            senders = {each.rank: (node, each) for node in nodes for each in last[node]}
            standings = [each for node in nodes for each in last[node]]
            functions = self._stacks_outside_mpi(standings, pids)
            ranks = []
            for node in nodes:
                before = {each.pid: each for each in first[node]}
                for each in last[node]:
                    process, clock = None, None
                    if node in here:
                        process = self._process(pids.get(each.pid, each.pid), functions)
                        clock = now
                    rank = self._rank(node, before.get(each.pid), each, process, clock, senders)
                    ranks.append(rank)
        if all(rank.has_ended or rank.is_dead for rank in ranks):
            return self._at_its_end(folder)
        return Job(
            ranks=tuple(sorted(_with_lines(ranks, folder), key=lambda each: each.rank)),
            size=max(node.ranks_total for node in nodes),
            seconds=self.looked_s,
            library=nodes[0].library,
            recording=str(folder),
        )

    def _at_its_end(self, folder: Path) -> Job:
        """Return where the ranks of a program were that was ended: it may have hung."""
        with ExitStack() as opened:
            nodes = node_files(folder)
            for node in nodes:
                opened.callback(node.close)
            standings = {node: list(node.standings()) for node in nodes}
            senders = {each.rank: (node, each) for node in nodes for each in standings[node]}
            ends = [read_end(folder, node.host) for node in nodes]
            ranks = [
                _stayed(self._rank(node, each, each, None, (end or 0) * 1e-9, senders))
                for node, end in zip(nodes, ends, strict=True)
                for each in standings[node]
            ]
        if all(rank.has_ended for rank in ranks) or None in ends:
            raise UserError(f"the job of {folder} has ended: give one that runs")
        return Job(
            ranks=tuple(sorted(_with_lines(ranks, folder), key=lambda each: each.rank)),
            size=max(node.ranks_total for node in nodes),
            seconds=0.0,
            library=nodes[0].library,
            recording=str(folder),
            has_ended=True,
        )

    def from_outside(self, found: Sequence[Found]) -> Job:
        """Return a job of which only the processes on this host are seen."""
        self._look([each.pid for each in found])
        functions = self._stacks([each.pid for each in found])
        ranks = [_outside_rank(each, self._process(each.pid, functions)) for each in found]
        size = max(each.size for each in found)
        return Job(
            ranks=tuple(sorted([*ranks, *_lost(found, size)], key=lambda each: each.rank)),
            size=size,
            seconds=self.looked_s,
            calls_known=False,
        )

    def _look(self, pids: Iterable[int]) -> None:
        began = self.clock()
        for look_number in range(_LOOKS):
            if look_number:
                self.sleep(self.seconds / (_LOOKS - 1))
            self.processes.look(pids)
        self.looked_s = self.clock() - began

    def _process(self, pid: int, functions: Mapping[int, tuple[str, ...]]) -> Process:
        return msgspec.structs.replace(self.processes.seen(pid), stack=functions.get(pid, ()))

    def _pid(self, standing: Standing, target: Target) -> int:
        """Return the process of a rank as this host numbers it."""
        environment = look.environment_of(self.files, standing.pid)
        if environment and environment.keys().isdisjoint((RECORDING, JOBS)):
            # The number is another process's now, or that of a rank in a container.
            return 0 if standing.rank is None else target.pids.get(standing.rank, 0)
        if standing.rank is not None and not self.files.exists(f"/proc/{standing.pid}"):
            return target.pids.get(standing.rank, standing.pid)
        return standing.pid

    def _rank(
        self,
        node: NodeFile,
        before: Standing | None,
        now: Standing,
        process: Process | None,
        clock_s: float | None,
        senders: Senders,
    ) -> Rank:
        """Return a rank; `clock_s` is the time on its host, None where that is not known."""
        moved, tests = _step_between(node, before, now)
        since = now.since_s if clock_s is not None else None
        pause = None
        if now.calls >= HABIT and since is not None:
            pause = max(since - now.started_s - now.mpi_s, 0.0) / now.calls
        awaiting = tuple(_request(now.rank, one, senders) for one in now.call.awaiting)
        call = msgspec.structs.replace(
            now.call,
            awaiting=awaiting,
            since_s=max(clock_s - since, 0.0) if clock_s is not None and since else None,
        )
        if len(awaiting) == 1 and not awaiting[0].is_collective:
            # A wait for one message is about that message.
            one = awaiting[0]
            call = msgspec.structs.replace(
                call, communicator=one.communicator, peer=one.peer, tag=one.tag
            )
        called: dict[str, set[int]] = {}
        for (function, bits), count in now.called.items():
            if count:
                called.setdefault(function, set()).add(bits)
        return Rank(
            rank=now.rank if now.rank is not None else self._number(process),
            pid=process.pid if process else now.pid,
            host=node.host,
            state=now.state,
            call=call,
            process=process,
            moved=moved,
            polls=0.0 if moved or not tests else tests / self.looked_s,
            called={function: frozenset(sizes) for function, sizes in called.items()},
            usual_pause_s=pause,
        )

    def _number(self, process: Process | None) -> int:
        """Return the rank of a process that has not passed MPI_Init, -1 where nobody tells."""
        environment = look.environment_of(self.files, process.pid) if process else {}
        known = (number(environment, each.rank) for each in LAUNCHERS)
        return next((each for each in known if each is not None), -1)

    def _stacks_outside_mpi(
        self, standings: Sequence[Standing], pids: Mapping[int, int]
    ) -> dict[int, tuple[str, ...]]:
        """Return the stacks of ranks that are in their own code while other ranks are in MPI."""
        running = [each for each in standings if each.state == RUNNING]
        if not any(each.call.function and each.call.kind not in IDLE for each in running):
            return {}
        now = self.clock()
        return self._stacks(
            pids[each.pid]
            for each in running
            if pids.get(each.pid)
            and not each.call.function
            and now - (each.since_s or now) > _LONG_S
        )

    def _stacks(self, pids: Iterable[int]) -> dict[int, tuple[str, ...]]:
        seen = [self.processes.seen(pid) for pid in pids]
        running = [each.pid for each in seen if not (each.is_gone or each.is_stopped)]
        programs = {pid: Path(self.files.link(f"/proc/{pid}/exe")).name for pid in running}
        python = [pid for pid, name in programs.items() if name.startswith("python")]
        return self.ask(running, python) if running else {}


def _no_rank(folder: Path) -> UserError:
    """Return what is said of a program of which no rank has come to MPI_Init."""
    return UserError(f"{folder} has no rank yet: ask again when the program has begun MPI")


def _with_lines(ranks: Sequence[Rank], folder: Path) -> list[Rank]:
    """Return the ranks with the lines of their calls in the program's source, where it has them."""
    from leadline.explain.places import find_lines, read_lines
    from leadline.explain.recording import Site

    sites = [Site(each.call.place, each.call.file, each.call.address) for each in ranks]
    kept = read_lines(folder)
    lines = find_lines(set(sites)) if kept is None else kept
    return [
        msgspec.structs.replace(
            rank,
            call=msgspec.structs.replace(
                rank.call,
                place=Site(site.text, site.file, site.address, lines.get(site.key, "")).where,
            ),
        )
        for rank, site in zip(ranks, sites, strict=True)
    ]


def _stayed(rank: Rank) -> Rank:
    """Return a rank at its program's end: it went on unless it had been there for long."""
    went_on = not rank.has_ended and (rank.call.since_s or 0.0) < _LONG_S
    return msgspec.structs.replace(rank, moved=went_on)


def _request(rank: int | None, one: Request, senders: Senders) -> Request:
    """Return what a rank waits for; of a sender that has sent more since, it may have come."""
    if one.sent is None or rank is None or one.peer not in senders:
        return one
    node, sender = senders[one.peer]
    now = node.messages(sender, rank)
    begun = one.has_begun or (now is not None and now > one.sent)
    return msgspec.structs.replace(one, has_begun=begun)


def _step_between(node: NodeFile, before: Standing | None, now: Standing) -> tuple[bool, int]:
    """Tell whether a rank came a step further between two looks, and how often it tested."""
    if before is None:
        return True, 0
    calls = _calls_between(before, now)
    kinds = {each.name: each.kind for each in node.functions}
    tests = sum(count for name, count in calls.items() if kinds.get(name, OTHER) in IDLE)
    return _moved(before, now, tests, calls.total() - tests), tests


def _calls_between(before: Standing, now: Standing) -> Counter[str]:
    """Return how many calls of each function have ended between two looks."""
    calls: Counter[str] = Counter()
    for key, count in now.called.items():
        calls[key[0]] += count - before.called.get(key, 0)
    return calls


def _moved(before: Standing, now: Standing, tests: int, others: int) -> bool:
    """Tell whether a rank came a step further: tests that find nothing are none.

    Of all calls between two looks so many were tests, and so many `others`.
    """
    if before.state != now.state or others:
        return True
    # A rank that tests does so while its counters are read, one after the other: they differ by
    # what it did meanwhile. Calls that are in no row are counted with the others only.
    if now.calls - before.calls > 2 * tests:
        return True
    at_first, at_last = _step(before), _step(now)
    if tests:
        # Between two tests it is in its own code again and again.
        at_first, at_last = at_first[:1], at_last[:1]
    return at_first != at_last


def _step(standing: Standing) -> tuple[object, ...]:
    if standing.call.kind in IDLE:
        return ("", None)
    return (standing.call.function, standing.since_ticks)


def _outside_rank(found: Found, process: Process) -> Rank:
    function, place = call_of(process.stack)
    return Rank(
        rank=found.rank,
        pid=found.pid,
        host=platform.node(),
        call=Call(function=function, place=place, kind=OTHER if function else 0),
        process=process,
    )


def _lost(found: Sequence[Found], size: int) -> list[Rank]:
    """Return the ranks of this host that are not there any more; none where it has not all."""
    sizes = (number(each.environment, [name]) or 0 for each in found for name in _LOCAL_SIZES)
    if max(sizes, default=0) != size:
        return []
    there = {each.rank for each in found}
    return [
        Rank(rank=rank, host=platform.node(), process=Process(pid=0, state=""))
        for rank in range(size)
        if rank not in there
    ]
