"""`leadline mpi knobs`: all that can be set in an MPI, and what is."""

import datetime
import os
import shutil
import sys

import click
from rich.console import Console

from leadline import __version__
from leadline.cli.options import Shared, argument, declared, option, print_json, say
from leadline.core.names import nearest
from leadline.measure.build.probe import controls
from leadline.measure.knobs.hints import io_hints
from leadline.measure.knobs.listing import named_knobs, search, strays, variables
from leadline.output.manual import manual_page
from leadline.output.terminal.settings import settings_text
from leadline.site.mpi.choice import choose_one

_VERBOSITIES = ("user", "tuner", "developer")


@declared()
def command(
    words: tuple[str, ...] = argument(),
    mpi: str | None = Shared.mpi,
    changed: bool = option("Only settings that differ from their default, and why."),
    category: str = option("Only settings of this category.", "NAME", default=""),
    verbosity: str = option(
        "Only settings for users, for tuners too, or all.",
        type=click.Choice(_VERBOSITIES),
        default=_VERBOSITIES[-1],
    ),
    as_json: bool = Shared.json,
    as_manual: bool = option("Print a manual page, for `man -l` or paper.", "--man"),
) -> None:
    """List the settings of an MPI, and what each is set to.

    Knobs, environment variables, hints of MPI-IO, and control and performance variables are listed.
    WORDS must all be in a setting's name or description. Up to 20 settings are shown in full.
    """
    installation = choose_one(mpi, simulated=None)
    settings = [
        *named_knobs(installation),
        *variables(installation, os.environ),
        *io_hints(installation),
        *controls(installation, say),
    ]
    settings += strays(installation, os.environ, settings)
    found = list(search(settings, words, category, verbosity, changed))
    if as_json:
        print_json({"mpi": installation.name, "knobs": found})
        return
    if as_manual:
        day = datetime.date.today().isoformat()
        click.echo(manual_page(installation, found, day, __version__), nl=False)
        return
    if not found:
        what = "differs from its default" if changed else "matches"
        near = nearest(words[0], (one.name for one in settings)) if len(words) == 1 else None
        meant = f": did you mean {near}?" if near and not changed else ""
        click.echo(f"none of the {len(settings)} settings of {installation.name} {what}{meant}")
        return

    terminal = sys.stdout.isatty()
    size = shutil.get_terminal_size()
    console = Console(width=size.columns if terminal else 10_000, highlight=False)
    text = settings_text(found, size.columns if terminal else None)
    text.append(f"{len(found)} of {len(settings)} settings of {installation.name}")
    if terminal and str(text).count("\n") > size.lines:
        with console.pager(styles=True):
            console.print(text, soft_wrap=True)
    else:
        console.print(text, soft_wrap=True)
