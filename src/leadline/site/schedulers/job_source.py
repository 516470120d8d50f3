"""Sources of jobs and nodes: what each is, how it is asked, and what its answers promise."""

import os
import platform
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from leadline.core.errors import UserError
from leadline.core.plugins import plugins_of_folders
from leadline.core.processes import NOT_HERE, ProgramOutput, ask
from leadline.model.jobs import Job, Limits, Node, NodeKind
from leadline.site.hardware import processors
from leadline.site.hardware.files import Files

_SYSTEMS = "leadline.site.schedulers"
# A view is looked at: who waits longer than this wants to know that nothing comes.
LIMIT_S = 20.0
_PHASES = ("running", "ending", "suspended", "waiting")


class NoAnswer(Exception):
    """The system does not answer now. Its text is one line that says which one, and why."""


class Source(NamedTuple):
    """A system that knows jobs and nodes. One file each, found by its `SOURCE`.

    `name` is the word that stands for it in `--system`; of those that are `here`, which is told
    without asking them, the one of the least `order` is asked. `jobs` are those that run or wait:
    those that run first, then those that wait in turn. `nodes` are all, in the system's order,
    `regions` its partitions or queues, and `interactive` the jobs at which somebody sits, those
    that are no script. `running` are the numbers of those that have begun, as the environment of
    their processes has them, each with its user. All five raise `NoAnswer`.
    """

    name: str
    order: int
    here: Callable[[], bool]
    jobs: Callable[[], tuple[Job, ...]]
    nodes: Callable[[], tuple[Node, ...]]
    regions: Callable[[], tuple[Limits, ...]] = tuple
    interactive: Callable[[], frozenset[str]] = frozenset
    running: Callable[[], frozenset[tuple[str, str]]] = frozenset


def sources() -> list[Source]:
    """Return every source, those to be asked first in front."""
    found: list[Source] = plugins_of_folders(_SYSTEMS, "jobs", "SOURCE")
    return sorted(found, key=lambda source: source.order)


def source(name: str = "") -> Source:
    """Return the source called `name`, or the first that is here where none is named.

    Raises `UserError` where there is none of that name.
    """
    known = sources()
    for each in known:
        if each.name == name if name else each.here():
            return each
    raise UserError(f"no system {name!r}: there is {', '.join(each.name for each in known)}")


def answer(system: str, argv: list[str], advice: str, hidden: tuple[str, ...] = ()) -> str:
    """Return what a system's program prints.

    Raises `NoAnswer` with the program's own first words and `advice` where it fails or hangs.
    """
    result = ask_all(argv, hidden)
    if result.status:
        raise failure(system, argv, result, advice)
    return result.output


def failure(system: str, argv: list[str], result: ProgramOutput, advice: str) -> NoAnswer:
    """Return what to raise for a program that failed: one line."""
    lines = [line.strip() for line in result.errors.splitlines() if line.strip()]
    words = lines[0][:200] if lines else f"status {result.status}"
    words = words.removeprefix(f"{argv[0]}: ").removeprefix("error: ")
    more = "" if words == NOT_HERE else f" ({advice})"
    return NoAnswer(f"{system} does not answer: {argv[0]}: {words}{more}")


def ask_all(argv: list[str], hidden: tuple[str, ...] = ()) -> ProgramOutput:
    """Return what a program says of all jobs and nodes, however it ends.

    It does not see variables that begin with `hidden`: people make such programs show less.
    """
    shown = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    return ask(argv, LIMIT_S, shown)


def seconds(text: str) -> float | None:
    """Return the seconds of a time of a batch system; None for words such as UNLIMITED.

    >>> seconds("1-02:00:00"), seconds("10:05"), seconds("UNLIMITED")
    (93600.0, 605.0, None)
    """
    match = re.fullmatch(r"(?:(\d+)-)?([\d:]+)", text)
    if not match:
        return None
    clock = 0
    for part in match[2].split(":"):
        clock = 60 * clock + int(part or 0)
    return float(int(match[1] or 0) * 86_400 + clock)


def in_turn(waiting: Iterable[Job]) -> list[Job]:
    """Return jobs that wait, the next one first, with their position in their queue.

    A job that asks for several queues has its best position of them.
    """
    ahead: Counter[str] = Counter()
    placed = []
    for job in waiting:
        queues = job.queue.split(",")
        position = 1 + min(ahead[queue] for queue in queues)
        ahead.update(queues)
        placed.append(msgspec.structs.replace(job, position=position))
    return placed


def sorted_jobs(jobs: Iterable[Job]) -> tuple[Job, ...]:
    """Return the jobs as `Source.jobs` promises them; equals stay in the order given."""

    def place(job: Job) -> tuple[int, float]:
        return _PHASES.index(job.phase), float("inf") if job.position is None else job.position

    return tuple(sorted(jobs, key=place))


def with_local_clock(nodes: Iterable[Node], files: Files | None = None) -> tuple[Node, ...]:
    """Return the nodes; the one that is this machine has the frequency of its processor."""
    here = platform.node().partition(".")[0]
    frequency = processors.nominal_frequency(files or Files())
    clock_hz = frequency[0] if frequency else None
    return tuple(
        msgspec.structs.replace(node, clock_hz=clock_hz)
        if node.name.partition(".")[0] == here
        else node
        for node in nodes
    )


def kinds(nodes: Iterable[Node]) -> tuple[NodeKind, ...]:
    """Return the kinds of the nodes, in the order in which their first nodes come."""
    groups: dict[Any, list[Node]] = defaultdict(list)
    for node in nodes:
        size = (node.sockets, node.cores, node.threads_per_core, node.memory_bytes)
        words = (frozenset(node.queues), frozenset(node.features), node.architecture)
        groups[(words, size)].append(node)
    return tuple(_kind(alike) for alike in groups.values())


def _kind(nodes: Sequence[Node]) -> NodeKind:
    first = nodes[0]
    in_use = [node.cores_in_use for node in nodes if node.cores_in_use is not None]
    loads = [node.load for node in nodes if node.load is not None]
    phases = [node.phase for node in nodes]
    shared = ("queues", "features", "architecture", "sockets", "cores", "threads_per_core")
    return NodeKind(
        **{name: getattr(first, name) for name in (*shared, "memory_bytes")},
        clock_hz=next((node.clock_hz for node in nodes if node.clock_hz), None),
        nodes=len(nodes),
        idle=phases.count("idle"),
        in_use=phases.count("mixed") + phases.count("allocated"),
        drained=phases.count("drained"),
        down=phases.count("down"),
        cores_in_use=sum(in_use) if in_use else None,
        load=round(sum(loads) / len(loads), 2) if loads else None,
    )
