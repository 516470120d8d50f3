"""Jobs and nodes as tables: what the system does not tell has no column."""

from collections.abc import Iterable, Sequence

import msgspec

from leadline.model.jobs import CoresByKind, Job, Node, NodeKind, Region
from leadline.output.table import Column, Table, table_of
from leadline.output.terminal.text import one_line

_STATES = {
    "running": "green", "ending": "green", "suspended": "magenta", "waiting": "yellow",
    "idle": "green", "mixed": "cyan", "allocated": "cyan", "drained": "magenta", "down": "bold red",
}  # fmt: skip


def jobs_table(jobs: Iterable[Job]) -> Table:
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
    return _table(
        rows,
        numbers=("nodes", "cores", "processes", "busy cores", "used", "limit", "turn"),
        long=("name", "waits for", "command"),
        spare=("command", "queue", "processes", "base node", "limit", "cores", "name"),
    )


def nodes_table(nodes: Iterable[Node]) -> Table:
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
    return _table(
        rows,
        numbers=(
            "sockets", "cores", "threads", "in use", "memory", "free memory", "clock", "load",
        ),
        long=("queue", "features", "note"),
        spare=("says", "sockets", "threads", "free memory", "architecture", "features", "queue"),
    )  # fmt: skip


def kinds_table(kinds: Iterable[NodeKind]) -> Table:
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
    return _table(
        rows,
        numbers=(
            "nodes", "sockets", "cores", "threads", "memory", "clock", "idle", "in use", "drained",
            "down", "cores in use", "load",
        ),
        long=("queue", "features"),
        spare=("sockets", "threads", "architecture", "load", "features", "clock", "queue"),
    )  # fmt: skip


def regions_table(regions: Iterable[Region]) -> Table:
    """Return one row a region: its limits, its nodes, and its cores by what they do."""
    rows = [
        {
            "region": region.name + ("*" if region.default else ""),
            "state": region.state,
            "for": region.for_whom,
            "time at most": clock(region.most_s) or "any",
            "unless said": clock(region.default_s),
            "nodes a job": _range(region.least_nodes, region.most_nodes),
            "cores a job": _number(region.most_cores),
            "priority": _number(region.priority),
            "nodes": _number(region.nodes),
            "nodes idle": _number(region.idle),
            "nodes in use": _number(region.in_use),
            "cores: batch": _number(region.cores.batch),
            "interactive": _number(region.cores.interactive or None),
            "others": _number(region.cores.others or None),
            "idle": _number(region.cores.idle),
            "reserved": _number(region.cores.reserved or None),
            "drained": _number(region.cores.drained or None),
            "down": _number(region.cores.down or None),
            "running": _number(region.running),
            "waiting": _number(region.waiting),
        }
        for region in regions
    ]
    texts = ("region", "state", "for", "nodes a job")
    return _table(
        rows,
        numbers=tuple(name for name in (rows[0] if rows else {}) if name not in texts),
        long=("for",),
        spare=(
            "priority", "for", "unless said", "cores a job", "nodes in use", "nodes idle", "others",
            "drained", "reserved",
        ),
    )  # fmt: skip


def kinds_text(cores: CoresByKind) -> str:
    """Return cores by kind in a line, those of which there are none left out.

    >>> kinds_text(CoresByKind(batch=4, idle=2, down=2))
    '8 cores: 4 batch, 2 idle, 2 down'
    """
    counts = msgspec.structs.asdict(cores)
    words = [f"{number} {kind}" for kind, number in counts.items() if number]
    return f"{sum(counts.values())} cores: {', '.join(words)}" if words else ""


def _range(least: int | None, most: int | None) -> str:
    if most is None:
        return f"{least} or more" if least else ""
    return f"{least or 1}-{most}" if most > 1 else str(most)


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


def _table(
    rows: Sequence[dict[str, str]],
    numbers: Sequence[str],
    long: Sequence[str],
    spare: Sequence[str],
) -> Table:
    """Return the table of `rows`, each a text by column; a column without any text is left out.

    Where there is no room, columns of `spare` are left out, the first one first.
    """
    known = [name for name in (rows[0] if rows else {}) if any(row[name] for row in rows)]
    columns = (
        Column(
            name,
            kind="number" if name in numbers else "text",
            cut=name in long,
            spare=len(spare) - spare.index(name) if name in spare else 0,
            styles=tuple(_STATES.items()) if name == "state" else (),
        )
        for name in known
    )
    return table_of(columns, ([one_line(row[name]) for name in known] for row in rows))
