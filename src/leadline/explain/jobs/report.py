"""All jobs together: those that lose most, and what their users, programs, nodes and weeks lose."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from leadline.core.errors import UserError
from leadline.core.names import nearest
from leadline.core.units import parse_duration
from leadline.explain.jobs.folder import Found
from leadline.explain.jobs.nodes import late_nodes
from leadline.explain.jobs.past import slower_programs
from leadline.explain.jobs.summary import largest_loss
from leadline.model.job_report import (
    CoreTime,
    Grouping,
    JobGroup,
    JobReport,
    JobSummary,
)

# Before the time that is asked for: what is usual of a program follows from so much of its past.
_PAST_S = 30 * 86_400.0


class Chosen(NamedTuple):
    """Which jobs are asked for; times are in seconds since the epoch. Empty texts are for all."""

    since: float | None = None
    until: float | None = None
    user: str = ""
    program: str = ""
    node: str = ""

    @property
    def past(self) -> float | None:
        """When the past begins that shows what is usual."""
        return self.since - _PAST_S if self.since is not None else None

    def in_time(self, job: JobSummary) -> bool:
        """Tell whether the job began in the time."""
        late = self.since is not None and job.began < self.since
        return not late and (self.until is None or job.began < self.until)

    def has(self, job: JobSummary) -> bool:
        """Tell whether the job is of that user and program and ran on that node."""
        return (
            self.user in ("", job.user)
            and self.program in ("", job.program, Path(job.program).name)
            and (not self.node or self.node in map(_short, job.hosts) or self.node in job.hosts)
        )


def moment(text: str, now: float) -> float | None:
    """Return the seconds since the epoch that a day, a time or a duration before now means.

    An empty text means none. Raises `UserError`.
    """
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        pass
    try:
        return now - parse_duration(text)
    except UserError:
        raise UserError(f"{text!r} is no day: write 2026-11-21, or 7d for the last week") from None


def _short(host: str) -> str:
    return host.partition(".")[0]


def report(
    folder: Path, found: Found, chosen: Chosen, groupings: Collection[Grouping]
) -> JobReport:
    """Return what is said of the jobs that are chosen, added up by `groupings`.

    Those before them show what is usual of a program, and all of the time which nodes are late.
    Raises `UserError` where there is none.
    """
    whole = [job for job in found.jobs if chosen.in_time(job)]
    jobs = [job for job in whole if chosen.has(job)]
    if not jobs:
        raise UserError(_why_none(folder, found, whole, chosen))
    time = _total(jobs)
    first, began = chosen.past or 0.0, min(job.began for job in jobs)
    past = (job for job in found.jobs if first <= job.began < began and chosen.has(job))
    paths = {job.path for job in jobs}
    known = [*past, *jobs]
    return JobReport(
        folder=str(folder),
        jobs=tuple(sorted(jobs, key=lambda job: (-job.lost_s, job.began, job.path))),
        time=time,
        groups={name: _groups(jobs, _GROUPINGS[name]) for name in groupings},
        slower=tuple(each for each in slower_programs(known) if each.path in paths),
        late_nodes=tuple(
            each for each in late_nodes(whole) if any(each.node == job.late_node for job in jobs)
        ),
        refused=found.refused,
    )


def _why_none(folder: Path, found: Found, whole: Sequence[JobSummary], chosen: Chosen) -> str:
    if not found.jobs:
        refused = found.refused
        return f"none of {refused.files} files in {folder} is a job's: {refused.first}"
    if not whole:
        return f"{folder}: no job of that time"
    for what, name, names in (
        ("user", chosen.user, {job.user for job in whole}),
        ("program", chosen.program, {Path(job.program).name for job in whole}),
        ("node", chosen.node, {_short(host) for job in whole for host in job.hosts}),
    ):
        if name and name not in names:
            near = nearest(name, sorted(names))
            hint = f": did you mean {near}?" if near else ""
            return f"{folder}: no job of {what} {name} in that time{hint}"
    return f"{folder}: no job is all that: leave out user, program or node"


def _total(jobs: Iterable[JobSummary]) -> CoreTime:
    time = CoreTime()
    for job in jobs:
        time.add(job.time)
    return time


Parts = Callable[[JobSummary], Iterator[tuple[str, float]]]


def _week(job: JobSummary) -> str:
    return f"{datetime.fromtimestamp(job.began):%G-W%V}"


def _on_nodes(job: JobSummary) -> Iterator[tuple[str, float]]:
    ranks = sum(job.host_ranks)
    for host, on_host in zip(job.hosts, job.host_ranks, strict=True):
        yield host, on_host / ranks


# What a job belongs to, and with which part of its time.
_GROUPINGS: dict[Grouping, Parts] = {
    "user": lambda job: iter([(job.user, 1.0)]),
    "program": lambda job: iter([(job.program, 1.0)]),
    "node": _on_nodes,
    "week": lambda job: iter([(_week(job), 1.0)]),
}


def _groups(jobs: Iterable[JobSummary], parts: Parts) -> tuple[JobGroup, ...]:
    """Return the groups of the jobs, those that lose most first."""
    members: dict[str, list[tuple[JobSummary, float]]] = defaultdict(list)
    for job in jobs:
        for name, part in parts(job):
            members[name].append((job, part))
    found = [_group(name, each) for name, each in members.items()]
    return tuple(sorted(found, key=lambda each: (-each.time.lost_s, each.name)))


def _group(name: str, members: Sequence[tuple[JobSummary, float]]) -> JobGroup:
    time = CoreTime()
    for job, part in members:
        time.add(job.time, part)
    late = [job for job, _ in members if name and job.late_node == name]
    return JobGroup(
        name=name,
        jobs=len(members),
        unended=sum(job.state in ("unended", "aborted") for job, _ in members),
        time=time,
        lost_to=largest_loss(time),
        late=len(late),
        late_s=sum(job.time.waiting_s for job in late),
    )
