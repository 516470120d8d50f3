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


def propose(request: Asked, hosts: tuple[str, ...] = ()) -> Proposal:
    """Return the requested order. Raises `UserError` for a request that no order can meet.

    Without a name it is `cells` where a cell is given, `optimised` where messages are, else `smp`.
    """
    placement = request.placement
    if placement.processes > _MOST_RANKS:
        raise UserError(f"placement {placement} has more than {_MOST_RANKS} ranks: take fewer")
    given = bool(request.matrix or request.neighbours)
    grid = () if given and not request.grid else _grid(request)
    traffic, words = _traffic(request, grid)
    name = request.order or (CELLS if request.cell else OPTIMISED if given else "smp")
    order = _order(name, request, grid or _grid(request), traffic)
    return Proposal(
        order=name if name in MADE else canonical(name),
        place=str(placement),
        nodes=order,
        hosts=hosts,
        grid=grid,
        traffic=words,
        unit="amount" if request.matrix else "messages",
        sent=_count_sent(traffic, order),
        sent_smp=_count_sent(traffic, smp(placement)),
    )


def _grid(request: Asked) -> Extents:
    dimensions = len(request.cell) or 2
    grid = request.grid or grids.near_equal_factors(request.placement.processes, dimensions)
    grids.checked_grid(grid, request.placement)
    return grid


def _traffic(request: Asked, grid: Extents) -> tuple[Traffic, str]:
    if request.matrix:
        return read_matrix(request.matrix, request.placement.processes), f"matrix {request.matrix}"
    if request.neighbours:
        return request.waited, f"a message between neighbours, as in {request.neighbours}"
    edges = "periodic" if request.periodic else "open"
    return (
        halo(grid, request.periodic, request.major),
        f"halo exchange on a {edges} grid of {grids.shape_text(grid)}, ranks by {request.major}s",
    )


def _order(name: str, request: Asked, grid: Extents, traffic: Traffic) -> Order:
    placement = request.placement
    if request.cell and name != CELLS:
        raise UserError(f"--cell shapes the order {CELLS} and not {name}: leave one of them out")
    if name == CELLS:
        cell = request.cell or grids.compact_cell(grid, placement.processes_per_node)
        return grids.cells(grid, cell, placement, request.major)
    if name == HILBERT:
        return grids.hilbert(grid, placement, request.major)
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
