"""`leadline check`: what is wrong with a parallel program as it was started."""

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from leadline.check.report import LaunchCheck

HEADING = ("Improve", 0)


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--seconds",
    type=click.FloatRange(0.2, 600.0),
    default=3.0,
    show_default=True,
    help="How long to look, from the first rank on.",
)
@click.option(
    "--end/--go-on",
    "end",
    default=False,
    help="End the program after the look, or let it go on  [default: --go-on]",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print what was seen and found as JSON; the program's output goes to standard error.",
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, required=True, metavar="COMMAND...")
def command(seconds: float, end: bool, as_json: bool, words: tuple[str, ...]) -> None:
    """Start a program and say what is wrong with its start.

    COMMAND starts the program, such as `mpirun -n 8 ./app`, which needs no change. leadline looks
    from outside for three seconds: cores and threads of each rank, libraries, shared memory,
    connections, limits. Each finding has the command that mends it. Findings go to standard error.
    Exit status: 1 with findings, else that of the program.
    """
    from leadline.check.report import report
    from leadline.check.watch import watching
    from leadline.core.followed import exit_status

    with watching(words, seconds, output_to_errors=as_json) as watched:
        assert watched.seen
        checked = report(watched.seen)
        _show(checked, as_json)
        status = watched.end() if end else watched.wait()
    ended = end and checked.status is None
    if status and not ended:
        _say(_status_text(words[0], status))
    if checked.findings:
        sys.exit(1)
    sys.exit(0 if ended else exit_status(status))


def _show(checked: "LaunchCheck", as_json: bool) -> None:
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(checked)).decode())
        return
    from leadline.output.terminal.launch_check import lines

    for line in lines(checked):
        click.echo(line, err=True)


def _status_text(program: str, status: int) -> str:
    from leadline.measure.launch.supervise import describe_status

    return describe_status(program, status)


def _say(text: str) -> None:
    click.echo(f"leadline: {text}", err=True)
