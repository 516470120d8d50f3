"""What is said of all jobs, wherever it is shown: the answer, tables, findings, and a mail."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from pathlib import PurePath
from typing import NamedTuple

from leadline.core.units import count, percent, times
from leadline.model.job_report import (
    LOSSES,
    CoreTime,
    Grouping,
    JobGroup,
    JobReport,
    JobSummary,
    LateNode,
    Loss,
    SlowProgram,
)
from leadline.output.table import Column, Table, number, table_of

# A job that loses a smaller part of its time is not listed.
_LISTED = 0.01
NONE_LISTED = "No job lost more than 1 % of its time."
_SAID: dict[Loss, str] = {
    "waiting": "waiting for late ranks",
    "files": "file I/O",
    "set_up": "set-up",
    "unended": "in jobs that did not end",
}
_SHORT: dict[Loss, str] = {
    "waiting": "waiting", "files": "files", "set_up": "set-up", "unended": "no end",
}  # fmt: skip
# A smaller part of the time is not named.
_WORTH = 0.005
# So many jobs and programs are in a mail.
_MAILED = 2
_MOST = ("Most was lost in", "Then in")
# A user who loses less has nothing to do.
_WORTH_A_MAIL = 0.02
_NAMED = 3


def hours(seconds: float) -> str:
    """Return core seconds as core hours, with two significant digits.

    >>> hours(3600 * 123456), hours(3600 * 0.567), hours(1), hours(0)
    ('120000 h', '0.57 h', '0.00028 h', '0 h')
    """
    rounded = float(f"{seconds / 3600:.2g}")
    return f"{rounded:.0f} h" if rounded >= 10 else f"{rounded:g} h"


def program_name(program: str) -> str:
    """Return a program in a word."""
    return PurePath(program).name or "unknown"


def moment(seconds: float) -> str:
    """Return when something was, in local time, without the year."""
    return f"{datetime.fromtimestamp(seconds):%d %b %H:%M}"


def period(found: JobReport) -> str:
    """Return the days of the jobs.

    >>> job = JobSummary(path="", user="", job="", step="", program="", library="", began=86400.0,
    ...     wall_s=1.0, ranks=1, hosts=(), host_ranks=(), state="ended", time=CoreTime())
    >>> period(JobReport(folder="", jobs=(job,), time=CoreTime(), groups={}))[-8:]
    'Jan 1970'
    """
    first, last = (datetime.fromtimestamp(each) for each in found.period)
    begin = f"{first:%d %b %Y}" if first.year != last.year else f"{first:%d %b}"
    return f"{last:%d %b %Y}" if first.date() == last.date() else f"{begin} to {last:%d %b %Y}"


def headline(found: JobReport) -> str:
    """Return the answer in a sentence: how much, and what part of it was lost to what."""
    whole = found.time
    of = f"{count(len(found.jobs), 'job')}, {hours(whole.seconds)[:-2]} core hours"
    lost = list(_losses(whole))
    if not lost:
        return f"{of}: hardly anything was lost."
    return f"{of}, {_part(whole.lost_s, whole)} lost: {', '.join(lost)}."


def about_text(found: JobReport) -> str:
    """Return when and where the jobs were, and where the rest of their time went."""
    whole = found.time
    said = (
        f"{period(found)}, {found.folder}; computing {_part(whole.computing_s, whole)}, "
        f"moving data {_part(whole.transfer_s, whole)}"
    )
    running = found.count("running")
    return f"{said}; {count(running, 'job')} may still run" if running else said


def _losses(time: CoreTime) -> Iterator[str]:
    for what in sorted(LOSSES, key=lambda each: -time.lost_to(each)):
        if time.lost_to(what) >= _WORTH * time.seconds > 0:
            yield f"{_part(time.lost_to(what), time)} {_SAID[what]}"


def _part(seconds: float, time: CoreTime) -> str:
    return percent(seconds / time.seconds if time.seconds else 0.0)


def losing(found: JobReport) -> list[JobSummary]:
    """Return the jobs that are worth a line, those that lost most first."""
    return [job for job in found.jobs if job.lost_s >= _LISTED * job.time.seconds > 0]


def jobs_table(jobs: Sequence[JobSummary], most: int) -> Table:
    """Return a line for each of the `most` jobs that lost most; the caption says of how many."""
    rows = [
        (
            str(place), hours(job.lost_s)[:-2], _part(job.lost_s, job.time).removesuffix(" %"),
            job.user, program_name(job.program), moment(job.began), str(job.ranks),
            job.cause or "-",
        )
        for place, job in enumerate(jobs[:most], 1)
    ]  # fmt: skip
    columns = (
        number(""), number("lost h"), number("%"), Column("user", cut=True),
        Column("program", cut=True), Column("began", spare=1), number("ranks"),
        Column("cause", kind="words"),
    )  # fmt: skip
    return table_of(columns, rows, _of(len(rows), len(jobs), "jobs"))


def groups_table(groups: Sequence[JobGroup], by: Grouping, most: int) -> Table:
    """Return users, programs, nodes or weeks with what they lost, in hours and by cause."""
    rows = []
    short = Counter(program_name(group.name) for group in groups)
    for group in groups[:most]:
        time, name = group.time, group.name
        # Programs of several users have one name: their paths tell them apart.
        if by == "program" and short[program_name(name)] == 1:
            name = program_name(name)
        used = (hours(time.seconds)[:-2], hours(time.lost_s)[:-2], _percent(time.lost_s, time))
        kinds = [_percent(time.lost_to(what), time) for what in LOSSES]
        late = (str(group.late), hours(group.late_s)[:-2])
        rows.append((name, str(group.jobs), *used, *(late if by == "node" else kinds)))
    of_late = (number("late in jobs"), number("waited for it h"))
    of_kinds = (number(f"{_SHORT[what]} %") for what in LOSSES)
    columns = (
        Column(by, cut=True), number("jobs"), number("core h"), number("lost h"), number("%"),
        *(of_late if by == "node" else of_kinds),
    )  # fmt: skip
    return table_of(columns, rows, _of(len(rows), len(groups), f"{by}s"))


def _percent(seconds: float, time: CoreTime) -> str:
    return _part(seconds, time).removesuffix(" %")


def _of(shown: int, there: int, what: str) -> str:
    return "" if shown == there else f"{shown} of {there} {what}"


class JobFinding(NamedTuple):
    """What is said of jobs, and the command that shows more, empty where there is none."""

    text: str
    command: str


def findings(found: JobReport) -> Iterator[JobFinding]:
    """Yield what is to be said of programs and nodes."""
    for program in found.slower:
        yield JobFinding(slower_text(program), _compared(program))
    for node in found.late_nodes:
        yield JobFinding(late_text(node), explain_command(node.path))


def slower_text(found: SlowProgram) -> str:
    """Return by how much a program is slower, since when, and what that rests on."""
    return f"{program_name(found.program)} of {found.user} {_slower(found)}"


def _slower(found: SlowProgram) -> str:
    return (
        f"on {count(found.ranks, 'rank')} is {times(found.ratio)} slower per MPI call since "
        f"{_day(found.since)}: {count(found.jobs, 'job')}, {found.past} before. It cost "
        f"{hours(found.lost_s)[:-2]} core hours."
    )


def late_text(found: LateNode) -> str:
    """Return how often a node is late, and in what."""
    names = [program_name(each) for each in found.programs]
    more = len(names) - _NAMED
    shown = ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
    users = f" of {found.users} users" if found.users > 1 else ""
    return (
        f"Node {found.node} is late in {found.late} of {count(found.jobs, 'job')}: "
        f"{shown}{users}. {hours(found.lost_s)[:-2]} core hours were spent waiting there."
    )


def refused_text(found: JobReport) -> str:
    """Return how many files were refused and why the first was, empty where none was."""
    if not found.refused.files:
        return ""
    return f"{count(found.refused.files, 'file')} left out. {found.refused.first}"


def _day(text: str) -> str:
    return f"{date.fromisoformat(text):%d %b}"


def explain_command(*words: str) -> str:
    """Return the command that shows jobs."""
    return shlex.join(["leadline", "explain", *words])


def _compared(program: SlowProgram) -> str:
    return explain_command("--diff", program.past_path, program.path)


def mail(found: JobReport) -> list[JobFinding]:
    """Return what the user whose jobs these are is told: the answer, two findings, a way out."""
    whole = found.time
    answer = JobFinding(f"Your MPI jobs, {period(found)}: {headline(found)}", "")
    worst = [job for job in found.jobs if job.lost_s > 0]
    if whole.lost_s < _WORTH_A_MAIL * whole.seconds:
        worst = []
    slower = found.slower[: 1 if worst else _MAILED]
    things = [
        *(
            JobFinding(f"{lost} {_job_text(job)}", explain_command(job.path))
            for lost, job in zip(_MOST[: _MAILED - len(slower)], worst, strict=False)
        ),
        *(
            JobFinding(f"Your {program_name(each.program)} {_slower(each)}", _compared(each))
            for each in slower
        ),
    ]
    nothing = JobFinding("There is nothing to do.", "")
    off = JobFinding("To leave a job out, put into its script:", "export LEADLINE_EXPLAIN=off")
    return [answer, *(things or [nothing]), off]


def _job_text(job: JobSummary) -> str:
    number = f"job {job.job}, " if job.job else ""
    return (
        f"{program_name(job.program)}, {number}{moment(job.began)}, {count(job.ranks, 'rank')}: "
        f"{hours(job.lost_s)[:-2]} of {hours(job.time.seconds)[:-2]} core hours. "
        f"{job.cause[:1].upper()}{job.cause[1:].rstrip(' .')}."
    )
