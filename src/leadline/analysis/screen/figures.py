"""What is measured of nodes and of pairs of nodes, and how samples become looks.

A figure of pairs is a benchmark with a `round`, whose samples name a rank and its peer. A figure of
nodes is one that every rank measures for itself, all at once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from leadline.analysis.screen.observations import Observations, pair_groups
from leadline.analysis.stats.statistics import Matrix

# The samples of a node's figure are parted into so many stretches, each a round of its own.
STRETCHES = 6
_QUARTER = 0.25


class Figure(NamedTuple):
    """A figure by its name, and how it is measured: a benchmark with its axes as text.

    `is_pair` says of what. `cause` is what to look at where it alone is slow.
    """

    name: str
    benchmark: str
    axes: dict[str, str]
    is_pair: bool
    # Of several times the middle, or the mean where rare long ones are what counts.
    summary: Callable[[Matrix], np.floating[Any]] = np.median


_DATA = tomllib.loads((Path(__file__).parent / "figures.toml").read_text())


def pair_figures(size: str) -> list[Figure]:
    """Return what is measured of pairs; large messages have `size` bytes, as text."""
    found = []
    for row in _DATA["pairs"]["figures"]:
        axes = {"bytes": size, **row}
        name = axes.pop("name")
        found.append(Figure(name, _DATA["pairs"]["benchmark"], axes, is_pair=True))
    return found


NODE_FIGURES = tuple(
    Figure(
        row["name"],
        row["benchmark"],
        row["axes"],
        is_pair=False,
        summary=np.mean if row.get("rare") else np.median,
    )
    for row in _DATA["nodes"]
)

Columns = Mapping[str, "np.ndarray[Any, np.dtype[Any]]"]


def pair_looks(
    figures: Sequence[str],
    measured: Mapping[tuple[int, str], Columns],
    switches: Sequence[str] | None,
    excluding: int,
    kinds: Sequence[int] = (),
) -> Observations:
    """Return the looks of rounds of pairs; `measured` has the samples of each round and figure.

    `kinds` has a number for each node, the same for alike ones; without it all are alike.
    A look is the lower quartile of a pair's samples without any flag of the bit set `excluding`:
    what is slow is always slow, and what disturbs the ranks of one moment is left out.
    """
    at: dict[tuple[int, int, int], int] = {}
    rows: list[tuple[int, int, float]] = []
    for (turn, figure), columns in measured.items():
        kept = (columns["flags"] & excluding) == 0
        kept &= (columns["peer"] >= 0) & (columns["seconds"] > 0)
        rank, peer = columns["rank"][kept], columns["peer"][kept]
        times = np.log(columns["seconds"][kept])
        keys = np.minimum(rank, peer).astype(np.int64) << 32 | np.maximum(rank, peer)
        for key in np.unique(keys).tolist():
            look = at.setdefault((turn, key >> 32, key & 0xFFFFFFFF), len(at))
            value = float(np.quantile(times[keys == key], _QUARTER))
            rows.append((figures.index(figure), look, value))
    slowness = np.full((len(figures), len(at)), np.nan)
    for index, look, value in rows:
        slowness[index, look] = value
    table = np.array(list(at), dtype=np.int64).reshape(-1, 3)
    turns, first, second = table.T
    group = pair_groups(first, second, switches, kinds)
    return Observations(figures, turns, first, second, slowness, group)


def node_looks(
    figures: Sequence[Figure],
    measured: Mapping[str, Columns],
    nodes: int,
    excluding: int,
    kinds: Sequence[int] = (),
) -> Observations:
    """Return the looks of nodes at themselves; `measured` has the samples of each figure by name.

    `kinds` is as in `pair_looks`.
    The repetitions of a rank are parted into stretches one after the other, of which each gives a
    look; a rank with fewer repetitions gives as many as it has.
    """
    slowness = np.full((len(figures), STRETCHES, nodes), np.nan)
    for index, figure in enumerate(figures):
        if figure.name not in measured:
            continue
        columns = measured[figure.name]
        kept = ((columns["flags"] & excluding) == 0) & (columns["seconds"] > 0)
        for node in range(nodes):
            seconds = columns["seconds"][kept & (columns["rank"] == node)]
            for stretch, part in enumerate(np.array_split(seconds, STRETCHES)):
                if len(part):
                    slowness[index, stretch, node] = np.log(figure.summary(part))
    names = np.tile(np.arange(nodes), STRETCHES)
    return Observations(
        [figure.name for figure in figures],
        np.repeat(np.arange(STRETCHES), nodes),
        names,
        names,
        slowness.reshape(len(figures), -1),
        np.array(kinds, dtype=np.int64)[names] if kinds else np.zeros(len(names), dtype=np.int64),
    )
