"""Jobs that write nothing because their ranks call nothing: a scheduler knows that they run."""

from __future__ import annotations

from contextlib import suppress

from leadline.core.errors import UserError
from leadline.explain.job_file import read_job
from leadline.explain.jobs.folder import Found
from leadline.explain.jobs.summary import summarise
from leadline.model.job_report import JobSummary
from leadline.site.schedulers.job_source import NoAnswer, source


def with_running(found: Found) -> Found:
    """Return the jobs; those that seem not to have ended are running where a scheduler says so.

    It is asked once, and only where there is such a job with a number. Where none answers, all
    stays as it is.
    """
    if not any(_is_in_doubt(job) for job in found.jobs):
        return found
    with suppress(NoAnswer, UserError):
        running = source().running()
        return found._replace(
            jobs=[
                _as_written(job) if _is_in_doubt(job) and (job.job, job.user) in running else job
                for job in found.jobs
            ]
        )
    return found


def _is_in_doubt(job: JobSummary) -> bool:
    return job.state == "unended" and bool(job.job)


def _as_written(job: JobSummary) -> JobSummary:
    """Return the job as it was when its file was written."""
    with suppress(UserError):
        there = read_job(job.path)
        return summarise(there, there.written)
    return job
