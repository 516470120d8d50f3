"""What a screening found: which node, link or uplink of a cluster is slow."""

from typing import Literal

import msgspec

SCREEN_FORMAT = 1


class Suspect(msgspec.Struct, frozen=True, kw_only=True):
    """A node, a link between two nodes or the uplink of a switch that is slow, or a dead node.

    `name` is that of the node or switch; of a link those of its nodes, joined by a blank, a dash
    and a blank. `figure` is the one that shows it best, and `ratio` how many times as long as usual
    it takes; null for a node that does not answer. `ratios` has that of all figures. `probability`
    is that of its being at fault. `looks` counts the measurements that it is judged by. `is_new`
    tells whether the last screening of the same nodes did not have it, null where there is none.
    `reason` says what the rank of a node did that hung (figure `hang`), or why a node does not
    answer (figure `answer`), where that is known; else it is empty.
    `again_ratios` has the ratio of each figure in the rounds that measured suspects again, and
    `again_rounds` counts those that had it.
    """

    kind: Literal["node", "link", "uplink"]
    name: str
    figure: str
    ratio: float | None
    probability: float
    ratios: dict[str, float] = {}
    looks: int = 0
    is_new: bool | None = None
    reason: str = ""
    again_ratios: dict[str, float] = {}
    again_rounds: int = 0

    @property
    def ends(self) -> tuple[str, ...]:
        """The nodes that it is about; none of an uplink."""
        if self.kind == "uplink":
            return ()
        return tuple(self.name.split(" - ")) if self.kind == "link" else (self.name,)


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What one of doctor's checks, or its time of day, shows of a node and not of the others.

    `observed` is what it has, `usual` what at least three in four of the nodes have. `command` is
    the cure, where doctor knows one.
    """

    node: str
    check: str
    observed: str
    usual: str
    command: str | None = None


class Screen(msgspec.Struct, frozen=True, kw_only=True):
    """A screening of a cluster.

    `nodes` are those that answered, in the order of ranks, and `rounds` how many rounds of pairs
    were measured. `seconds` is the time of it all. `run` has all samples. `against` is the run of
    the last screening of these nodes, if any. `is_complete` is false where a part could not be
    measured, as `message` says. `differences` are those of all nodes; alone they make no suspect.
    `levels` has the seconds of each figure that a node measures by itself, by node, `pair_levels`
    those of the figures of pairs, as with a partner like the other nodes' partners. `kinds` has the
    nodes of each kind of hardware: each is held against its own, if that has three, and `switches`
    those of each leaf switch, where these are known or latencies tell. Where nodes
    `share_cores`, as those of a virtual cluster do, only pairs are measured: by itself a node is
    slow whenever another one has its core. Of a node that was screened alone, `kind` names its
    processors, and `past` counts the earlier screenings, of it or its kind, that it is held
    against; null where nodes were held against each other.
    """

    format: int = SCREEN_FORMAT
    run: str
    nodes: tuple[str, ...]
    rounds: int
    seconds: float
    suspects: tuple[Suspect, ...]
    against: str | None = None
    is_complete: bool = True
    message: str = ""
    differences: tuple[Difference, ...] = ()
    levels: dict[str, dict[str, float]] = {}
    pair_levels: dict[str, dict[str, float]] = {}
    kinds: dict[str, tuple[str, ...]] = {}
    switches: dict[str, tuple[str, ...]] = {}
    share_cores: bool = False
    kind: str = ""
    past: int | None = None

    @property
    def measured(self) -> tuple[str, ...]:
        """The nodes that have a figure; of the others nothing is known."""
        return tuple(each for each in self.nodes if each in self.levels or each in self.pair_levels)

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """The nodes that have no figure, and of which nobody said why."""
        known = {*self.measured, *(each.name for each in self.suspects)}
        return tuple(each for each in self.nodes if each not in known)
