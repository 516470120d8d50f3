"""A machine described as data, for simulation and for drawing."""

import hashlib
import json
from typing import Any

import msgspec

# What the times of messages depend on; the rest of a platform says where it comes from.
_TIMES = ("nodes", "topology", "network", "node", "software", "noise")


class Step(msgspec.Struct, frozen=True, array_like=True):
    """From `bytes` on: `seconds` for each message and `seconds_per_byte` for each byte."""

    bytes: int
    seconds: float
    seconds_per_byte: float = 0.0


class Factor(msgspec.Struct, frozen=True, array_like=True):
    """From `bytes` on, what is multiplied by `factor`."""

    bytes: int
    factor: float


class Network(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The links of a network: bytes/s in each direction, seconds from end to end of one link.

    The factors say how far a message of a size stays behind the links: of the bandwidth they are at
    most 1, of the latency mostly at least 1.
    """

    bandwidth: float
    latency_s: float
    bandwidth_factors: tuple[Factor, ...] = (Factor(0, 1.0),)
    latency_factors: tuple[Factor, ...] = (Factor(0, 1.0),)


class Node(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A node: its cores, flop/s of one, and what processes of one node send each other through.

    The factors are those of messages within a node. Several at once do not slow each other down.
    """

    cores: int
    flops: float
    bandwidth: float
    latency_s: float
    bandwidth_factors: tuple[Factor, ...] = (Factor(0, 1.0),)
    latency_factors: tuple[Factor, ...] = (Factor(0, 1.0),)


class Software(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the MPI library adds: the processor's time to send and to receive a message (o of LogP).

    Messages of `eager_bytes` and more wait for their receiver. The simulator adds nothing to those:
    factors of the latency have to hold what they take.
    """

    send: tuple[Step, ...] = (Step(0, 0.0),)
    receive: tuple[Step, ...] = (Step(0, 0.0),)
    eager_bytes: int = 65536


class Noise(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What disturbs messages, drawn anew for each one from a generator with this seed.

    To the latency of a message is added `latency` times a draw from the exponential distribution of
    mean 1, as a fraction of it, and, with `probability`, `delay_s`.
    """

    seed: int = 1
    latency: float = 0.0
    probability: float = 0.0
    delay_s: float = 0.0

    @property
    def disturbs(self) -> bool:
        """Whether times differ from one message to the next."""
        return bool(self.latency or (self.probability and self.delay_s))


class Calibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A published or measured ping-pong that the simulated machine has to give.

    `one_way` are message bytes and half a round trip in seconds. `error` is the largest relative
    deviation that the platform states for itself. `distance` is how many nodes lie between.
    """

    source: str
    error: float
    one_way: tuple[tuple[int, float], ...]
    within_node: bool = False
    distance: int = 1


class Platform(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A machine. `topology` names a kind in `kind` and holds what that kind has to know.

    `nodes` is the number of nodes of the whole machine; a run uses the first of them. `assumed`
    says in words what the source does not give. `changes` are those that a question "what if" made.
    """

    format: int
    name: str
    summary: str
    source: str
    nodes: int
    topology: dict[str, Any]
    network: Network
    node: Node
    software: Software = Software()
    noise: Noise = Noise()
    calibration: tuple[Calibration, ...] = ()
    assumed: str = ""
    changes: tuple[str, ...] = ()

    @property
    def numbers(self) -> dict[str, Any]:
        """What the simulated times depend on, as plain values by the names of the file."""
        return {name: msgspec.to_builtins(getattr(self, name)) for name in _TIMES}

    @property
    def digest(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of `numbers` as JSON, keys sorted.

        Platforms of the same digest give the same times, whatever they are called.
        """
        text = json.dumps(self.numbers, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class Vertex(msgspec.Struct, frozen=True, kw_only=True):
    """A node or a switch of a machine, with a place in space to draw it, in any unit.

    `coordinates` are those of the topology itself: x, y, z of a torus; group, router, node of a
    dragonfly; level and number of a fat tree; island and number in it.
    """

    name: str
    kind: str
    place: tuple[float, float, float]
    coordinates: tuple[int, ...] = ()


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """A link between two vertices, by number. `around` marks one that closes a ring of a torus.

    In each direction it carries `width` times the bandwidth of the platform's network.
    """

    one: int
    other: int
    kind: str = ""
    around: bool = False
    width: float = 1.0


class Graph(msgspec.Struct, frozen=True, kw_only=True):
    """A machine's nodes, switches and links. The nodes come first, in the order of ranks."""

    topology: str
    shape: tuple[int, ...]
    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]
