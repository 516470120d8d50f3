"""What `leadline` alone prints: the last run, and what to type next."""

from datetime import UTC, datetime
from pathlib import Path

import click

from leadline.core.units import count

_SUGGESTIONS = (
    ("leadline survey", "measure this machine and say what to do"),
    ("leadline ask", "list the questions that one command answers"),
    ("leadline --help", "list all commands"),
)
_SPANS = ((86_400, "day"), (3600, "hour"), (60, "minute"))


def print_start_screen(runs: Path) -> None:
    """Print the last run of the folder, if there is one, and three commands to go on with."""
    click.echo(_last_run(runs))
    click.echo()
    width = max(len(line) for line, _ in _SUGGESTIONS)
    for line, purpose in _SUGGESTIONS:
        click.echo(f"  {line:{width}}  {purpose}")


def _last_run(runs: Path) -> str:
    from leadline.core.errors import UserError
    from leadline.store.folder import RunFolder

    try:
        run = RunFolder.open("last", runs).read()
    except UserError:
        return f"No runs in {runs}."
    return (
        f"Last run: {run.run}{_age(run.started)}, {run.outcome.state}. "
        "`leadline show last` shows it."
    )


def _age(started: str) -> str:
    try:
        began = datetime.fromisoformat(started).astimezone(UTC)
    except ValueError:  # a file of another program, which may write its date as it likes
        return ""
    seconds = (datetime.now(UTC) - began).total_seconds()
    span, noun = next((each for each in _SPANS if seconds >= each[0]), _SPANS[-1])
    return f", {count(max(1, int(seconds // span)), noun)} ago"
