"""Slurm: `squeue`, `sinfo` and `scontrol`, in formats that all its versions know."""

import os
import re
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

from leadline.model.hosts import host_names
from leadline.model.jobs import Job, JobPhase, Limits, Node, NodePhase
from leadline.site.schedulers.job_source import (
    Source,
    answer,
    in_turn,
    seconds,
    sorted_jobs,
    with_local_clock,
)

_CONFIGURATIONS = (
    "/etc/slurm/slurm.conf",
    "/etc/slurm-llnl/slurm.conf",
    "/run/slurm/conf/slurm.conf",
)
_ADVICE = "`scontrol ping` says whether its controller is up"
_MIB = 2**20
# Variables by which people make Slurm's programs show less, and in other formats.
_NARROWING = ("SQUEUE_", "SINFO_")

_JOB = {
    "id": "i", "user": "u", "name": "j", "state": "T", "queue": "P", "nodes": "D", "cores": "C",
    "hosts": "N", "base": "B", "used": "M", "limit": "l", "priority": "Q", "reason": "r",
    "command": "o",
}  # fmt: skip
_NODE = {
    "name": "N", "state": "T", "sockets": "X", "per_socket": "Y", "threads": "Z", "cpus": "c",
    "used": "C", "memory": "m", "free": "e", "load": "O", "features": "f", "devices": "G",
    "queue": "P", "note": "E",
}  # fmt: skip

_PHASES: dict[str, JobPhase] = {
    "RUNNING": "running",
    "SIGNALING": "running",
    "RESIZING": "running",
    "STAGE_OUT": "ending",
    "COMPLETING": "ending",
    "SUSPENDED": "suspended",
    "STOPPED": "suspended",
}
_HELD = re.compile(r"JobHeld|Dependency|BeginTime|BadConstraints")
# What follows a state: does not answer, powers up or down, will reboot, is reserved.
_MARKS = "*~#!%$@^-+"
_DOWN = re.compile(
    r"down|fail$|error|unknown|inval|power|reboot|blocked|future|perfctrs|no_respond"
)
_DRAINED = re.compile(r"drain|drng|maint|fail")


def _here() -> bool:
    """Tell whether there are Slurm's programs, and a Slurm that they know of.

    A site whose configuration lies elsewhere names it.
    """
    program = shutil.which("squeue")
    if not program:
        return False
    named = [os.environ.get("SLURM_CONF"), os.environ.get("SLURM_CONF_SERVER")]
    beside = Path(program).parents[1] / "etc" / "slurm.conf"
    return any(named) or any(Path(each).exists() for each in (*_CONFIGURATIONS, beside))


def _jobs() -> tuple[Job, ...]:
    """Return all jobs; those that wait by priority, as Slurm comes to them."""
    rows = Rows(_JOB)
    output = _ask("squeue", "-h", "-a", "-o", rows.form)
    listed = [(_job(row), _whole(row["priority"]) or 0) for row in rows.read(output)]
    waiting = [(job, priority) for job, priority in listed if job.phase == "waiting"]
    turns = [job for job, _ in sorted(waiting, key=_turn) if not _HELD.match(job.reason)]
    held = [job for job, _ in waiting if _HELD.match(job.reason)]
    begun = [job for job, _ in listed if job.phase != "waiting"]
    return sorted_jobs([*begun, *in_turn(turns), *held])


def _nodes() -> tuple[Node, ...]:
    """Return all nodes, each once with all its partitions."""
    rows = Rows(_NODE)
    output = _ask("sinfo", "-h", "-a", "-N", "-o", rows.form)
    shown = _ask("scontrol", "--oneliner", "show", "nodes")
    architectures = dict(re.findall(r"^NodeName=(\S+) Arch=(\S+)", shown, re.MULTILINE))
    by_name: dict[str, list[dict[str, str]]] = {}
    for row in rows.read(output):
        by_name.setdefault(row["name"], []).append(row)
    return with_local_clock(
        _node(listed, architectures.get(name, "")) for name, listed in by_name.items()
    )


def _regions() -> tuple[Limits, ...]:
    """Return the partitions, those that are hidden too."""
    shown = _ask("scontrol", "--oneliner", "--all", "show", "partition")
    rows = (dict(re.findall(r"(\w+)=(\S*)", line)) for line in shown.splitlines())
    return tuple(_region(row) for row in rows if row.get("PartitionName"))


def _interactive() -> frozenset[str]:
    """Return the jobs of srun and salloc."""
    output = _ask("squeue", "-h", "-a", "-O", "JobArrayID:64,BatchFlag:8")
    rows = (line.split() for line in output.splitlines())
    return frozenset(row[0] for row in rows if len(row) == 2 and row[1] == "0")


def _running() -> frozenset[tuple[str, str]]:
    """Return the jobs that have begun, the parts of arrays by numbers of their own."""
    rows = Rows({"number": "A", "user": "u", "state": "T"})
    listed = rows.read(_ask("squeue", "-h", "-a", "-o", rows.form))
    return frozenset((row["number"], row["user"]) for row in listed if row["state"] in _PHASES)


