"""`leadline jobs`: all jobs of a site, of which the observer has left a file each."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import cast, get_args

import click

from leadline.cli.options import (
    PATH,
    Shared,
    argument,
    check_writable,
    declared,
    option,
    print_json,
    say,
    write,
)
from leadline.core.errors import UserError
from leadline.core.units import count
from leadline.model.job_report import Grouping


@declared()
def command(
    folder: Path = argument("FOLDER", type=PATH),
    since: str = option(
        "Only jobs that began from that day on (2026-11-21), or so long ago (7d).",
        "DATE",
        default="",
    ),
    until: str = option(
        "Only jobs that began before that day, or so long ago.", "DATE", default=""
    ),
    user: str = option("Only jobs of that user.", "NAME", default=""),
    program: str = option("Only jobs of that program, by name or path.", "NAME", default=""),
    node: str = option("Only jobs that ran on that node.", "NAME", default=""),
    by: str | None = option(
        "Add up by user, program, node or week.",
        "WHAT",
        type=click.Choice(["user", "program", "node", "week"]),
    ),
    mail: str = option("Print ten lines for a mail to that user.", "USER", default=""),
    limit: int | None = option(
        "Most jobs to show  [default: 10, all with --json]", "N", type=click.IntRange(1)
    ),
    as_json: bool = Shared.json,
    prometheus: Path | None = Shared.prometheus,
    prepare: bool = option(
        "Make FOLDER for all users, with a folder for each of the next 400 days."
    ),
) -> None:
    """Say which jobs of a site lose most, and to what.

    FOLDER has the files that LEADLINE_JOBS makes programs write, one a job. Lost is what ranks
    wait, file I/O, set-up, and jobs that did not end. Below: programs that are slower than their
    own past, and nodes that are late in different programs. `leadline explain FILE` shows one job.
    """
    if prepare:
        _prepare(folder)
        return
    if mail and (user or by or as_json):
        raise UserError("--mail USER is a text of that user's jobs: leave out --user, --by, --json")
    check_writable(prometheus)
    from leadline.explain.jobs.folder import job_files, read_all
    from leadline.explain.jobs.kept import keep, read_kept
    from leadline.explain.jobs.report import Chosen, moment, report
    from leadline.explain.jobs.running import with_running
    from leadline.output.job_report import mail as mail_lines
    from leadline.output.terminal.job_report import mail_text, print_jobs
    from leadline.output.terminal.progress import CountBar

    if mail:
        # Whoever gets it stands in another folder.
        folder = folder.absolute()
    now = time.time()
    chosen = Chosen(moment(since, now), moment(until, now), user or mail, program, node)
    there = job_files(folder, chosen.past, chosen.until)
    known = read_kept(folder)
    with CountBar(sys.stderr, "jobs", len(there.files)) as bar:
        found = read_all(there, now, bar.at, known)
    keep(folder, known, found.new)
    found = with_running(found)
    wanted = {cast("Grouping", by)} if by else set()
    if as_json:
        wanted = set(get_args(Grouping))
    if prometheus:
        wanted.add("user")
    answer = report(folder, found, chosen, sorted(wanted))
    if prometheus:
        from leadline.exchange.exports.prometheus import jobs_text

        text = jobs_text(answer).encode()
        write(str(prometheus), lambda stream: stream.write(text))
    if mail:
        click.echo(mail_text(mail_lines(answer)))
    elif as_json:
        import msgspec

        print_json(msgspec.structs.replace(answer, jobs=answer.jobs[:limit]))
    else:
        print_jobs(answer, cast("Grouping | None", by), limit or 10)


def _prepare(folder: Path) -> None:
    from leadline.explain.jobs.folder import prepare

    first, last = prepare(folder)
    days = count((last - first).days + 1, "day")
    click.echo(f"{folder}: ready for {days}, {first} to {last}: prepare it again before then")
    if not folder.is_absolute():
        say(f"programs need the whole path: LEADLINE_JOBS={folder.absolute()}")
