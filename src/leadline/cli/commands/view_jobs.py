"""`leadline view queue`, `nodes` and `hosts`: jobs, the nodes that there are, and host files."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Group, RenderableType

from leadline.cli.commands.view import Draw, show, system_option, taken, watch_option
from leadline.cli.options import Shared, argument, declared, option, print_json
from leadline.core.errors import UserError
from leadline.core.units import count
from leadline.model.jobs import CoresByKind, Job, Region
from leadline.output.table import Table, table_of
from leadline.output.terminal.jobs import (
    jobs_table,
    kinds_table,
    kinds_text,
    nodes_table,
    regions_table,
)
from leadline.output.terminal.order import heading, remarks, rows
from leadline.output.terminal.table import Drawn, print_table
from leadline.site.schedulers.job_source import NoAnswer, Source, kinds, source
from leadline.site.schedulers.regions import count_cores, fill_regions
from leadline.topology.host_file import explain

_STATES = ("running", "ending", "suspended", "waiting")
_AROUND = 6


@declared()
def command(
    system: str = system_option,
    users: str = option("Only jobs of these users.", "--user NAME,...", default=""),
    states: str = option(
        f"Only jobs in these states: {', '.join(_STATES)}.", "--state STATE,...", default=""
    ),
    as_json: bool = Shared.json,
    watch: float | None = watch_option,
) -> None:
    """Show the jobs that run or wait.

    Of each job: whose, how large, where, how long, and what it waits for. Above them the partitions
    or queues: their limits, nodes, and cores by state.

    Without a batch system: what takes processors on this machine.
    """
    wanted = _words(states)
    for state in wanted:
        if state not in _STATES:
            raise UserError(f"no state {state!r}: there is {', '.join(_STATES)}")
    asked = source(system)
    show(lambda: _look(asked, _words(users), wanted), watch, as_json)


def _words(text: str) -> frozenset[str]:
    return frozenset(filter(None, (word.strip() for word in text.split(","))))


def _look(asked: Source, users: frozenset[str], states: frozenset[str]) -> tuple[Any, Draw]:
    every = asked.jobs()
    jobs = [
        job
        for job in every
        if (not users or job.user in users) and (not states or job.phase in states)
    ]
    when = taken()
    regions, cores, unknown = _read_regions(asked, every)
    caption = f"{asked.name}, {when}: {_count_states(jobs)}"
    caption += f"; its regions are not known: {unknown}" if unknown else ""
    whole = {
        "system": asked.name,
        "taken": when,
        "jobs": jobs,
        "regions": regions,
        "cores": cores,
        "regions_unknown": unknown,
    }
    table = jobs_table(jobs)._replace(caption=caption)
    above = regions_table(regions)._replace(caption=kinds_text(cores)) if cores else None
    return whole, lambda height: _draw(table, above, height)


def _read_regions(
    asked: Source, jobs: Sequence[Job]
) -> tuple[tuple[Region, ...], CoresByKind | None, str]:
    """Return the regions, the machine's cores by kind, and why they are not known.

    Jobs are shown even where a system's other programs are missing.
    """
    try:
        limits = asked.regions()
        if not limits:
            return (), None, ""
        nodes, interactive = asked.nodes(), asked.interactive()
    except NoAnswer as error:
        return (), None, str(error)
    cores = count_cores(nodes, jobs, interactive)
    return fill_regions(limits, nodes, jobs, interactive), cores, ""


def _draw(jobs: Table, regions: Table | None, height: int | None) -> RenderableType:
    if regions is None:
        return Drawn(jobs, height)
    # Headings, rule, caption and empty lines take some; the jobs get two thirds at least.
    room = min(len(regions.rows) + _AROUND, height // 3) if height else None
    return Group(Drawn(regions, room), Drawn(jobs, height - room if height and room else None))


def _count_states(jobs: Sequence[Job]) -> str:
    counts = Counter[str](job.phase for job in jobs)
    return ", ".join(f"{counts[state]} {state}" for state in _STATES if counts[state]) or "no jobs"


@declared()
def nodes_command(
    system: str = system_option,
    each: bool = option("List every node instead of their kinds.", "--nodes"),
    as_json: bool = Shared.json,
    watch: float | None = watch_option,
) -> None:
    """Show the nodes by kind, and how busy they are.

    Of each kind: how many, how large, how many idle, in use or down.
    Without a batch system: this machine, and the hosts of its virtual cluster.
    """
    asked = source(system)
    show(lambda: _look_at_nodes(asked, each), watch, as_json)


def _look_at_nodes(asked: Source, each: bool) -> tuple[Any, Draw]:
    nodes = asked.nodes()
    groups = kinds(nodes)
    when = taken()
    parts = {
        name.replace("_", " "): sum(getattr(kind, name) for kind in groups)
        for name in ("idle", "in_use", "drained", "down")
    }
    counted = ", ".join(f"{number} {word}" for word, number in parts.items() if number) or "none"
    caption = f"{asked.name}, {when}: {count(len(nodes), 'node')}, {counted}"
    table = (nodes_table(nodes) if each else kinds_table(groups))._replace(caption=caption)
    whole = {"system": asked.name, "taken": when, "kinds": groups, "nodes": nodes}
    return whole, lambda height: Drawn(table, height)


@declared()
def hosts_command(
    file: Path = argument(type=click.Path(path_type=Path, allow_dash=True)),
    processes: int | None = option(
        "Number of ranks  [default: the file's]", "-n --processes", type=click.IntRange(1, 10**6)
    ),
    cores: int | None = option(
        "Cores of each host, for launchers that count them.", type=click.IntRange(1, 10**4)
    ),
    as_json: bool = Shared.json,
) -> None:
    """Show how each launcher reads a host file.

    Slots, where ranks go, and what the launcher refuses. FILE is for Open MPI (slots=, rank files),
    MPICH and Intel MPI (HOST:N), Slurm or PBS (a line for each). Open MPI and Intel MPI count a
    host's cores where the file gives no slots.
    """
    try:
        with click.open_file(str(file)) as stream:
            text = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise UserError(f"cannot read {file}: {why}") from error
    found = explain(text, str(file), processes, cores)
    if as_json:
        print_json(found)
        return

    click.echo(heading(found))
    print_table(table_of(("read by", "slots", "ranks"), rows(found)))
    for line in remarks(found):
        click.echo(line)
