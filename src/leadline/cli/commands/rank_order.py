"""`leadline rank-order`: which rank on which node, and what that costs in messages."""

from pathlib import Path
from typing import Any, Literal

import click

from leadline.cli.options import Shared, declared, option, print_json, write
from leadline.core.errors import UserError
from leadline.model.placement import parse_placement
from leadline.output.terminal.order import drawn
from leadline.site.schedulers.allocation import hosts_for
from leadline.store.folder import RunFolder
from leadline.topology.rank_order.formats import FORMATS
from leadline.topology.rank_order.grid import parse_extents, positions
from leadline.topology.rank_order.proposal import Asked, propose
from leadline.topology.rank_order.traffic import waits

_FORMATS = list(FORMATS)


@declared()
def command(
    place: str = option("Nodes, and ranks on each.", "NxP", required=True),
    order: str | None = option(
        "round-robin, smp or folded (or 0, 1, 2), a file of ranks, or made here: cells, hilbert, "
        "optimised.",
        "ORDER",
    ),
    grid: str | None = option("The program's grid  [default: as square as it gets]", "RxC"),
    cell: str | None = option("Block of the grid that a node holds (order cells).", "RxC"),
    major: Literal["row", "column"] = option(
        "How the program numbers the ranks of its grid.",
        type=click.Choice(["row", "column"]),
        default="row",
    ),
    periodic: str = option(
        "Whether the edges of the grid are neighbours.",
        type=click.Choice(["yes", "no"]),
        default="yes",
    ),
    matrix: Path | None = option(
        "Traffic between ranks, instead of a halo exchange: CSV or Matrix Market (.mtx)."
    ),
    neighbours: str | None = option("Traffic from a run of a halo benchmark.", "RUN"),
    hosts: str | None = option("Names of the nodes, for files that need them.", "HOST,..."),
    written: tuple[str, str] | None = option(
        f"Write the order for a launcher: {', '.join(_FORMATS)}.",
        "--write FORMAT FILE",
        type=(click.Choice(_FORMATS), click.Path(dir_okay=False, allow_dash=True)),
    ),
    as_json: bool = Shared.json,
    runs: Path = Shared.runs,
) -> None:
    """Show, check or improve an order of ranks.

    The result is how many messages of a halo exchange, or how much of a given traffic, leave each
    node. A file of an order has ranks and ranges with commas (0,4-7,3-1), the first ranks for the
    first node.
    """
    placement = parse_placement(place)
    waited, source = (
        _read_messages(neighbours, runs, placement.processes) if neighbours else ({}, "")
    )
    asked = Asked(
        placement=placement,
        order=order or "",
        grid=parse_extents(grid, "grid") if grid else (),
        cell=parse_extents(cell, "cell") if cell else (),
        major=major,
        periodic=periodic == "yes",
        matrix=matrix,
        waited=waited,
        neighbours=source,
    )
    proposal = propose(asked, _hosts(hosts, placement.nodes))
    if written:
        _write(proposal, *written)
    if as_json:
        print_json(proposal)
    elif not (written and written[1] == "-"):
        located = positions(proposal.grid, major) if proposal.grid else None
        click.echo("\n".join(drawn(proposal, located)))


def _hosts(text: str | None, nodes: int) -> tuple[str, ...]:
    if text is None:
        return ()
    names = hosts_for([word.strip() for word in text.split(",")], "").names
    if len(names) < nodes:
        raise UserError(f"{nodes} nodes and {len(names)} hosts ({text}): name one for each node")
    return names[:nodes]


def _read_messages(run: str, runs: Path, ranks: int) -> tuple[dict[tuple[int, int], float], str]:
    read = RunFolder.open(run, runs).read()
    points = {point.index: point for point in read.points}
    for launch in read.launches:
        for result in launch.points:
            if len(result.neighbours) == ranks:
                return waits(result.neighbours), f"{points[result.point].benchmark} of {read.run}"
    raise UserError(
        f"run {read.run} has no point of {ranks} ranks that tells its neighbours: take one of "
        "a halo benchmark with that many"
    )


def _write(proposal: Any, name: str, path: str) -> None:
    form = FORMATS[name]
    if form.names_hosts and not proposal.hosts:
        raise UserError(f"format {name} names the hosts: give them with --hosts A,B,...")
    text = form.text(proposal.nodes, proposal.hosts).encode()
    write(path, lambda stream: stream.write(text))
    usage = form.usage(proposal.nodes, proposal.hosts, "FILE" if path == "-" else path)
    click.echo(f"{form.summary}: {usage}", err=True)
