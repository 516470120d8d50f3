"""Nodes that are late in jobs of different programs, beyond what chance and programs explain.

A program may make the same place in a job late each time, such as the node of rank 0, and a node
may have that place often. So a job counts against the other jobs of its program, first nodes
against first nodes, and the jobs in which a node had the same place in the same program are one
vote. How probable so many late votes are where the node is like others is the tail of a Poisson
binomial distribution (Le Cam, "An Approximation Theorem for the Poisson Binomial Distribution",
1960), times the number of nodes (Bonferroni).
"""

from __future__ import annotations

import bisect
import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.statistics import Array
from leadline.model.job_report import JobSummary, LateNode

_CHANCE = 0.01
_PROGRAMS = 2
_HALF = 0.5
# Jobs with so many nodes together are looked at, the newest ones.
_MOST = 500_000
# A program's own votes count beside so many like all others.
_DRAWN = 2.0


class _Stratum(NamedTuple):
    """What is like each other: a program's nodes of the first ranks, or its other nodes."""

    user: str
    program: str
    is_first: bool


class _Place(NamedTuple):
    """A node at a place of a program: as the node of that number in jobs of so many ranks."""

    stratum: _Stratum
    ranks: int
    number: int
    node: str


# How many jobs there are at a place, and in how many of them the node was late.
_Votes = dict[_Place, tuple[int, int]]


def late_nodes(jobs: Iterable[JobSummary]) -> list[LateNode]:
    """Return the nodes that are late for sure, those that cost most first."""
    seen = [job for job in sorted(jobs, key=lambda job: -job.began) if len(job.hosts) > 1]
    nodes = list(itertools.accumulate(len(job.hosts) for job in seen))
    seen = seen[: bisect.bisect_right(nodes, _MOST)]
    programs: dict[str, set[str]] = defaultdict(set)
    for job in seen:
        programs[job.late_node].add(job.program)
    suspects = {node for node, each in programs.items() if node and len(each) >= _PROGRAMS}
    if not suspects:
        return []
    votes = _count(seen)
    rate = _Rate(votes, suspects)
    of_node: dict[str, _Votes] = {node: {} for node in suspects}
    for place, counts in votes.items():
        if place.node in suspects:
            of_node[place.node][place] = counts
    names = len({place.node for place in votes})
    found = (_judge(node, each, rate, names, seen) for node, each in of_node.items())
    return sorted(filter(None, found), key=lambda each: (-each.lost_s, each.node))


def _count(jobs: Iterable[JobSummary]) -> _Votes:
    votes: _Votes = {}
    for job in jobs:
        first, other = (_Stratum(job.user, job.program, is_first) for is_first in (True, False))
        for number, node in enumerate(job.hosts):
            place = _Place(other if number else first, job.ranks, number, node)
            count, late = votes.get(place, (0, 0))
            votes[place] = count + 1, late + (node == job.late_node)
    return votes


def _is_late(counts: tuple[int, int]) -> bool:
    """Tell whether a vote says that the node was late: it was in most of the jobs."""
    return counts[1] > _HALF * counts[0]


class _Rate:
    """How often votes are late, in all, and without those on one of the suspects."""

    def __init__(self, votes: _Votes, suspects: Collection[str]) -> None:
        self._late: dict[object, int] = defaultdict(int)
        self._votes: dict[object, int] = defaultdict(int)
        for (stratum, _, _, node), counts in votes.items():
            late = _is_late(counts)
            for key in (stratum, stratum.is_first):
                self._late[key] += late
                self._votes[key] += 1
                if node in suspects:
                    self._late[key, node] += late
                    self._votes[key, node] += 1

    def without(self, place: _Place) -> float:
        """Return how probable it is that another node is late there."""
        late, votes = self._others(place.node, place.stratum.is_first)
        usual = (late + 1) / (votes + 2)
        late, votes = self._others(place.node, place.stratum)
        return (late + _DRAWN * usual) / (votes + _DRAWN)

    def _others(self, node: str, key: object) -> tuple[int, int]:
        return self._late[key] - self._late[key, node], self._votes[key] - self._votes[key, node]


def _judge(
    node: str, votes: _Votes, rate: _Rate, nodes: int, jobs: Iterable[JobSummary]
) -> LateNode | None:
    said = [place for place, counts in votes.items() if _is_late(counts)]
    programs = {place.stratum.program for place in said}
    if len(programs) < _PROGRAMS:
        return None
    p_value = min(1.0, nodes * _tail(np.array([rate.without(place) for place in votes]), len(said)))
    if p_value > _CHANCE:
        return None
    late = [job for job in jobs if job.late_node == node]
    return LateNode(
        node=node,
        late=len(late),
        jobs=sum(count for count, _ in votes.values()),
        programs=tuple(sorted(programs)),
        users=len({job.user for job in late}),
        p_value=p_value,
        lost_s=sum(job.time.waiting_s for job in late),
        path=max(late, key=lambda job: job.time.waiting_s).path,
    )


def _tail(chances: Array, least: int) -> float:
    """Return how probable so many successes or more are, each with its chance, shape (n,)."""
    found = np.zeros(len(chances) + 1)
    found[0] = 1.0
    for chance in chances:
        found[1:] = found[1:] * (1 - chance) + found[:-1] * chance
        found[0] *= 1 - chance
    return float(found[least:].sum()) if least else 1.0