class Rows:
    """Fields joined and rows ended by marks that are made anew for each question.

    `fields` holds the letter of Slurm's formats for each name. A job may be called anything, line
    breaks included; nobody can put a mark into a name that was chosen before it.
    """

    def __init__(self, fields: Mapping[str, str]) -> None:
        token = secrets.token_hex(8)
        self._names = tuple(fields)
        self._between, self._end = f"<{token}|", f"|{token}>"
        self.form = self._between.join(f"%{letter}" for letter in fields.values()) + self._end

    def read(self, text: str) -> list[dict[str, str]]:
        """Return the rows by name of field; one that was cut is left out."""
        rows = (row.removeprefix("\n").split(self._between) for row in text.split(self._end)[:-1])
        return [
            dict(zip(self._names, row, strict=True)) for row in rows if len(row) == len(self._names)
        ]


def _ask(*argv: str) -> str:
    return answer("Slurm", list(argv), _ADVICE, hidden=_NARROWING)


def _turn(listed: tuple[Job, int]) -> tuple[int, int]:
    job, priority = listed
    number = re.match(r"\d+", job.id)
    return -priority, int(number[0]) if number else 0


def _job(row: dict[str, str]) -> Job:
    phase = _PHASES.get(row["state"], "waiting")
    begun = phase != "waiting"
    hosts = tuple(host_names(row["hosts"])) if begun else ()
    return Job(
        id=row["id"],
        user=row["user"],
        name=row["name"],
        phase=phase,
        state=row["state"],
        queue=row["queue"],
        nodes=_whole(row["nodes"]),
        cores=_whole(row["cores"]),
        hosts=hosts,
        base_node=row["base"] if row["base"] in hosts else next(iter(hosts), ""),
        used_s=seconds(row["used"]) if begun else None,
        limit_s=seconds(row["limit"]),
        command="" if row["command"] == "(null)" else row["command"],
        reason="" if begun or row["reason"] == "None" else row["reason"],
    )


def _region(row: Mapping[str, str]) -> Limits:
    allowed = [
        f"{kind} {row[key]}"
        for key, kind in (("AllowGroups", "groups"), ("AllowAccounts", "accounts"))
        if row.get(key, "ALL") != "ALL"
    ]
    return Limits(
        name=row["PartitionName"],
        state=row.get("State", "").lower(),
        open=row.get("State") == "UP",
        default=row.get("Default") == "YES",
        least_nodes=_whole(row.get("MinNodes", "")) or None,
        most_nodes=_whole(row.get("MaxNodes", "")),
        most_s=seconds(row.get("MaxTime", "")),
        default_s=seconds(row.get("DefaultTime", "")),
        priority=_whole(row.get("PriorityTier", row.get("Priority", ""))),
        for_whom=", ".join([*allowed, *(["root"] if row.get("RootOnly") == "YES" else [])]),
    )


def _node(rows: list[dict[str, str]], architecture: str) -> Node:
    row = rows[0]
    cores = (_whole(row["sockets"]) or 0) * (_whole(row["per_socket"]) or 0) or None
    allocated, cpus = _whole(row["used"]), _whole(row["cpus"])
    # Slurm's CPUs are cores or hardware threads, as the site has it.
    in_use = -(-allocated * cores // cpus) if allocated is not None and cores and cpus else None
    devices = (device.partition("(")[0] for device in _words(row["devices"]))
    memory, free = _whole(row["memory"]), _whole(row["free"])
    return Node(
        name=row["name"],
        phase=node_phase(row["state"], in_use or 0, cores or 0),
        state=row["state"],
        queues=tuple(sorted({each["queue"].rstrip("*") for each in rows})),
        features=(*_words(row["features"]), *devices),
        architecture=architecture,
        sockets=_whole(row["sockets"]),
        cores=cores,
        threads_per_core=_whole(row["threads"]),
        cores_in_use=in_use,
        # 1 MiB is what Slurm says of a node for which nobody configured memory.
        memory_bytes=memory * _MIB if memory and memory > 1 else None,
        free_memory_bytes=None if free is None else free * _MIB,
        load=_number(row["load"]),
        note="" if row["note"] == "none" else row["note"],
        reserved=row["state"].startswith("res") or "$" in row["state"],
    )


def node_phase(state: str, in_use: int, cores: int) -> NodePhase:
    """Return what a state of `sinfo` means on a node with so many of its cores in use.

    >>> node_phase("idle*", 0, 4), node_phase("draining", 4, 4), node_phase("drained", 0, 4)
    ('down', 'allocated', 'drained')
    """
    word = state.rstrip(_MARKS)
    if "*" in state or _DOWN.search(word):
        return "down"
    if in_use:
        return "allocated" if in_use >= cores else "mixed"
    if _DRAINED.search(word):
        return "drained"
    return "allocated" if word.startswith(("alloc", "comp")) else "idle"


def _words(text: str) -> tuple[str, ...]:
    return () if text in ("", "(null)") else tuple(re.split(r",(?![^(]*\))", text))


def _whole(text: str) -> int | None:
    found = re.match(r"\d+", text)
    return int(found[0]) if found else None


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d+(\.\d+)?", text) else None


SOURCE = Source("slurm", 10, _here, _jobs, _nodes, _regions, _interactive, _running)
