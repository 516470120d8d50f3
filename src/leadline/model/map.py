"""A machine drawn: its nodes with the jobs on them, its links with what crosses them."""

from typing import Literal

import msgspec

from leadline.model.platform import Vertex

MapPhase = Literal["free", "used", "drained", "down"]


class MapJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job, or a run, that holds nodes. `letter` stands for it in a picture of letters.

    `nodes` is how many of the map's nodes it holds.
    """

    id: str
    user: str
    name: str
    letter: str
    nodes: int
    used_s: float | None = None


class MapNode(msgspec.Struct, frozen=True, kw_only=True):
    """A node of the map: the vertex of its number. `name` is what the system calls it.

    `jobs` are indices of the map's jobs, `ranks` those of a run on it. `note` is the system's
    remark.
    """

    name: str
    phase: MapPhase = "free"
    jobs: tuple[int, ...] = ()
    ranks: tuple[int, ...] = ()
    note: str = ""


class MapLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link between two vertices, by number. `around` closes a ring of a torus.

    `bytes` cross it in one operation and `MBps` is the sum of what the pairs that cross it reach,
    in 10^6 bytes/s, both directions together; null where nothing is known. `pairs` counts those
    pairs of ranks, null where only the sum of their messages is known; `MBps` is then that of the
    whole operation.
    """

    one: int
    other: int
    kind: str = ""
    around: bool = False
    bytes: float | None = None
    MBps: float | None = None
    pairs: int | None = 0


class Traffic(msgspec.Struct, frozen=True, kw_only=True):
    """What the links of a map carry: the point of a run whose messages they are, or a prediction.

    `figure` names it in words, and `run` the run or the machine. `measured_pairs` tells that each
    pair has a time of its own; otherwise the time of the whole operation is used.
    """

    run: str
    figure: str
    simulated: bool
    bytes: int
    pairs: int | None
    measured_pairs: bool
    predicted: bool = False


class Map(msgspec.Struct, frozen=True, kw_only=True):
    """A machine with its nodes first among the `vertices`, in the order of `nodes`.

    `shape` is that of the topology. `source` says whose jobs are shown, `traffic` what the links
    carry, null where nothing is known, and `notes` what a reader has to know, a sentence each.
    `letters` says what stands in `jobs`: jobs and runs, or the suspects of a screening.
    """

    name: str
    topology: str
    shape: tuple[int, ...]
    source: str
    taken: str
    nodes: tuple[MapNode, ...]
    jobs: tuple[MapJob, ...]
    vertices: tuple[Vertex, ...]
    links: tuple[MapLink, ...]
    traffic: Traffic | None = None
    notes: tuple[str, ...] = ()
    letters: Literal["jobs", "suspects"] = "jobs"
