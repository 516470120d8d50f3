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
# Jobs with so many nodes together are looked at, the newest ones.
_MOST = 1_000_000
# A program's own jobs count beside so many like all others.
_DRAWN = 2.0


class _Place(NamedTuple):
    """Where a node was in the jobs of a program: its number in the job, of so many ranks."""

    user: str
    program: str
    ranks: int
    number: int


class _Vote(NamedTuple):
    """The jobs in which a node had a place, and whether it was late in most of them."""

    place: _Place
    node: str
    jobs: Sequence[JobSummary]

    @property
    def is_late(self) -> bool:
        return sum(job.late_node == self.node for job in self.jobs) > _HALF * len(self.jobs)

    @property
    def stratum(self) -> tuple[str, str, bool]:
        """What is like this one: votes of the program, for first nodes or for others."""
        return self.place.user, self.place.program, self.place.number == 0


class _Rate:
    """How often votes are late, in all, and without those on one node."""

    def __init__(self, votes: Iterable[_Vote]) -> None:
        self._late: dict[object, int] = defaultdict(int)
        self._votes: dict[object, int] = defaultdict(int)
        for vote in votes:
            for key in (vote.stratum, vote.stratum[2]):
                for counted in (key, (key, vote.node)):
                    self._late[counted] += vote.is_late
                    self._votes[counted] += 1

    def without(self, vote: _Vote) -> float:
        """Return how probable it is that another node is late there."""
        late, votes = self._others(vote.node, vote.stratum[2])
        usual = (late + 1) / (votes + 2)
        late, votes = self._others(vote.node, vote.stratum)
        return (late + _DRAWN * usual) / (votes + _DRAWN)

    def _others(self, node: str, key: object) -> tuple[int, int]:
        return self._late[key] - self._late[key, node], self._votes[key] - self._votes[key, node]


def late_nodes(jobs: Iterable[JobSummary]) -> list[LateNode]:
    """Return the nodes that are late for sure, those that cost most first."""
    placed: dict[tuple[str, _Place], list[JobSummary]] = defaultdict(list)
    left = _MOST
    for job in sorted(jobs, key=lambda each: -each.began):
        left -= len(job.hosts)
        if left < 0:
            break
        for number, node in enumerate(job.hosts if len(job.hosts) > 1 else ()):
            placed[node, _Place(job.user, job.program, job.ranks, number)].append(job)
    votes: dict[str, list[_Vote]] = defaultdict(list)
    for (node, place), each in placed.items():
        votes[node].append(_Vote(place, node, each))
    rate = _Rate(vote for each in votes.values() for vote in each)
    found = (_judge(each, rate, len(votes)) for each in votes.values())
    return sorted(filter(None, found), key=lambda each: -each.lost_s)


def _judge(votes: Sequence[_Vote], rate: _Rate, nodes: int) -> LateNode | None:
    node = votes[0].node
    said = [vote for vote in votes if vote.is_late]
    programs = {vote.place.program for vote in said}
    if len(programs) < _PROGRAMS:
        return None
    p_value = min(1.0, nodes * _tail(np.array([rate.without(vote) for vote in votes]), len(said)))
    if p_value > _CHANCE:
        return None
    late = [job for vote in votes for job in vote.jobs if job.late_node == node]
    return LateNode(
        node=node,
        late=len(late),
        jobs=sum(len(vote.jobs) for vote in votes),
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
