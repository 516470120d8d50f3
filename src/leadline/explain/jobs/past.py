"""Programs that are slower than they were, by rank tests as `leadline watch` finds turns.

Neither arguments nor inputs of a job are known. So what is compared is the wall time for each of
its calls, of jobs of one user, program, number of ranks and library, whose calls move as many
bytes. Jobs differ by factors and some are disturbed, so only their order counts: a change is where
Mann & Whitney's test tells the jobs before from those after best, times the places that were tried,
neighbours that are alike counted as fewer jobs, and again behind it (binary segmentation).
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime
from statistics import NormalDist

import numpy as np

from leadline.analysis.stats.ranks import rank_test
from leadline.analysis.stats.statistics import Array
from leadline.analysis.stats.trend import independence
from leadline.model.job_report import JobSummary, SlowProgram

# How probable it is that any program is called slower where none is.
_CHANCE = 0.02
# Jobs on either side of a change, at least.
_FEWEST = 4
# So many jobs, the last ones, are looked at.
_MOST = 400
# Calls with bytes that differ by more are of another input.
_SAME_BYTES = 1.05
# A smaller change is not worth a line.
_USEFUL = 1.05
# A shorter job is mostly its start.
_SHORTEST_S = 1.0


def slower_programs(jobs: Sequence[JobSummary]) -> list[SlowProgram]:
    """Return the programs that are slower now than they were, those that lose most first."""
    series = [each[-_MOST:] for each in _series(jobs) if len(each) >= 2 * _FEWEST]
    found = (_slow_program(each, _CHANCE / len(series)) for each in series)
    return sorted(filter(None, found), key=lambda each: -each.lost_s)


def _series(jobs: Sequence[JobSummary]) -> Iterator[list[JobSummary]]:
    """Yield the jobs that can be compared, the earliest first."""
    alike: dict[tuple[str, str, int, str], list[JobSummary]] = defaultdict(list)
    for job in jobs:
        if job.state == "ended" and job.wall_s >= _SHORTEST_S and job.calls > 0:
            alike[job.user, job.program, job.ranks, job.library].append(job)
    for each in alike.values():
        each.sort(key=lambda job: job.call_bytes)
        begin = 0
        for at in range(1, len(each) + 1):
            if at < len(each) and each[at].call_bytes <= _SAME_BYTES * each[at - 1].call_bytes:
                continue
            yield sorted(each[begin:at], key=lambda job: job.began)
            begin = at


def _slow_program(jobs: Sequence[JobSummary], chance: float) -> SlowProgram | None:
    """Return by how much the last jobs are slower than those before, None where they are not."""
    each_call = np.array([job.wall_s / job.calls for job in jobs])
    begin, change = 0, 0
    while (found := _change(each_call[change:], chance)) is not None:
        begin, change = change, change + found
    if not change:
        return None
    before, after = jobs[begin:change], jobs[change:]
    ratio = float(np.median(each_call[change:]) / np.median(each_call[begin:change]))
    if ratio < _USEFUL:
        return None
    return SlowProgram(
        user=jobs[0].user,
        program=jobs[0].program,
        ranks=jobs[0].ranks,
        library=jobs[0].library,
        since=datetime.fromtimestamp(after[0].began).date().isoformat(),
        ratio=ratio,
        jobs=len(after),
        past=len(before),
        lost_s=sum(job.time.seconds for job in after) * (1 - 1 / ratio),
        path=_typical(after).path,
        past_path=_typical(before).path,
    )


def _change(values: Array, chance: float) -> int | None:
    """Return where values are told best from those before, None where that may be chance."""
    size = len(values)
    if size < 2 * _FEWEST:
        return None
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable") + 1
    first = np.arange(_FEWEST, size - _FEWEST + 1)
    sums = np.cumsum(ranks)[first - 1]
    away = np.abs(sums - first * (size + 1) / 2) / np.sqrt(first * (size - first))
    place = int(first[away.argmax()])
    before, after = values[:place], values[place:]
    residuals = np.concatenate([np.log(part / np.median(part)) for part in (before, after)])
    # Only that they are slower counts: the test is one-sided.
    alone = max(rank_test(before, after) / 2, 1e-300)
    part = independence(_clipped(residuals), 2)
    if part < 1:
        alone = NormalDist().cdf(NormalDist().inv_cdf(alone) * math.sqrt(part))
    return place if alone * len(first) <= chance else None


def _clipped(residuals: Array) -> Array:
    """Return the residuals without what single disturbed jobs are away."""
    most = 3 * statistics.median(np.abs(residuals).tolist())
    clipped: Array = np.clip(residuals, -most, most)
    return clipped


def _typical(jobs: Sequence[JobSummary]) -> JobSummary:
    return sorted(jobs, key=lambda job: job.wall_s / job.calls)[len(jobs) // 2]
