"""Programs slower than their own past: found where they are, and not in what only scatters."""

import random

import pytest

from leadline.explain.jobs.past import slower_programs
from leadline.model.job_report import CoreTime, JobSummary

_DAY = 86_400.0


def _job(number, *, wall, program="/p", began, size=8.0, state="ended", user="anna"):
    return JobSummary(
        path=f"/j/{program}{number}.job", user=user, job=str(number), step="", program=program,
        library="MPICH", began=began, wall_s=wall, ranks=4, hosts=("n1",), host_ranks=(4,),
        state=state, time=CoreTime(seconds=4 * wall), calls=100.0, call_bytes=size,
    )  # fmt: skip


def _month(seed, *, step=1.0, since=30, days=40, scatter=0.08, program="/p", **fields):
    draw = random.Random(seed)
    return [
        _job(
            day,
            wall=100 * draw.lognormvariate(0, scatter) * (step if day >= since else 1.0),
            began=day * _DAY + draw.random(),
            program=program,
            **fields,
        )
        for day in range(days)
    ]


def test_a_program_that_became_slower_is_found_with_its_day():
    (found,) = slower_programs(_month(1, step=1.5))
    assert (found.since, found.jobs, found.past) == ("1970-01-31", 10, 30)
    assert found.ratio == pytest.approx(1.5, rel=0.1)
    assert found.lost_s == pytest.approx(10 * 4 * 50, rel=0.3)
    assert "/p" in found.path and found.path != found.past_path


@pytest.mark.parametrize(
    "fields", [{"step": 0.6}, {"step": 1.02}, {"step": 1.5, "days": 6, "since": 3}]
)
def test_what_is_faster_or_as_fast_or_too_young_is_no_finding(fields):
    assert slower_programs(_month(2, **fields)) == []


def test_what_scatters_is_no_finding():
    jobs = [
        job
        for each in range(60)
        for job in _month(each, program=f"/p{each}", scatter=0.05 + 0.01 * (each % 30))
    ]
    assert slower_programs(jobs) == []


def test_another_input_is_no_slowness():
    """Its calls have other sizes."""
    jobs = [*_month(3), *_month(4, size=16.0, step=3.0, since=0)]
    assert slower_programs(jobs) == []


def test_a_program_that_is_fast_again_is_no_finding():
    jobs = _month(5, step=1.5, since=10, days=20)
    again = _month(6, days=40)[20:]
    assert slower_programs([*jobs, *again]) == []


def test_jobs_that_did_not_end_and_other_users_do_not_count():
    jobs = _month(7)
    killed = _month(8, step=2.0, since=0, state="unended")
    other = _month(9, step=2.0, since=0, user="bert")
    assert slower_programs([*jobs, *killed, *other]) == []
