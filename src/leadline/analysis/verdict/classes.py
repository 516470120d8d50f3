"""What is usual for a class of machines: published figures, a file each class in `usual/`."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

from leadline.analysis.findings.limits import active_links
from leadline.model.run import Run
from leadline.model.summary import PointSummary
from leadline.model.verdict import Usual

_FOLDER = Path(__file__).parent / "usual"


class Published(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A time that somebody published, and where."""

    seconds: float
    source: str


class Figure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is published of one benchmark at one size, with its default choices."""

    benchmark: str
    bytes: int
    published: tuple[Published, ...]


class MachineClass(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Machines whose times are alike: two processes of a node, or of two over ports of one kind."""

    title: str
    link_layer: str = ""
    figures: tuple[Figure, ...]


@cache
def classes() -> tuple[MachineClass, ...]:
    """Return all classes, in the order of their files' names."""
    return tuple(
        msgspec.toml.decode(path.read_bytes(), type=MachineClass)
        for path in sorted(_FOLDER.glob("*.toml"))
    )


def usual_of(run: Run, point: PointSummary, scale: float) -> Usual | None:
    """Return what is usual for a time between two processes, where its class is known for sure.

    It is not known of simulated machines, virtual clusters, imports and batch jobs' nodes.
    """
    if run.platform or run.imported or point.processes != 2 or point.oversubscribed:
        return None
    if point.conditions.get("cache", "warm") != "warm":
        return None
    for each in _classes_of(run, point):
        for figure in each.figures:
            if (figure.benchmark, figure.bytes) == (point.benchmark, point.bytes):
                seconds = [one.seconds for one in figure.published]
                return Usual(
                    text=each.title,
                    low=min(seconds) * scale,
                    high=max(seconds) * scale,
                    sources=tuple(one.source for one in figure.published),
                )
    return None


def _classes_of(run: Run, point: PointSummary) -> Iterator[MachineClass]:
    layers = active_links(run)
    known = point.nodes == 1 or (run.plan.hosts and not run.plan.batch)
    for each in classes() if known and not run.machine.get("virtual_cluster") else ():
        if point.nodes == 1 and not each.link_layer:
            yield each
        if point.nodes == 2 and each.link_layer in layers:
            yield each
