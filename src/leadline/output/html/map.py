"""The page of a machine: its map, which can be turned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from leadline.core.units import format_bytes
from leadline.model.map import Map
from leadline.model.platform import Vertex
from leadline.output.html.document import document, write_document

SCRIPTS = (
    "common.js",
    "map_camera.js",
    "map_colours.js",
    "map_draw.js",
    "map_panel.js",
    "map.js",
)
_BUSIEST = 20


def write_map(path: Path, drawn: Map) -> None:
    """Write the map to `path`, all of it or nothing. Raises `UserError` where it cannot be."""
    write_document(path, render_map(drawn))


def render_map(drawn: Map) -> str:
    """Return the map as HTML with everything it needs inside."""
    held = sum(1 for node in drawn.nodes if node.jobs)
    shape = "x".join(map(str, drawn.shape))
    facts = [
        ("topology", f"{drawn.topology.replace('_', ' ')} {shape}"),
        ("nodes", f"{len(drawn.nodes)}"),
        (f"with {drawn.letters}", f"{held}"),
        (drawn.letters, f"{len(drawn.jobs)}"),
        ("from", drawn.source),
        ("taken", drawn.taken),
    ]
    return document(
        "map.html",
        drawn.name,
        SCRIPTS,
        styles=("map.css",),
        facts=[(name, value) for name, value in facts if value],
        notes=drawn.notes,
        label=(
            f"{drawn.name}: {drawn.topology.replace('_', ' ')} {shape}, {len(drawn.nodes)} nodes, "
            f"{held} of them with one of {len(drawn.jobs)} {drawn.letters}"
        ),
        letters=drawn.letters,
        count=len(drawn.nodes),
        rings=any(link.around for link in drawn.links),
        solid=_solid(drawn.vertices),
        traffic=_traffic(drawn),
        meaning=_meaning(drawn),
        busiest=_busiest(drawn),
        machine=_machine(drawn),
    )


def _solid(vertices: tuple[Vertex, ...]) -> bool:
    return all(len({vertex.place[axis] for vertex in vertices}) > 1 for axis in range(3))


def _traffic(drawn: Map) -> str:
    if not drawn.traffic:
        return ""
    traffic = drawn.traffic
    simulated = ", simulated" if traffic.simulated else ", predicted" if traffic.predicted else ""
    return f"{drawn.traffic.figure} of {drawn.traffic.run}{simulated}"


def _meaning(drawn: Map) -> str:
    if not drawn.traffic:
        return ""
    pairs = (
        "what all pairs of ranks that are routed over a link reach together, each in its own time"
        if drawn.traffic.measured_pairs
        else "the load over the time of the whole operation"
    )
    return (
        f"Load: bytes that cross a link in one operation, both directions together. MB/s: {pairs}. "
        "The routes are the topology's own; what a library sends beside the messages is not known."
    )


def _busiest(drawn: Map) -> list[dict[str, Any]]:
    carrying = [(number, link) for number, link in enumerate(drawn.links) if link.bytes]
    carrying.sort(key=lambda each: -(each[1].bytes or 0.0))
    return [
        {
            "number": number,
            "name": f"{_name(drawn, link.one)} – {_name(drawn, link.other)}",
            "kind": f"{link.kind}{', around' if link.around else ''}",
            "bytes": format_bytes(round(link.bytes or 0)),
            "MBps": f"{link.MBps or 0:.4g}" if (link.MBps or 0) < 1000 else f"{link.MBps:.0f}",
            "pairs": "-" if link.pairs is None else link.pairs,
        }
        for number, link in carrying[:_BUSIEST]
    ]


def _name(drawn: Map, vertex: int) -> str:
    return drawn.nodes[vertex].name if vertex < len(drawn.nodes) else drawn.vertices[vertex].name


def _machine(drawn: Map) -> dict[str, Any]:
    """Return what the script draws, in lists rather than objects: thousands of nodes are alike."""
    kinds = list(dict.fromkeys(link.kind for link in drawn.links))
    number = {kind: index for index, kind in enumerate(kinds)}
    return {
        "topology": drawn.topology,
        "names": [_name(drawn, vertex) for vertex in range(len(drawn.vertices))],
        "kinds": [vertex.kind for vertex in drawn.vertices],
        "places": [[round(at, 4) for at in vertex.place] for vertex in drawn.vertices],
        "coordinates": [vertex.coordinates for vertex in drawn.vertices],
        "phases": [node.phase for node in drawn.nodes],
        "jobsOf": [node.jobs for node in drawn.nodes],
        "ranks": [node.ranks for node in drawn.nodes],
        "notes": [node.note for node in drawn.nodes],
        "jobs": [
            {"letter": job.letter, "id": job.id, "user": job.user, "name": job.name}
            for job in drawn.jobs
        ],
        "linkKinds": kinds,
        "links": [
            (link.one, link.other, int(link.around), link.bytes, link.MBps, link.pairs,
             number[link.kind])
            for link in drawn.links
        ],
    }  # fmt: skip
