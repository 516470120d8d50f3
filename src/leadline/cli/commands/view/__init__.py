"""`leadline view`: who runs where now. Each view is one module of this package."""

import click

from leadline.cli.group import FoundCommands

HEADING = ("Machines and jobs", 3)


@click.group(cls=FoundCommands, package=__name__)
def command() -> None:
    """Show who runs where now: jobs, nodes, network.

    Jobs and nodes of Slurm or PBS, or of this machine alone.
    """
