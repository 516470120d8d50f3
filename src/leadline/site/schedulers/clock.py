"""The clock that batch systems do not know: that of the node on which leadline itself runs."""

import platform
from collections.abc import Iterable

import msgspec

from leadline.model.jobs import Node
from leadline.site.hardware import processors
from leadline.site.hardware.files import Files


def with_own_clock(nodes: Iterable[Node], files: Files | None = None) -> tuple[Node, ...]:
    """Return the nodes; the one that is this machine has the frequency of its processor."""
    here = platform.node().partition(".")[0]
    return tuple(
        msgspec.structs.replace(node, clock_hz=_clock_hz(files or Files()))
        if node.name.partition(".")[0] == here
        else node
        for node in nodes
    )


def _clock_hz(files: Files) -> float | None:
    frequency = processors.nominal_frequency(files)
    return frequency[0] if frequency else None
