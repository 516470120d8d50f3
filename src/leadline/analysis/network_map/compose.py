"""The map of a machine: its nodes, their owners, and the messages of a run on each link."""

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from leadline.analysis.network_map.node_owners import NodeOwners, node_of_rank
from leadline.analysis.stats.statistics import Matrix
from leadline.core.errors import UserError
from leadline.core.units import format_bytes
from leadline.model.map import Map, MapLink, Traffic
from leadline.model.plan import Point
from leadline.model.platform import Edge
from leadline.model.run import Launch, PointResult, Run
from leadline.model.samples import SampleSource, excluding_bits
from leadline.site.schedulers.topology import Interconnect
from leadline.topology.rank_order.traffic import waits


class Message(NamedTuple):
    """What passes between two ranks in one operation: bytes, and 10^6 bytes/s while it does."""

    one: int
    other: int
    bytes: float
    rate: float


class Flows(NamedTuple):
    """All messages of one point, in the launch whose ranks they are. `size` is that of each."""

    point: Point
    launch: Launch
    size: int
    messages: tuple[Message, ...]
    measured_pairs: bool

    @property
    def figure(self) -> str:
        """The point in words."""
        chosen = {**self.point.axes, **self.point.knobs}
        words = [f"{name}={value}" for name, value in chosen.items() if name != "bytes"]
        return " ".join((self.point.benchmark, format_bytes(self.size), *words))


def flows(run: Run, samples: SampleSource) -> Flows:
    """Return the messages of the point of `run` with the most pairs, and of those the largest.

    Samples that name their partner are pairs with a time of their own. Otherwise a rank gets a
    message from each that it waits for, in the time of the whole exchange. Raises `UserError`
    where no point says who talks to whom: collectives choose that themselves.
    """
    found = []
    for launch in run.launches:
        results = {result.point: result for result in launch.points}
        for point in run.points:
            result = results.get(point.index)
            size = _size(result, launch) if result else 0
            if result is None or not size or len(launch.ranks) < 2:
                continue
            if result.neighbours:
                found.append((sum(map(len, result.neighbours)), size, -launch.launch, point.index))
            elif launch.processes == 2:
                found.append((1, size, -launch.launch, point.index))
    for _, size, launch_number, index in sorted(found, reverse=True):
        point = next(each for each in run.points if each.index == index)
        launch = next(each for each in run.launches if each.launch == -launch_number)
        result = next(each for each in launch.points if each.point == index)
        medians, whole = _times(run, samples, index, launch.launch)
        if medians:
            moved = _bytes_moved(result, size, len(medians))
            messages = tuple(
                Message(one, other, moved, moved / seconds / 1e6)
                for (one, other), seconds in sorted(medians.items())
            )
            return Flows(point, launch, size, messages, measured_pairs=True)
        if result.neighbours and whole:
            pairs = waits(result.neighbours)
            each = size * (max(result.messages, len(pairs)) / len(pairs))
            messages = tuple(
                Message(one, other, each, each / whole / 1e6)
                for one, other in sorted(pairs)
                if one != other
            )
            return Flows(point, launch, size, messages, measured_pairs=False)
    raise UserError(
        f"run {run.run} has no point that says which ranks talk to which: take one of pairs of "
        "ranks or of a halo exchange"
    )


def _size(result: PointResult, launch: Launch) -> int:
    """Return the bytes of one message, or their mean where messages differ."""
    if result.bytes is not None:
        return result.bytes
    if result.moved_bytes and result.messages:
        return round(result.moved_bytes * launch.nodes / result.messages)
    return 0


def _bytes_moved(result: PointResult, size: int, pairs: int) -> float:
    """Return what one pair moves in an operation, both ways together."""
    if not result.moved_bytes:
        return size
    return result.moved_bytes / (pairs if result.messages else 1)


