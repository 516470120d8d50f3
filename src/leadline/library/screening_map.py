"""The map of a screening: nodes below their switches, suspects by letter, pairs on the links."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from leadline.analysis.network_map.compose import Flows, Message, composed, flows, names_of
from leadline.analysis.network_map.node_owners import BEYOND, LETTERS, NodeOwners
from leadline.core.errors import UserError
from leadline.core.units import precise_times
from leadline.model.jobs import Node
from leadline.model.map import Map, MapJob, MapNode
from leadline.model.run import Run
from leadline.model.samples import SampleSource
from leadline.model.screen import Screen, Suspect
from leadline.site.schedulers.topology import Interconnect, build_switched, find_interconnect

_NAME = "screened nodes"
_UNKNOWN = "other switches"
_UNMEASURED = "?"


def screen_map(found: Screen, run: Run, samples: SampleSource) -> Map:
    """Return the map of what was screened, with what pairs reached when they were alone.

    Without pairs, or where nothing was measured, its links carry nothing.
    """
    silent = [
        each.name for each in found.suspects if each.kind == "node" and each.name not in found.nodes
    ]
    network = _network(found, silent)
    names = names_of(network)
    at = {rank: names.index(name) for rank, name in enumerate(found.nodes)}
    carried = _carried(run, samples)
    return composed(
        network,
        _owners(found, names, silent),
        f"run {run.run}",
        run.started,
        carrying=(run, carried) if carried else None,
        at=at,
    )


def _network(found: Screen, silent: Sequence[str]) -> Interconnect:
    if found.switches:
        network = build_switched(_NAME, "switches", found.switches, [_UNKNOWN], apart=silent)
        note = "What joins the switches is not known: it is drawn as one switch."
        return network._replace(notes=(note,))
    nodes = [Node(name=name, phase="idle", state="") for name in (*found.nodes, *silent)]
    return find_interconnect(_NAME, nodes)


def _owners(found: Screen, names: Sequence[str], silent: Sequence[str]) -> NodeOwners:
    """Return the nodes with a letter for each suspect that they have a part in.

    Those that were not measured have a sign of their own.
    """
    held: dict[str, list[int]] = {}
    jobs = []
    for number, suspect in enumerate(found.suspects):
        # An uplink is drawn by the nodes of its switch.
        ends = suspect.ends or found.switches.get(suspect.name, ())
        for name in ends:
            held.setdefault(name, []).append(number)
        letter = LETTERS[number] if number < len(LETTERS) else BEYOND
        jobs.append(MapJob(id="", user="", name=_words(suspect), letter=letter, nodes=len(ends)))
    if found.unmeasured:
        for name in found.unmeasured:
            held.setdefault(name, []).append(len(jobs))
        unknown = MapJob(
            id="", user="", name="not measured", letter=_UNMEASURED, nodes=len(found.unmeasured)
        )
        jobs.append(unknown)
    nodes = tuple(
        MapNode(
            name=name,
            phase="down" if name in silent else "used" if name in held else "free",
            jobs=tuple(held.get(name, ())),
            note="; ".join(jobs[number].name for number in held.get(name, ())),
        )
        for name in names
    )
    return NodeOwners(nodes, tuple(jobs), letters="suspects")


def _words(suspect: Suspect) -> str:
    name = f"{suspect.kind} {suspect.name}"
    if suspect.ratio is None:
        return f"{name}: {'hangs' if suspect.figure == 'hang' else 'does not answer'}"
    return f"{name}: {suspect.figure} {precise_times(suspect.ratio)}"


def _carried(run: Run, samples: SampleSource) -> Flows | None:
    """Return what pairs sent each other in all rounds in which one had the network to itself."""
    joined: dict[tuple[int, int], Message] = {}
    first: Flows | None = None
    for point in run.points:
        axes = point.axes
        if (axes.get("load"), axes.get("mode")) != ("one", "stream"):
            continue
        try:
            found = flows(msgspec.structs.replace(run, points=[point]), samples)
        except UserError:
            continue  # a round that was not measured
        first = first or found
        for one, other, moved, rate in found.messages:
            # What the benchmark says was moved is not of one message.
            message = Message(one, other, found.size, rate * found.size / moved)
            joined.setdefault((one, other), message)
    if first is None:
        return None
    axes = {name: value for name, value in first.point.axes.items() if name != "round"}
    every = msgspec.structs.replace(first.point, axes=axes)
    return first._replace(point=every, messages=tuple(joined.values()))
