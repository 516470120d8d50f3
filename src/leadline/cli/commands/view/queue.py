"""`leadline view queue`: jobs that run and jobs that wait."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from leadline.cli.view import json_option, show, system_option, watch_option

if TYPE_CHECKING:
    from leadline.cli.view import Draw
    from leadline.model.jobs import Job
    from leadline.site.schedulers.job_source import Source

_STATES = ("running", "ending", "suspended", "waiting")


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
def command(system: str, users: str, states: str, as_json: bool, watch: float | None) -> None:
    """Show the jobs that run or wait: whose, how large, where, how long, and what they wait for.

    Without a batch system: what takes processors on this machine.
    """
    from leadline.site.schedulers.job_source import source

    wanted = _words(states)
    for state in wanted:
        if state not in _STATES:
            from leadline.core.errors import UserError

            raise UserError(f"no state {state!r}: there is {', '.join(_STATES)}")
    asked = source(system)
    show(lambda: _look(asked, _words(users), wanted), watch, as_json)


def _words(text: str) -> frozenset[str]:
    return frozenset(filter(None, (word.strip() for word in text.split(","))))


def _look(asked: "Source", users: frozenset[str], states: frozenset[str]) -> tuple[Any, "Draw"]:
    from leadline.cli.view import taken
    from leadline.output.terminal.jobs import jobs_table
    from leadline.output.terminal.table import Drawn

    jobs = [
        job
        for job in asked.jobs()
        if (not users or job.user in users) and (not states or job.phase in states)
    ]
    when = taken()
    caption = f"{asked.name}, {when}: {_count_states(jobs)}"
    whole = {"system": asked.name, "taken": when, "jobs": jobs}
    table = jobs_table(jobs)._replace(caption=caption)
    return whole, lambda height: Drawn(table, height)


def _count_states(jobs: "Sequence[Job]") -> str:
    counts: Counter[str] = Counter(job.phase for job in jobs)
    found = [f"{counts[state]} {state}" for state in _STATES if counts[state]]
    return ", ".join(found) or "no jobs"
