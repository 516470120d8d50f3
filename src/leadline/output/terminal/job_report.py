"""What is said of all jobs, for people: at most 80 columns wide but for commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from rich.text import Text

from leadline.model.job_report import Grouping, JobReport
from leadline.output.job_report import (
    NONE_LISTED,
    JobFinding,
    about_text,
    explain_command,
    findings,
    groups_table,
    headline,
    jobs_table,
    losing,
    refused_text,
)
from leadline.output.table import Table
from leadline.output.terminal.table import draw
from leadline.output.terminal.text import WIDTH, console_for, filled, one_line, printable


def print_jobs(found: JobReport, by: Grouping | None, most: int) -> None:
    """Print the answer, the `most` jobs or groups that lost most, and the findings."""
    console = console_for(None)
    for line in job_lines(found, by, most):
        console.print(line, soft_wrap=True, markup=False)


def job_lines(found: JobReport, by: Grouping | None, most: int) -> Iterator[Text]:
    """Yield the lines."""
    for line in filled(f"=== leadline jobs: {headline(found)}"):
        yield Text(line, style="bold")
    for line in filled(about_text(found)):
        yield Text(line, style="dim")
    yield Text()
    if by:
        yield from _drawn(groups_table(found.groups[by], by, most))
    else:
        yield from _jobs(found, most)
    for place, finding in enumerate(findings(found), 1):
        yield Text()
        for line in filled(finding.text, f"{place:2}  "):
            yield Text(line)
        yield Text(f"    {printable(finding.command)}", style="cyan")
    if refused := refused_text(found):
        yield Text()
        yield Text(one_line(refused))


def _jobs(found: JobReport, most: int) -> Iterator[Text]:
    listed = losing(found)
    if not listed:
        yield Text(NONE_LISTED)
        return
    yield from _drawn(jobs_table(listed, most))
    yield Text()
    for place, job in enumerate(listed[:most], 1):
        yield Text(f"{place:2}  {printable(explain_command(job.path))}", style="cyan")


def _drawn(table: Table) -> list[Text]:
    more = f"{table.caption}: --limit N shows more" if table.caption else ""
    return draw(table._replace(caption=more), WIDTH)


def mail_text(said: Iterable[JobFinding]) -> str:
    """Return a mail's text, at most 80 columns wide: mail programs break longer lines anywhere."""
    lines = []
    for each in said:
        lines += filled(each.text)
        if each.command:
            lines += _typed(each.command)
    return "\n".join(lines)


def _typed(command: str) -> list[str]:
    """Return a command in lines that a shell joins."""
    lines = ["   "]
    for word in map(shlex.quote, shlex.split(command)):
        if lines[-1].strip() and len(f"{lines[-1]} {word} \\") > WIDTH:
            lines[-1] += " \\"
            lines.append("       ")
        lines[-1] += f" {word}"
    return [printable(line) for line in lines]
