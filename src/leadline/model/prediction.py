"""What LogGP predicts of collectives and halo exchanges, and for which machine."""

from typing import Literal

import msgspec

from leadline.model.map import Map
from leadline.model.platform import Step


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """What a message between two processes takes, by its size.

    `send` and `receive` are o, of the sender and of the receiver; `wire` has L and, for each byte,
    G. All begin at 0 bytes and ascend.
    """

    send: tuple[Step, ...]
    receive: tuple[Step, ...]
    wire: tuple[Step, ...]


class LogGPMachine(msgspec.Struct, frozen=True, kw_only=True):
    """A machine as LogGP knows it, in seconds and bytes.

    `within` is between processes of one node, `between` from node to node, where the L of `wire` is
    of one link: `links` of them are on every way, beside those of the network's shape where
    `by_distance`. Messages of `eager_bytes` and more wait for their receiver, none where it is
    None. They keep the port of their node busy for `port_fraction` of the time of their bytes, and
    for `gap_s` at least; where nodes have `one_medium`, all use the same port. Reductions and
    copies take their time for each byte. `nodes` is how many there are, None for as many as asked
    for. With `contention` messages share each link of their ways instead of ports, as far as these
    are known. `assumed` says in words what nobody measured.
    """

    name: str
    origin: Literal["platform", "run"]
    between: Way
    within: Way
    gap_s: float = 0.0
    port_fraction: float = 1.0
    one_medium: bool = False
    links: float = 1.0
    by_distance: bool = False
    contention: bool = False
    eager_bytes: int | None = None
    reduce_s_per_byte: float = 0.0
    copy_s_per_byte: float = 0.0
    nodes: int | None = None
    assumed: tuple[str, ...] = ()


class PredictedJitter(msgspec.Struct, frozen=True, kw_only=True):
    """Exchanges in a row of which each task begins some late, as often as `probability` says.

    `alone_s` is an exchange of which nobody is late, and by so much one is. AVG and MAX are those
    of the halo benchmark: of a call over tasks, then over calls. `late_fraction` is of calls whose
    maximum is one and a half times `alone_s` or more. The `independent_` ones are the same for
    tasks that do not wait for each other, in closed form.
    """

    calls: int
    probability: float
    seed: int
    alone_s: float
    average_s: float
    maximum_s: float
    maximum_over_average: float
    late_fraction: float
    independent_maximum_over_average: float
    independent_late_fraction: float


class BusiestLink(msgspec.Struct, frozen=True, kw_only=True):
    """The link that its bytes would keep busy for longest, from vertex `one` to vertex `other`.

    Both are the same where all nodes share one medium. `busy_fraction` is the time of its bytes at
    its full rate over that of the whole call: near 1, no faster nodes would help.
    """

    one: str
    other: str
    bytes: int
    busy_fraction: float


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """One call of all processes, from its start on all to the end on the last.

    `algorithm` is the pattern of a halo exchange. `steps` are the messages of the longest chain in
    which each has to wait for the one before, `most_messages` what one rank sends at most. The
    `network_` ones are between nodes. With `contention` messages shared every link of their ways.
    `busiest` is a link in one direction, None where the ways are unknown or nothing takes one.
    `predicted` is true: nothing was measured.
    """

    predicted: Literal[True] = True
    benchmark: str
    algorithm: str
    bytes: int
    processes: int
    nodes: int
    processes_per_node: int
    order: str
    seconds: float
    steps: int
    messages: int
    most_messages: int
    moved_bytes: int
    network_messages: int
    network_bytes: int
    contention: bool
    busiest: BusiestLink | None = None
    jitter: PredictedJitter | None = None


class Fastest(msgspec.Struct, frozen=True, kw_only=True):
    """The algorithm that would be fastest, and by which factor the next one would be slower."""

    bytes: int
    processes: int
    algorithm: str
    seconds: float
    second: str | None
    factor: float | None


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """What could not be predicted, and why."""

    algorithm: str
    bytes: int
    processes: int
    reason: str


class Predictions(msgspec.Struct, frozen=True, kw_only=True):
    """All that one question brought, for the machine `on`. `predicted` is true.

    `map` is the machine with what its links carry, where it was asked for.
    """

    predicted: Literal[True] = True
    on: LogGPMachine
    predictions: tuple[Prediction, ...]
    fastest: tuple[Fastest, ...]
    left_out: tuple[LeftOut, ...] = ()
    map: Map | None = None