def _times(
    run: Run, samples: SampleSource, point: int, launch: int
) -> tuple[dict[tuple[int, int], float], float]:
    """Return the median time of each pair in the launch, and that of the slowest rank of all."""
    columns = samples.columns(point)
    used = (columns["flags"] & excluding_bits(run.flags)) == 0
    used &= np.isfinite(columns["seconds"]) & (columns["seconds"] > 0)
    used &= columns["launch"] == launch
    seconds, rank, peer = (columns[name][used] for name in ("seconds", "rank", "peer"))
    if not len(seconds):
        return {}, 0.0
    of_pairs = peer >= 0
    medians: dict[tuple[int, int], float] = {}
    keys = np.stack([np.minimum(rank, peer), np.maximum(rank, peer)])[:, of_pairs]
    pairs, which = np.unique(keys, axis=1, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.flatnonzero(np.diff(which.ravel()[order])) + 1
    parts = np.split(seconds[of_pairs][order], ends) if of_pairs.any() else []
    for (one, other), part in zip(pairs.T.tolist(), parts, strict=True):
        medians[one, other] = float(np.median(part))
    slowest = max(float(np.median(seconds[rank == each])) for each in np.unique(rank))
    return medians, slowest


def carried(
    network: Interconnect, flows: Flows, node_of_rank: Mapping[int, int]
) -> tuple[MapLink, ...]:
    """Return the links with the messages that are routed over them.

    Messages inside a node cross none. Where the machine's links are unknown, the pairs of nodes
    that talk to each other are the links.
    """
    edges = network.graph.edges
    # By the number of a link, or by the two nodes where no link is known.
    loads: dict[tuple[int, ...], Matrix] = defaultdict(lambda: np.zeros(3))
    for one, other, size, rate in flows.messages:
        ends = node_of_rank[one], node_of_rank[other]
        if ends[0] != ends[1]:
            way = [(at,) for at in network.route(*ends)] if edges else [(min(ends), max(ends))]
            for key in way:
                loads[key] += np.array((size, rate, 1.0))
    if edges:
        return tuple(_link(edge, loads[at,]) for at, edge in enumerate(edges))
    return tuple(
        _link(Edge(one=ends[0], other=ends[1], kind="pair"), load)
        for ends, load in sorted(loads.items(), key=lambda pair: pair[0])
    )


def bare(network: Interconnect) -> tuple[MapLink, ...]:
    """Return the links without anything on them."""
    return tuple(
        MapLink(one=edge.one, other=edge.other, kind=edge.kind, around=edge.around)
        for edge in network.graph.edges
    )


def _link(edge: Edge, load: Matrix) -> MapLink:
    size, rate, pairs = load.tolist()
    return MapLink(
        one=edge.one,
        other=edge.other,
        kind=edge.kind,
        around=edge.around,
        bytes=size,
        MBps=float(f"{rate:.6g}"),
        pairs=int(pairs),
    )


def names_of(network: Interconnect) -> list[str]:
    """Return the names of the interconnect's nodes, in order."""
    return [vertex.name for vertex in network.graph.vertices if vertex.kind == "node"]


def composed(
    network: Interconnect,
    owners: NodeOwners,
    source: str,
    taken: str,
    carrying: tuple[Run, Flows] | None = None,
    at: Mapping[int, int] | None = None,
) -> Map:
    """Return the map. `source` says whose jobs they are, `taken` when that was so.

    `carrying` is the run whose messages cross the links, and `at` has the place of each of its
    ranks among the nodes, where that is known better than by the names of hosts.
    """
    links, traffic, notes = bare(network), None, owners.notes
    if carrying:
        run, flows = carrying
        nodes, remarks = (at, ()) if at else node_of_rank(names_of(network), flows.launch)
        if not network.graph.edges and len(set(nodes.values())) < 2:
            raise UserError(f"{flows.figure} of {run.run} ran on one node: no link carries it")
        links = carried(network, flows, nodes)
        notes = (*notes, *remarks)
        traffic = Traffic(
            run=run.run,
            figure=flows.figure,
            simulated=run.platform is not None,
            bytes=flows.size,
            pairs=len(flows.messages),
            measured_pairs=flows.measured_pairs,
        )
    return Map(
        name=network.name,
        topology=network.graph.topology,
        shape=network.graph.shape,
        source=source,
        taken=taken,
        nodes=owners.nodes,
        jobs=owners.jobs,
        vertices=network.graph.vertices,
        links=links,
        traffic=traffic,
        notes=tuple(dict.fromkeys((*network.notes, *notes))),
        letters=owners.letters,
    )
