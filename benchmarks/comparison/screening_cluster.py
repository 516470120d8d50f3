"""A model of a cluster: what pairs of its nodes measure, with faults put in.

Times are lognormal about a level of their figure. Nodes and pairs differ a little for good; a
round may be slow as a whole; now and then one look is disturbed by an exponential factor. The
defaults are coarser than what quiet clusters show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from leadline.analysis.screen.matchings import Matching
from leadline.analysis.screen.observations import Observations, pair_groups

FIGURES = ("latency", "bandwidth", "both ways", "message rate")
OWN = ("memory", "copies", "arithmetic", "noise")
LATENCY, BANDWIDTH, BOTH, RATE = range(4)


@dataclass(frozen=True)
class Noise:
    """Standard deviations of logarithms, and how often and how much a look is disturbed."""

    look: Sequence[float] = (0.03, 0.01, 0.015, 0.03)
    node: float = 0.008
    pair: float = 0.005
    round: float = 0.05
    disturbed: float = 0.02
    disturbance: float = 0.5


class Fault(NamedTuple):
    """Factors on the time of each figure, for `node`, a `link` or the uplink of a `switch`.

    `own` are the factors on the node's own figures.
    """

    kind: str
    name: tuple[int, ...] | str
    factors: Sequence[float]
    own: Sequence[float] = (1.0, 1.0, 1.0, 1.0)


def slow_rate(node: int) -> Fault:
    """90 % of the rate."""
    return Fault("node", (node,), (1.0, 1 / 0.9, 1 / 0.9, 1.0))


def slow_latency(node: int, extra_us: float = 50.0, usual_us: float = 100.0) -> Fault:
    """50 us more, where a message takes `usual_us`; a window of 64 messages hides most of it."""
    return Fault("node", (node,), (1 + extra_us / usual_us, 1.02, 1.02, 1 + extra_us / 640))


def slow_processor(node: int) -> Fault:
    """A processor at two thirds of its clock: messages cost more, large ones hardly."""
    return Fault("node", (node,), (1.15, 1.02, 1.04, 1.5), (1.1, 1.2, 1.5, 1.5))


def slow_link(first: int, second: int) -> Fault:
    """Half the rate between two nodes only."""
    return Fault("link", (first, second), (1.0, 2.0, 2.0, 1.1))


def slow_uplink(switch: str) -> Fault:
    """Half the rate across one switch."""
    return Fault("uplink", switch, (1.05, 2.0, 2.0, 1.1))


@dataclass
class Cluster:
    """Nodes, faults and noise; `switches` has the leaf switch of each node where there are some.

    `kinds` has the number of each node's kind, from 0 on, where there are several kinds. A node of
    kind 0 is the fastest; everything takes one of kind 1 `kind` times as long, one of kind 2
    `kind`**2 times.
    """

    nodes: int
    random: np.random.Generator
    faults: Sequence[Fault] = ()
    switches: Sequence[str] | None = None
    noise: Noise = field(default_factory=Noise)
    across: float = 1.4
    kinds: Sequence[int] = ()
    kind: float = 1.5

    def __post_init__(self) -> None:
        """Draw what stays: how nodes and pairs differ."""
        normal = self.random.normal
        self._node = normal(0, self.noise.node, (len(FIGURES), self.nodes))
        self._seed = int(self.random.integers(2**31))

    def measure(self, matchings: Sequence[Matching], first_round: int = 0) -> Observations:
        """Return what these rounds measure."""
        looks = [
            (turn, *pair)
            for turn, matching in enumerate(matchings, first_round)
            for pair in matching
        ]
        table = np.array(looks, dtype=np.int64).reshape(-1, 3)
        turns, first, second = table.T
        count, noise = len(looks), self.noise
        spell = {turn: self.random.normal(0, noise.round, len(FIGURES)) for turn in set(turns)}
        values = self._node[:, first] + self._node[:, second]
        values += np.array([spell[turn] for turn in turns]).reshape(count, len(FIGURES)).T
        values += noise.pair * self._of_pairs(first, second)
        values += np.array(noise.look)[:, None] * self.random.normal(size=values.shape)
        hit = self.random.random(values.shape) < noise.disturbed
        values += hit * self.random.exponential(noise.disturbance, values.shape)
        if self.switches:
            across = pair_groups(first, second, self.switches)
            values[LATENCY] += np.log(self.across) * across
        if self.kinds:
            kind = np.array(self.kinds)
            values += np.log(self.kind) * np.maximum(kind[first], kind[second])
        group = pair_groups(first, second, self.switches, self.kinds)
        for fault in self.faults:
            touched = self._touched(fault, first, second)
            values += np.log(fault.factors)[:, None] * touched
        return Observations(FIGURES, turns, first, second, values, group)

    def measure_nodes(self, repetitions: int = 5) -> Observations:
        """Return what each node measures of itself, all at once."""
        turns = np.repeat(np.arange(repetitions), self.nodes)
        names = np.tile(np.arange(self.nodes), repetitions)
        scatter = np.array([0.02, 0.02, 0.005, 0.1])[:, None]
        values = self.noise.node * self.random.normal(size=(len(OWN), self.nodes))[:, names]
        values = values + scatter * self.random.normal(size=values.shape)
        hit = self.random.random(values.shape) < self.noise.disturbed
        values += hit * self.random.exponential(self.noise.disturbance, values.shape)
        for fault in self.faults:
            if fault.kind == "node":
                values += np.log(fault.own)[:, None] * (names == fault.name[0])
        group = np.zeros(len(turns), dtype=np.int64)
        if self.kinds:
            group = np.array(self.kinds)[names]
            values += np.log(self.kind) * group
        return Observations(OWN, turns, names, names, values, group)

    def _of_pairs(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return what stays of each pair: normal numbers made of the names of its nodes."""
        keys = np.minimum(first, second) * self.nodes + np.maximum(first, second)
        found = np.empty((len(FIGURES), len(keys)))
        for index, key in enumerate(keys.tolist()):
            found[:, index] = np.random.default_rng((self._seed, key)).normal(size=len(FIGURES))
        return found

    def _touched(self, fault: Fault, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        if fault.kind == "node":
            return np.asarray((first == fault.name[0]) | (second == fault.name[0]))
        if fault.kind == "link":
            low, high = sorted(int(each) for each in fault.name)
            pairs = (np.minimum(first, second) == low) & (np.maximum(first, second) == high)
            return np.asarray(pairs)
        leaf = np.array(self.switches)
        return np.asarray((leaf[first] == fault.name) != (leaf[second] == fault.name))
