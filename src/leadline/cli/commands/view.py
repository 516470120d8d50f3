"""`leadline view`: who runs where now."""

from collections.abc import Sequence

import click

from leadline.cli.group import CommandGroup, Renamed, Row

ROWS = (
    Row("queue", "Show the jobs that run or wait", "view_queue"),
    Row("nodes", "Show the nodes by kind, and how busy they are", "view_nodes"),
    Row("map", "Draw the machine: nodes by job, links by traffic", "view_map"),
    Row("hosts", "Show how each launcher reads a host file", "view_hosts"),
)


def _renamed(words: Sequence[str]) -> Renamed | None:
    return Renamed("config", "nodes", ["nodes", *words[1:]]) if words[0] == "config" else None


@click.group(cls=CommandGroup, rows=ROWS, renamed=_renamed)
def command() -> None:
    """Show who runs where now: jobs, nodes, network.

    Jobs and nodes of Slurm or PBS, or of this machine alone.
    """
