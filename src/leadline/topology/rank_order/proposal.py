"""What `leadline rank-order` is asked for, and the order that comes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from leadline.core.errors import UserError
from leadline.model.placement import Placement
from leadline.topology.rank_order import grid as grids
from leadline.topology.rank_order.grid import Extents, Major
from leadline.topology.rank_order.optimise import optimise_order
from leadline.topology.rank_order.order import NAMED, Order, canonical, order_for, smp
from leadline.topology.rank_order.traffic import Traffic, halo, leaving, read_matrix

CELLS, HILBERT, OPTIMISED = "cells", "hilbert", "optimised"
_MOST_RANKS = 1 << 20
MADE = (CELLS, HILBERT, OPTIMISED)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """An order by name or file, and what is known of the program's messages.

    `grid` and `cell` are empty for the halo benchmark's own grid and the most compact block.
    Without `matrix`, a file, and `neighbours`, a text that says where `waited` is from, the
    messages are those of a halo exchange.
    """

    placement: Placement
    order: str = ""
    grid: Extents = ()
    cell: Extents = ()
    major: Major = "row"
    periodic: bool = True
    matrix: Path | None = None
    waited: dict[tuple[int, int], float] = {}
    neighbours: str = ""


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """How much leaves the nodes under an order: of each node, of all, of the one with the most."""

    leaving_by_node: tuple[float, ...]
    leaving: float
    busiest: float


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """An order of ranks: `nodes` has the ranks of each node.

    `traffic` says in words what is sent, `sent` how much of it leaves nodes under this order and
    `sent_smp` how much would under consecutive ranks. `grid` is empty where there is none.
    """

    order: str
    place: str
    nodes: Order
    hosts: tuple[str, ...] = ()
    grid: Extents = ()
    traffic: str
    unit: Literal["messages", "amount"] = "messages"
    sent: Sent
    sent_smp: Sent


def propose(asked: Asked, hosts: tuple[str, ...] = ()) -> Proposal:
    """Return the order that is asked for. Raises `UserError` for what cannot be.

    Without a name it is `cells` where a cell is given, `optimised` where messages are, else `smp`.
    """
    placement = asked.placement
    if placement.processes > _MOST_RANKS:
        raise UserError(f"placement {placement} has more than {_MOST_RANKS} ranks: take fewer")
    given = bool(asked.matrix or asked.neighbours)
    grid = () if given and not asked.grid else _grid(asked)
    traffic, words = _traffic(asked, grid)
    name = asked.order or (CELLS if asked.cell else OPTIMISED if given else "smp")
    order = _order(name, asked, grid or _grid(asked), traffic)
    return Proposal(
        order=name if name in MADE else canonical(name),
        place=str(placement),
        nodes=order,
        hosts=hosts,
        grid=grid,
        traffic=words,
        unit="amount" if asked.matrix else "messages",
        sent=_count_sent(traffic, order),
        sent_smp=_count_sent(traffic, smp(placement)),
    )


def _grid(asked: Asked) -> Extents:
    dimensions = len(asked.cell) or 2
    grid = asked.grid or grids.near_equal_factors(asked.placement.processes, dimensions)
    grids.checked_grid(grid, asked.placement)
    return grid


def _traffic(asked: Asked, grid: Extents) -> tuple[Traffic, str]:
    if asked.matrix:
        return read_matrix(asked.matrix, asked.placement.processes), f"matrix {asked.matrix}"
    if asked.neighbours:
        return asked.waited, f"a message between neighbours, as in {asked.neighbours}"
    edges = "periodic" if asked.periodic else "open"
    return (
        halo(grid, asked.periodic, asked.major),
        f"halo exchange on a {edges} grid of {grids.shape_text(grid)}, ranks by {asked.major}s",
    )


def _order(name: str, asked: Asked, grid: Extents, traffic: Traffic) -> Order:
    placement = asked.placement
    if asked.cell and name != CELLS:
        raise UserError(f"--cell shapes the order {CELLS} and not {name}: leave one of them out")
    if name == CELLS:
        cell = asked.cell or grids.compact_cell(grid, placement.processes_per_node)
        return grids.cells(grid, cell, placement, asked.major)
    if name == HILBERT:
        return grids.hilbert(grid, placement, asked.major)
    if name == OPTIMISED:
        return optimise_order(traffic, placement)
    if not Path(name).exists() and name not in NAMED and not name.isdigit():
        raise UserError(
            f"no order {name!r}: there is {', '.join((*NAMED, *MADE))}, or a file of ranks"
        )
    return order_for(name, placement)


def _count_sent(traffic: Traffic, order: Order) -> Sent:
    by_node = leaving(traffic, order)
    return Sent(leaving_by_node=tuple(by_node), leaving=sum(by_node), busiest=max(by_node))
