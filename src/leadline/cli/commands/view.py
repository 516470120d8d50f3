"""`leadline view`: who runs where now."""

import math
import sys
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import click
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from leadline.cli.group import CommandGroup, Renamed, Row
from leadline.cli.options import declared, option, print_json, say
from leadline.output.terminal.text import one_line, printable
from leadline.site.schedulers.job_source import NoAnswer

ROWS = (
    Row("queue", "Show the jobs that run or wait", "view_jobs"),
    Row("nodes", "Show the nodes by kind, and how busy they are", "view_jobs:nodes_command"),
    Row("map", "Draw the machine: nodes by job, links by traffic", "view_map"),
    Row("hosts", "Show how each launcher reads a host file", "view_jobs:hosts_command"),
)


def _renamed(words: Sequence[str]) -> Renamed | None:
    return Renamed("config", "nodes", ["nodes", *words[1:]]) if words[0] == "config" else None


@declared(cls=CommandGroup, rows=ROWS, renamed=_renamed)
def command() -> None:
    """Show who runs where now: jobs, nodes, network.

    Jobs and nodes of Slurm or PBS, or of this machine alone.
    """


Draw = Callable[[int | None], RenderableType]


_PAUSE_S = 5.0


def _finite(ctx: click.Context, parameter: click.Parameter, value: float | None) -> float | None:
    # Not a number is in no range, and in none that click looks at.
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is no time: write seconds from 0.5 on")
    return value


system_option = option(
    "System to ask, such as slurm; plain is this machine itself  [default: the one found]",
    "NAME",
    default="",
)
watch_option = option(
    f"Show again every SECONDS, {_PAUSE_S:g} unless given (--watch=1), until Ctrl-C.",
    "[SECONDS]",
    type=click.FloatRange(0.5, 86_400),
    callback=_finite,
    is_flag=False,
    flag_value=_PAUSE_S,
)


def show(look: Callable[[], tuple[Any, Draw]], watch: float | None, as_json: bool) -> None:
    """Print what `look` returns: an object for JSON, and what draws it, in so many
    lines.

    With `watch` again every so many seconds: in place on a terminal, otherwise one after another;
    a system that does not answer then is asked again. Ends the command with status 1 where it does
    not answer at all.
    """
    if watch and not as_json and sys.stdout.isatty():
        _in_place(look, watch)
    while True:
        try:
            _print(look(), as_json)
        except NoAnswer as error:
            complain(error)
            if watch is None:
                sys.exit(1)
        if watch is None:
            return
        time.sleep(watch)


def _in_place(look: Callable[[], tuple[Any, Draw]], pause_s: float) -> None:
    console = Console(highlight=False)
    last: Draw | None = None
    with Live(console=console, auto_refresh=False) as live:
        while True:
            trouble = ""
            try:
                _, last = look()
            except NoAnswer as error:
                trouble = one_line(str(error))
            # The terminal may have another size each time.
            room = console.height - bool(trouble)
            shown: list[Any] = [last(room)] if last else []
            if trouble:
                shown.append(Text(f"leadline: {trouble}", "red", no_wrap=True, overflow="ellipsis"))
            live.update(Group(*shown), refresh=True)
            time.sleep(pause_s)


def _print(seen: tuple[Any, Draw], as_json: bool) -> None:
    whole, draw = seen
    if as_json:
        print_json(whole)
    else:
        # In a pipe, as wide as it needs to be.
        Console(width=None if sys.stdout.isatty() else 10_000, highlight=False).print(draw(None))
    sys.stdout.flush()


def complain(error: Exception) -> None:
    """Say on standard error that a system does not answer."""
    say(" ".join(printable(str(error)).split()))


def taken() -> str:
    """Return the moment at which a view was taken: ISO 8601, with the zone."""
    return datetime.now().astimezone().isoformat(timespec="seconds")
