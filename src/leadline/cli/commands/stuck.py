"""`leadline stuck`: why a parallel program does not go on."""

import sys
from pathlib import Path

import click

from leadline.cli.options import argument, declared, option, print_json
from leadline.output.terminal.hang import lines
from leadline.site.hardware.files import Files
from leadline.stuck.nodes import judge_node
from leadline.stuck.report import UNKNOWN, report
from leadline.stuck.watch import watch

_UNKNOWN = 2


@declared()
def command(
    job: str = argument("PID|JOB|DIR"),
    unasked: bool = option("Print nothing unless it surely hangs; for the watcher of all jobs."),
    as_json: bool = option("Print what was seen and found as JSON.", "--json"),
) -> None:
    """Say why a parallel program hangs, and at which rank.

    PID is the process of the launcher, of `leadline explain` or of any rank. JOB is the number of a
    batch job with ranks on this host, DIR the folder of a recording. leadline looks for a second at
    the calls that ranks record, and at their processes. Without a recording it says what is seen
    from outside. Exit status: 1 when stuck, 0 when not, 2 for no such job or where nothing tells.
    """
    if unasked:
        found = judge_node(Path(job), Files())
        if found is None:
            return
    else:
        found = report(watch(job))
    if as_json:
        print_json(found, indent=2)
    else:
        for line in lines(found):
            click.echo(line)
    sys.exit(_UNKNOWN if found.verdict == UNKNOWN else 1 if found.is_stuck else 0)
