"""`leadline view queue`: jobs that run and jobs that wait."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Group, RenderableType

from leadline.cli.options import html_option
from leadline.cli.view import Draw, json_option, show, system_option, taken, watch_option
from leadline.core.errors import UserError
from leadline.model.jobs import CoresByKind, Job, Region
from leadline.output.table import Table
from leadline.output.terminal.jobs import jobs_table, kinds_text, regions_table
from leadline.output.terminal.table import Drawn
from leadline.site.schedulers.job_source import NoAnswer, Source, source
from leadline.site.schedulers.regions import count_cores, fill_regions

_STATES = ("running", "ending", "suspended", "waiting")
_AROUND = 6


@click.command()
@system_option
@click.option("--user", "users", metavar="NAME,...", default="", help="Only jobs of these users.")
@click.option(
    "--state",
    "states",
    metavar="STATE,...",
    default="",
    help=f"Only jobs in these states: {', '.join(_STATES)}.",
)
@json_option
@watch_option
@html_option("Write a page with the regions and the jobs.")
def command(
    system: str,
    users: str,
    states: str,
    as_json: bool,
    watch: float | None,
    html: Path | None,
) -> None:
    """Show the jobs that run or wait.

    Of each job: whose, how large, where, how long, and what it waits for. Above them the partitions
    or queues: their limits, nodes, and cores by state.

    Without a batch system: what takes processors on this machine.
    """
    if watch is not None and html:
        raise UserError("--html is written once and --watch shows again: leave one of them out")
    wanted = _words(states)
    for state in wanted:
        if state not in _STATES:
            raise UserError(f"no state {state!r}: there is {', '.join(_STATES)}")
    asked = source(system)
    show(lambda: _look(asked, _words(users), wanted, html), watch, as_json)


def _words(text: str) -> frozenset[str]:
    return frozenset(filter(None, (word.strip() for word in text.split(","))))


def _look(
    asked: Source, users: frozenset[str], states: frozenset[str], html: Path | None
) -> tuple[Any, Draw]:

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
    if html:
        from leadline.output.html.map import write_queue

        facts = [("system", asked.name), ("taken", when), ("jobs", _count_states(jobs))]
        facts += [("regions", f"not known: {unknown}")] if unknown else []
        write_queue(html, facts, regions, [each for each in (above, table) if each])
        click.echo(f"queue: {html}", err=True)
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
    if height is None:
        return Group(Drawn(regions), Drawn(jobs))
    # Headings, rule, caption and empty lines take some; the jobs get two thirds at least.
    room = min(len(regions.rows) + _AROUND, height // 3)
    return Group(Drawn(regions, room), Drawn(jobs, height - room))


def _count_states(jobs: Sequence[Job]) -> str:
    counts: Counter[str] = Counter(job.phase for job in jobs)
    found = [f"{counts[state]} {state}" for state in _STATES if counts[state]]
    return ", ".join(found) or "no jobs"
