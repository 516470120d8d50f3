"""What `leadline` alone prints: the last run, and what to type next."""

from datetime import UTC, datetime
from pathlib import Path

import click

from leadline.cli.show import show
from leadline.core.errors import UserError
from leadline.core.units import count
from leadline.exchange.subject import subject
from leadline.store.folder import run_paths

_SUGGESTIONS = (
    ("leadline survey", "measure this machine and say what to do"),
    ("leadline run --list questions", "list the questions that one command answers"),
    ("leadline --help", "list all commands"),
)
_SPANS = ((86_400, "day"), (3600, "hour"), (60, "minute"))


def print_start_screen(runs: Path) -> None:
    """Print the answer of the folder's last run, if there is one, and three commands."""
    if run_paths(runs):
        _show_last(runs)
    else:
        click.echo(f"No runs in {runs}.")
    click.echo("\nWhat to type next:")
    width = max(len(line) for line, _ in _SUGGESTIONS)
    for line, purpose in _SUGGESTIONS:
        click.echo(f"  {line:{width}}  {purpose}")


def _show_last(runs: Path) -> None:

    try:
        found = subject("last", runs)
        click.echo(f"Last run: {found.run.run}{_age(found.run.started)}.\n")
        show(found, as_json=False, html=None)
    except UserError as error:  # a damaged run must not hide what to type next
        click.echo(f"leadline: {error}", err=True)


def _age(started: str) -> str:
    try:
        began = datetime.fromisoformat(started).astimezone(UTC)
    except ValueError:  # a file of another program, which may write its date as it likes
        return ""
    seconds = (datetime.now(UTC) - began).total_seconds()
    span, noun = next((each for each in _SPANS if seconds >= each[0]), _SPANS[-1])
    return f", {count(max(1, int(seconds // span)), noun)} ago"
