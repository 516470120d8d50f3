"""`leadline runs`: what has been measured; its commands remove, import and query it."""

import sys
import textwrap
from pathlib import Path

import click

from leadline.cli.completion import complete_runs
from leadline.cli.group import CommandGroup, Row
from leadline.cli.options import Shared, argument, declared, option, print_json
from leadline.core.errors import UserError
from leadline.output.table import Column, table_of
from leadline.store.overview import Overview, overviews
from leadline.store.removal import removable, remove

ROWS = (
    Row("remove", "Remove runs", "runs:remove_runs", mistaken=("rm", "delete")),
    Row("import", "Read results of IMB, OSU and other programs", "runs_import"),
    Row("query", "Query all runs with SQL", "runs_query"),
)


@declared(cls=CommandGroup, rows=ROWS, invoke_without_command=True)
def command(ctx: click.Context, as_json: bool = Shared.json, runs: Path = Shared.runs) -> None:
    """List, remove, import or query runs.

    Without a command: list the runs. The newest is the last.
    """
    if ctx.invoked_subcommand:
        return

    found = [overview for overview, _ in overviews(runs)]
    if as_json:
        print_json({"runs": found}, indent=2)
    elif found:
        columns = (
            "run",
            Column("benchmarks", kind="words", cut=True),
            Column("MPI", kind="words", cut=True, spare=1),
            Column("placements", kind="words", cut=True, spare=2),
            Column("launches", spare=4),
            Column("MB", kind="number", spare=3),
            "trust",
            "outcome",
        )
        rows = (
            (
                one.run,
                ", ".join(one.benchmarks),
                ", ".join(one.mpi),
                ", ".join(one.placements),
                one.launches,
                f"{one.size_bytes / 1e6:.2f}",
                one.trust,
                _outcome(one),
            )
            for one in found
        )
        # rich, which --json does without.
        from leadline.output.terminal.table import print_table
        from leadline.output.terminal.text import WIDTH

        print_table(table_of(columns, rows), piped=WIDTH)
    else:
        click.echo(f"no runs in {runs}: `leadline survey` makes the first one", err=True)


# A line of the outcome, of which there are two: `show` has the rest.
_OUTCOME = 22


def _outcome(one: Overview) -> str:
    """Return how a run ended or what it says, in two lines at most."""
    ended = [one.state] if one.state != "complete" or not one.message else []
    said = ": ".join([*ended, *filter(None, [one.message])])
    return textwrap.fill(textwrap.shorten(said, 2 * _OUTCOME - 4, placeholder="…"), _OUTCOME)


@declared()
def remove_runs(
    run: tuple[str, ...] = argument(required=True, shell_complete=complete_runs),
    yes: bool = option("Do not ask."),
    runs: Path = Shared.runs,
) -> None:
    """Remove runs.

    A run is removed with all its samples. If one RUN is in use, or no run, none is removed.
    """
    folders = [removable(name, runs) for name in dict.fromkeys(run)]
    if not yes:
        if not sys.stdin.isatty():
            raise UserError("removing needs confirmation, but there is no terminal: add --yes")
        for folder in folders:
            click.echo(folder.path)
        if not click.confirm("Remove these runs and their samples?"):
            raise UserError("nothing is removed")
    for folder in folders:
        remove(folder)
