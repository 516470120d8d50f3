"""`leadline check`: what is wrong with a program as it was started, or with this machine."""

import sys

import click
from rich.console import Console
from rich.text import Text

from leadline.check.report import report
from leadline.check.watch import watching
from leadline.cli.options import argument, declared, option, print_json, say
from leadline.core.errors import UserError
from leadline.core.names import not_there
from leadline.core.processes import exit_status
from leadline.measure.launch.supervise import describe_status
from leadline.model.summary import CheckResult
from leadline.output.terminal.launch_check import lines
from leadline.site import doctor

_NOT_SEEN = 2
_WORST_FIRST = {"bad": "bold red", "warn": "yellow", "unknown": "cyan", "ok": "green"}


@declared(context_settings={"allow_interspersed_args": False})
def command(
    ctx: click.Context,
    seconds: float = option(
        "How long to look, from the first rank on.", type=click.FloatRange(0.2, 600.0), default=3.0
    ),
    end: bool = option(
        "End the program after the look, or let it go on  [default: --go-on]", "--end/--go-on"
    ),
    as_json: bool = option(
        "Print what was seen and found as JSON; the program's output goes to standard error.",
        "--json",
    ),
    strict: bool = option("Without COMMAND: exit with status 1 when a check is bad."),
    words: tuple[str, ...] = argument("[COMMAND...]", type=click.UNPROCESSED),
) -> None:
    """Say what is wrong with a program's start, or a machine.

    Without COMMAND: check what on this machine disturbs measurements. Each check says what was
    seen, what it means, and what to do.

    COMMAND starts the program, such as `mpirun -n 8 ./app`, which needs no change. leadline looks
    from outside for three seconds: cores and threads of each rank, libraries, shared memory,
    connections, limits. Each finding has the command that mends it. Findings go to standard error.
    Exit status: 1 with findings, else that of the program; with --end 2 where no rank was seen.
    """
    if not words:
        given = [name for name in ("seconds", "end") if not _is_default(ctx, name)]
        if given:
            option = "--seconds" if given[0] == "seconds" else "--end or --go-on"
            raise UserError(f"{option} is for a program: add the COMMAND that starts it")
        _check_machine(as_json=as_json, strict=strict)
        return
    if strict:
        raise UserError("--strict is for a check of the machine: leave out COMMAND or --strict")

    with watching(words, seconds, output_to_errors=as_json) as watched:
        assert watched.seen
        checked = report(watched.seen)
        missing = "" if checked.ranks else not_there(words)
        if not as_json:
            click.echo("\n".join(lines(checked, missing)), err=True)
        else:
            print_json(checked, indent=2)
            if missing:
                say(f"{missing} is not there")
        status = watched.end() if end else watched.wait()
    ended = end and checked.status is None
    if status and not ended:
        say(describe_status(words[0], status))
    if checked.findings:
        sys.exit(1)
    unseen = _NOT_SEEN if end and not checked.ranks else 0
    sys.exit((0 if ended else exit_status(status)) or unseen)


def _is_default(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is click.core.ParameterSource.DEFAULT


def _check_machine(*, as_json: bool, strict: bool) -> None:
    results = doctor.examine()
    if as_json:
        print_json({"checks": doctor.as_json(results)}, indent=2)
    else:
        _show_checks(results)
    if strict and any(result.status == "bad" for result in results):
        sys.exit(1)


def _show_checks(results: list[CheckResult]) -> None:
    console = Console(highlight=False)
    width = max(len(result.name) for result in results)
    for status, style in _WORST_FIRST.items():
        for result in (result for result in results if result.status == status):
            line = Text.assemble((f"{status:8}", style), f"{result.name:{width}}  ")
            # Commands to copy must not be broken into lines.
            console.print(line + Text(result.observed), soft_wrap=True)
            if status in ("bad", "warn"):
                console.print(Text(f"{'':8}{result.meaning}", "dim"), soft_wrap=True)
            if result.advice:
                console.print(f"{'':8}{result.advice}", markup=False, soft_wrap=True)
            if result.command:
                console.print(f"{'':8}  $ {result.command}", markup=False, soft_wrap=True)
    counts = ", ".join(
        f"{sum(result.status == status for result in results)} {status}" for status in _WORST_FIRST
    )
    console.print(f"\n{len(results)} checks: {counts}")
