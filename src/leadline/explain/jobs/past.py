"""Programs that are slower than they were: days of jobs, judged as `leadline watch` judges nights.

Neither arguments nor inputs of a job are known. So what is compared is the wall time for each of
its calls, of jobs of one user, program, number of ranks and library, whose calls move as many
bytes.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from leadline.analysis.compare.nights import Follower, Key, Night
from leadline.analysis.stats.nightly import FEWEST_NIGHTS
from leadline.model.job_report import JobSummary, SlowProgram

# Earlier days that count, as `watch` has it.
_HISTORY = 20
# Calls with bytes that differ by more are of another input.
_SAME_BYTES = 1.05
# A smaller change is not worth a line.
_USEFUL = 1.05
# A shorter job is mostly its start.
_SHORTEST_S = 1.0
# Fewer jobs before and after show nothing.
_FEWEST = 3


def slower_programs(jobs: Sequence[JobSummary]) -> list[SlowProgram]:
    """Return the programs that are slower now than they were, those that lose most first."""
    series = {key: each for key, each in _series(jobs) if len(each) >= FEWEST_NIGHTS + 1}
    days: dict[str, dict[Key, list[float]]] = defaultdict(lambda: defaultdict(list))
    for key, each in series.items():
        for job in each:
            days[_day(job)][key].append(math.log(job.wall_s / job.calls))
    follower = Follower(_HISTORY, at_once=False)
    since: dict[Key, str] = {}
    for day in sorted(days):
        launches = {key: np.array(values) for key, values in days[day].items()}
        verdict = follower.add(Night(day, launches, {key: key for key in launches}))
        for key, told in verdict.figures.items():
            if told.said == "slower":
                since[key] = told.since or day
            elif told.said == "faster":
                since.pop(key, None)
    found = (_slow_program(series[key], day) for key, day in since.items())
    return sorted(filter(None, found), key=lambda each: -each.lost_s)


def _day(job: JobSummary) -> str:
    return datetime.fromtimestamp(job.began, UTC).date().isoformat()


def _series(jobs: Sequence[JobSummary]) -> Iterator[tuple[Key, list[JobSummary]]]:
    """Yield the jobs that can be compared, the earliest first."""
    alike: dict[tuple[str, str, int, str], list[JobSummary]] = defaultdict(list)
    for job in jobs:
        if job.state == "ended" and job.wall_s >= _SHORTEST_S and job.calls > 0:
            alike[job.user, job.program, job.ranks, job.library].append(job)
    for key, each in alike.items():
        each.sort(key=lambda job: job.call_bytes)
        begin = 0
        for at in range(1, len(each) + 1):
            if at < len(each) and each[at].call_bytes <= _SAME_BYTES * each[at - 1].call_bytes:
                continue
            yield (*key, begin), sorted(each[begin:at], key=lambda job: job.began)
            begin = at


def _slow_program(jobs: Sequence[JobSummary], since: str) -> SlowProgram | None:
    """Return by how much the jobs since that day are slower, None where they are no longer so."""
    before = [job for job in jobs if _day(job) < since]
    after = [job for job in jobs if _day(job) >= since]
    if min(len(before), len(after)) < _FEWEST:
        return None
    usual, now = (statistics.median(j.wall_s / j.calls for j in each) for each in (before, after))
    last = statistics.median(job.wall_s / job.calls for job in after[-_FEWEST:])
    ratio = now / usual
    if ratio < _USEFUL or last < math.sqrt(usual * now):
        return None
    return SlowProgram(
        user=jobs[0].user,
        program=jobs[0].program,
        ranks=jobs[0].ranks,
        library=jobs[0].library,
        since=since,
        ratio=ratio,
        jobs=len(after),
        past=len(before),
        lost_s=sum(job.time.seconds for job in after) * (1 - 1 / ratio),
        path=_typical(after).path,
        past_path=_typical(before).path,
    )


def _typical(jobs: Sequence[JobSummary]) -> JobSummary:
    return sorted(jobs, key=lambda job: job.wall_s / job.calls)[len(jobs) // 2]
