"""`leadline view nodes`: the nodes that there are, and how many are in use."""

from typing import Any

import click

from leadline.cli.view import Draw, json_option, show, system_option, taken, watch_option
from leadline.output.terminal.jobs import kinds_table, nodes_table
from leadline.output.terminal.table import Drawn
from leadline.site.schedulers.job_source import Source, kinds, source


@click.command()
@system_option
@click.option("--nodes", "each", is_flag=True, help="List every node instead of their kinds.")
@json_option
@watch_option
def command(system: str, each: bool, as_json: bool, watch: float | None) -> None:
    """Show the nodes by kind, and how busy they are.

    Of each kind: how many, how large, how many idle, in use or down.
    Without a batch system: this machine, and the hosts of its virtual cluster.
    """
    asked = source(system)
    show(lambda: _look(asked, each), watch, as_json)


def _look(asked: Source, each: bool) -> tuple[Any, Draw]:

    nodes = asked.nodes()
    groups = kinds(nodes)
    when = taken()
    parts = {
        "idle": sum(kind.idle for kind in groups),
        "in use": sum(kind.in_use for kind in groups),
        "drained": sum(kind.drained for kind in groups),
        "down": sum(kind.down for kind in groups),
    }
    counted = ", ".join(f"{count} {word}" for word, count in parts.items() if count) or "none"
    caption = f"{asked.name}, {when}: {len(nodes)} node{'s' * (len(nodes) != 1)}, {counted}"
    table = (nodes_table(nodes) if each else kinds_table(groups))._replace(caption=caption)
    whole = {"system": asked.name, "taken": when, "kinds": groups, "nodes": nodes}
    return whole, lambda height: Drawn(table, height)
