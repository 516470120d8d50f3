"""Nodes that are late in jobs of different programs, beyond what chance and programs explain.

A program may make the same place in a job late each time, such as the node of rank 0, and a node
may have that place often. So a job counts against the other jobs of its program, first nodes
against first nodes, and the jobs in which a node had the same place in the same program are one
vote. How probable so many late votes are where the node is like others is the tail of a Poisson
binomial distribution (Le Cam, "An Approximation Theorem for the Poisson Binomial Distribution",
1960), times the number of nodes (Bonferroni).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from leadline.analysis.stats.statistics import Array
from leadline.model.job_report import JobSummary, LateNode

_CHANCE = 0.01
_PROGRAMS = 2
_HALF = 0.5
# A program's own jobs count beside so many like all others.
_DRAWN = 2.0


class _Place(NamedTuple):
    """Where a node was in the jobs of a program: its number in the job, of so many ranks."""

    user: str
    program: str
    ranks: int
    number: int


class _Seen(NamedTuple):
    """A node in a job."""

    place: _Place
    job: JobSummary

    @property
    def stratum(self) -> tuple[str, str, bool]:
        """What is alike: the program, and whether it was the node of the first ranks."""
        return self.place.user, self.place.program, self.place.number == 0


class _Rate:
    """How often nodes are late, in all, and without those of one node."""

    def __init__(self) -> None:
        self._late: dict[object, int] = defaultdict(int)
        self._jobs: dict[object, int] = defaultdict(int)

    def add(self, seen: _Seen, node: str) -> None:
        late = seen.job.late_node == node
        for key in (seen.stratum, seen.stratum[2], (seen.stratum, node), (seen.stratum[2], node)):
            self._late[key] += late
            self._jobs[key] += 1

    def without(self, node: str, stratum: tuple[str, str, bool]) -> float:
        """Return how probable it is that another node is late there."""
        late, jobs = self._others(node, stratum[2])
        usual = (late + 1) / (jobs + 2)
        late, jobs = self._others(node, stratum)
        return (late + _DRAWN * usual) / (jobs + _DRAWN)

    def _others(self, node: str, key: object) -> tuple[int, int]:
        return self._late[key] - self._late[key, node], self._jobs[key] - self._jobs[key, node]


def late_nodes(jobs: Iterable[JobSummary]) -> list[LateNode]:
    """Return the nodes that are late for sure, those that cost most first."""
    seen: dict[str, list[_Seen]] = defaultdict(list)
    rate = _Rate()
    for job in jobs:
        if len(job.hosts) < 2:
            continue
        for number, node in enumerate(job.hosts):
            one = _Seen(_Place(job.user, job.program, job.ranks, number), job)
            seen[node].append(one)
            rate.add(one, node)
    found = (_judge(node, each, rate, len(seen)) for node, each in seen.items())
    return sorted(filter(None, found), key=lambda each: -each.lost_s)


def _judge(node: str, seen: Sequence[_Seen], rate: _Rate, nodes: int) -> LateNode | None:
    late = [one for one in seen if one.job.late_node == node]
    if len({one.job.program for one in late}) < _PROGRAMS:
        return None
    votes: dict[_Place, list[_Seen]] = defaultdict(list)
    for one in seen:
        votes[one.place].append(one)
    chances = [rate.without(node, each[0].stratum) for each in votes.values()]
    said = [
        place
        for place, each in votes.items()
        if sum(one.job.late_node == node for one in each) > _HALF * len(each)
    ]
    programs = {place.program for place in said}
    p_value = min(1.0, nodes * _tail(np.array(chances), len(said)))
    if p_value > _CHANCE or len(programs) < _PROGRAMS:
        return None
    worst = max(late, key=lambda one: one.job.time.waiting_s)
    return LateNode(
        node=node,
        late=len(late),
        jobs=len(seen),
        programs=tuple(sorted(programs)),
        users=len({one.job.user for one in late}),
        p_value=p_value,
        lost_s=sum(one.job.time.waiting_s for one in late),
        path=worst.job.path,
    )


def _tail(chances: Array, least: int) -> float:
    """Return how probable so many successes or more are, each with its chance, shape (n,)."""
    found = np.zeros(len(chances) + 1)
    found[0] = 1.0
    for chance in chances:
        found[1:] = found[1:] * (1 - chance) + found[:-1] * chance
        found[0] *= 1 - chance
    return float(found[least:].sum()) if least else 1.0
