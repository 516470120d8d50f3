"""Pages of the jobs of a site: all of them, and each as `leadline explain` shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from leadline.core.errors import UserError
from leadline.core.units import count
from leadline.model.job_report import Grouping, JobReport, JobSummary
from leadline.output.job_report import (
    NONE_LISTED,
    about_text,
    explain_command,
    findings,
    groups_table,
    headline,
    jobs_table,
    losing,
    refused_text,
)
from leadline.output.server.jobs import FIELDS, Jobs
from leadline.output.server.served import (
    Address,
    Missing,
    Served,
    cut,
    json,
    link,
    marked,
    report_page,
)
from leadline.output.table import Column, Table

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

# So many jobs are shown at first and at most, and of what they are added up by: JSON has all.
_JOBS, _MOST_JOBS, _GROUPS = 20, 1000, 20
# A phone has no room for them.
_SPARE = ("user", "began", "ranks", "command")
_COPY = '<button type="button" data-copy="{}" aria-label="Copy {}" hidden>Copy</button>'


def _all(served: Served, request: Request) -> Response:
    jobs = _jobs(served)
    arguments = {name: request.args[name] for name in FIELDS if request.args.get(name)}
    api = f"/api/jobs?{urlencode(arguments)}" if arguments else "/api/jobs"
    shown: dict[str, Any] = {"links": {"JSON": api}, "fields": FIELDS, "arguments": arguments}
    try:
        found = jobs.report(arguments)
    except UserError as error:
        return served.page("jobs", 422, "/jobs", **shown, refused=str(error))
    listed, is_more = losing(found), "more" in request.args
    has_more = len(listed) > _JOBS and not is_more
    return served.page(
        "jobs",
        here="/jobs",
        **shown,
        refused=refused_text(found),
        answer=headline(found),
        about=about_text(found),
        worst=_worst(jobs, listed, _MOST_JOBS if is_more else _JOBS),
        more=f"/jobs?{urlencode({**arguments, 'more': 'yes'})}" if has_more else "",
        none_listed=NONE_LISTED,
        findings=list(findings(found)),
        groups=[_added_up(found, by, arguments) for by in found.groups],
    )


def _worst(jobs: Jobs, listed: list[JobSummary], most: int) -> Table:
    table, shown = jobs_table(listed, most), listed[:most]
    table = _linked(table, "program", (_address(jobs, job) for job in shown))
    commands = (explain_command(job.path) for job in shown)
    rows = (
        row._replace(cells=(*row.cells, marked(_COPY, command, command)))
        for row, command in zip(table.rows, commands, strict=True)
    )
    caption = f"Jobs that lost most: {table.caption or count(len(listed), 'job')}"
    columns = (
        each._replace(kind=f"{each.kind} spare") if each.name in _SPARE else each
        for each in (*table.columns, Column("command"))
    )
    return table._replace(caption=caption, columns=tuple(columns), rows=tuple(rows))


def _address(jobs: Jobs, job: JobSummary) -> str:
    return f"/jobs/{quote(jobs.name(job.path))}"


def _added_up(found: JobReport, by: Grouping, arguments: Mapping[str, str]) -> Table:
    groups = found.groups[by]
    table = groups_table(groups, by, _GROUPS)
    chosen = ({**arguments, **_choice(by, group.name)} for group in groups[:_GROUPS])
    table = _linked(table, by, (f"/jobs?{urlencode(each)}" for each in chosen))
    return table._replace(caption=table.caption or count(len(groups), by))


def _choice(by: Grouping, name: str) -> dict[str, str]:
    if by != "week":
        return {by: name}
    first = date.fromisoformat(name)
    return {"since": f"{first}", "until": f"{first + timedelta(days=7)}"}


def _linked(table: Table, column: str, addresses: Iterable[str]) -> Table:
    """Return the table with a link in that column of each row."""
    at = [each.name for each in table.columns].index(column)
    rows = []
    for row, address in zip(table.rows, addresses, strict=True):
        cells = list(row.cells)
        cells[at] = link(cells[at], address)
        rows.append(row._replace(cells=tuple(cells)))
    return table._replace(rows=tuple(rows))


def _api_all(served: Served, request: Request) -> Response:
    return json(_jobs(served).report(request.args))


def _job(served: Served, request: Request, name: str) -> Response:
    jobs, job = _named(served, name)
    menu = served.menu("", {"JSON": f"/api{_address(jobs, job)}"}, job.state == "running")
    return report_page(request, jobs.page(job, menu))


def _api_job(served: Served, request: Request, name: str) -> Response:
    jobs, job = _named(served, name)
    return json(jobs.explained(job))


def _jobs(served: Served) -> Jobs:
    if served.jobs is None:
        raise Missing("No jobs are shown here: start `leadline serve --jobs FOLDER`.")
    return served.jobs


def _named(served: Served, name: str) -> tuple[Jobs, JobSummary]:
    jobs = _jobs(served)
    job = jobs.job(name)
    if job is None:
        raise Missing(f"There is no job {cut(name, 80)!r}.")
    return jobs, job


ADDRESSES = (
    Address("/jobs", _all, waits=True),
    Address("/api/jobs", _api_all, waits=True),
    Address("/jobs/<path:name>", _job, waits=True),
    Address("/api/jobs/<path:name>", _api_job, waits=True),
)
