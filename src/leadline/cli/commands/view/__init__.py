"""`leadline view`: who runs where now. Each view is one module of this package."""

import click

from leadline.cli.group import FoundCommands


@click.group(cls=FoundCommands, package=__name__)
def command() -> None:
    """Who runs where now: jobs and nodes of Slurm, PBS, or of this machine alone."""
