"""Jobs and nodes as tables: what nobody knows has no column, and long texts are cut to fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from leadline.model.jobs import Job, Node, NodeKind
from leadline.terminal.text import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

_STYLES = {
    "running": "green", "ending": "green", "suspended": "magenta", "waiting": "yellow",
    "idle": "green", "mixed": "cyan", "allocated": "cyan", "drained": "magenta", "down": "bold red",
}  # fmt: skip
# No table is worth a longer cell; JSON has all of it.
_LONGEST = 100


class Grid(NamedTuple):
    """A table of texts.

    `numbers` are the columns that stand to the right, `styled` the one whose words have colours.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[str]
    styled: str = ""


def jobs_grid(jobs: Iterable[Job]) -> Grid:
    """Return one row a job."""
    rows = [
        {
            "job": job.id,
            "user": job.user,
            "name": job.name,
            "queue": job.queue,
            "state": job.phase,
            "nodes": _number(job.nodes),
            "cores": _number(job.cores),
            "processes": _number(job.processes),
            "busy cores": "" if job.busy_cores is None else f"{job.busy_cores:.2f}",
            "base node": job.base_node,
            "used": clock(job.used_s),
            "limit": clock(job.limit_s),
            "turn": _number(job.position),
            "waits for": job.reason,
            "command": job.command,
        }
        for job in jobs
    ]
    numbers = ("nodes", "cores", "processes", "busy cores", "used", "limit", "turn")
    return _grid(rows, numbers, "state")


def nodes_grid(nodes: Iterable[Node]) -> Grid:
    """Return one row a node."""
    rows = [
        {
            "node": node.name,
            "state": node.phase,
            "says": node.state if node.state != node.phase else "",
            **_alike(node),
            "in use": _number(node.cores_in_use),
            "free memory": _memory(node.free_memory_bytes),
            "load": "" if node.load is None else f"{node.load:.2f}",
            "note": node.note,
        }
        for node in nodes
    ]
    numbers = ("sockets", "cores", "threads", "in use", "memory", "free memory", "clock", "load")
    return _grid(rows, numbers, "state")


def kinds_grid(kinds: Iterable[NodeKind]) -> Grid:
    """Return one row a kind of node."""
    rows = [
        {
            "nodes": _number(kind.nodes),
            **_alike(kind),
            "idle": _number(kind.idle),
            "in use": _number(kind.in_use),
            "drained": _number(kind.drained or None),
            "down": _number(kind.down or None),
            "cores in use": _share(kind),
            "load": "" if kind.load is None else f"{kind.load:.2f}",
        }
        for kind in kinds
    ]
    numbers = (
        "nodes", "sockets", "cores", "threads", "memory", "clock", "idle", "in use", "drained",
        "down", "cores in use", "load",
    )  # fmt: skip
    return _grid(rows, numbers)


def _alike(node: Node | NodeKind) -> dict[str, str]:
    clock_hz = node.clock_hz
    return {
        "queue": ", ".join(node.queues),
        "architecture": node.architecture,
        "features": ", ".join(node.features),
        "sockets": _number(node.sockets),
        "cores": _number(node.cores),
        # One thread a core is nothing to tell.
        "threads": _number(node.threads_per_core) if node.threads_per_core != 1 else "",
        "memory": _memory(node.memory_bytes),
        "clock": "" if clock_hz is None else f"{clock_hz / 1e9:.2f} GHz",
    }


def _share(kind: NodeKind) -> str:
    if kind.cores_in_use is None or kind.cores is None:
        return ""
    return f"{kind.cores_in_use} of {kind.cores * kind.nodes}"


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _memory(size: int | None) -> str:
    return "" if size is None else f"{size / 2**30:.1f} GiB"


def clock(seconds: float | None) -> str:
    """Return a time as batch systems write it.

    >>> clock(93605.4), clock(65)
    ('1-02:00:05', '0:01:05')
    """
    if seconds is None:
        return ""
    whole = int(seconds)
    days, rest = divmod(whole, 86_400)
    hours = rest // 3600
    before = f"{days}-{hours:02d}" if days else f"{hours}"
    return f"{before}:{rest // 60 % 60:02d}:{rest % 60:02d}"


def one_line(text: str) -> str:
    r"""Return `text` as one line that cannot change the terminal, and not too long.

    >>> one_line("a\n\x1b[31mb")
    'a [31mb'
    """
    line = " ".join(printable(text).split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _grid(rows: Sequence[dict[str, str]], numbers: Iterable[str], styled: str = "") -> Grid:
    known = [name for name in (rows[0] if rows else {}) if any(row[name] for row in rows)]
    cells = tuple(tuple(one_line(row[name]) for name in known) for row in rows)
    return Grid(tuple(known), cells, frozenset(numbers), styled)


def drawn(grid: Grid, caption: str, lines: int | None = None) -> RenderableType:
    """Return the table and below it the caption; `lines` is the room that there is for both."""
    from rich import box
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, pad_edge=False)
    for name in grid.headings:
        # Cells are cut rather than broken into lines, and the longest column gives way first.
        number = name in grid.numbers
        table.add_column(Text(name), justify="right" if number else "left", overflow="ellipsis")
    # The heading, its rule and empty lines around, and the caption.
    room = len(grid.rows) if lines is None else max(1, lines - 6)
    for row in grid.rows[:room]:
        table.add_row(
            *(
                Text(cell, _style(grid, name, cell), no_wrap=True, overflow="ellipsis")
                for name, cell in zip(grid.headings, row, strict=True)
            )
        )
    hidden = len(grid.rows) - room
    told = f"{caption}; {hidden} more do not fit here" if hidden > 0 else caption
    below = Text(told, no_wrap=True, overflow="ellipsis")
    return Group(table, below) if grid.rows else below


def _style(grid: Grid, name: str, cell: str) -> str:
    return _STYLES.get(cell, "") if name == grid.styled else ""
