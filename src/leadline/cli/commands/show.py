"""`leadline show`: a run again, however it ended."""

from pathlib import Path

import click

from leadline.cli.completion import complete_runs
from leadline.cli.group import Mode, ModeCommand
from leadline.cli.options import Shared, argument, declared, html_option, option
from leadline.core.errors import UserError
from leadline.output.terminal.tables import TABLE_NAMES

MODES = (
    Mode("--findings", "Explain runs, and recommend what to do", "show_findings"),
    Mode("--plot", "Draw one plot of runs, for a paper", "show_plot", "[NAME]"),
    Mode("--export", "Write the samples or figures of a run to a file", "show_export", "[FORMAT]"),
)


@declared("show", cls=ModeCommand, modes=MODES)
def command(
    run: str = argument(shell_complete=complete_runs),
    as_json: bool = Shared.json,
    table: str | None = option(
        f"Print a table, of a published one's columns or of choices: {', '.join(TABLE_NAMES)}.",
        "--as TABLE",
        type=click.Choice(TABLE_NAMES),
    ),
    full: bool = option("Print all figures and all findings too."),
    html: Path | None = html_option("Write the report to FILE too."),
    recover: bool = option(
        "Complete the run of a killed leadline with all that its job has measured."
    ),
    runs: Path = Shared.runs,
) -> None:
    """Show the figures and findings of a run.

    RUN is a name that `leadline runs` lists, its unique beginning, `last`, or a path. A file of
    another program can be shown too, as `leadline runs import` reads it.
    """
    from leadline.cli.show import show
    from leadline.exchange.subject import Subject, subject

    found = subject(run, runs)
    if recover:
        from leadline.measure.run.run import recover as finish

        if found.folder is None:
            raise UserError(
                f"{run!r} is a file of another program, and complete: --recover takes a run"
            )
        found = Subject(finish(found.folder), found.samples, found.folder)
    show(found, run, as_json=as_json, html=html, table=table, full=full)
