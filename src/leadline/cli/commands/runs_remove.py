"""`leadline runs remove`: remove runs for good."""

import sys
from pathlib import Path

import click

from leadline.cli.completion import complete_runs
from leadline.cli.options import runs_option
from leadline.core.errors import UserError
from leadline.store.removal import removable, remove


@click.command()
@click.argument("run", nargs=-1, required=True, shell_complete=complete_runs)
@click.option("--yes", is_flag=True, help="Do not ask.")
@runs_option
def command(run: tuple[str, ...], yes: bool, runs: Path) -> None:
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
