"""`leadline tour`: leadline on the user's own machine, question by question."""

import shlex
import shutil
import signal
import subprocess
import sys
import tomllib

import click
import msgspec

HEADING = ("Measure", 7)

_MARGIN, _WIDEST = " " * 8, 100


class _Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question, the command that answers it, and where in its output the answer is."""

    question: str
    command: str
    look: str


@click.command()
@click.option("--yes", is_flag=True, help="Run every step without asking.")
def command(yes: bool) -> None:
    """Try leadline in ten minutes, question by question.

    Each step says its question and its command. Enter runs the command, s skips it, q ends the
    tour; Ctrl-C ends a command. Without a terminal the steps are only printed.
    """
    steps = _steps()
    asking = sys.stdin.isatty() and sys.stdout.isatty()
    for number, step in enumerate(steps, 1):
        click.echo(f"{number} of {len(steps)}  {click.style(step.question, bold=True)}")
        click.echo(f"{_MARGIN}{step.command}")
        word = "" if yes else _answer() if asking else "s"
        if word == "q":
            return
        if word != "s":
            _execute(step.command)
        click.echo(_wrapped(f"Look at: {step.look}") + "\n")


def _wrapped(text: str) -> str:
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    return click.wrap_text(text, width, _MARGIN, _MARGIN + " " * len("Look at: "))


def _steps() -> list[_Step]:
    from leadline.core.shipped import source_folder

    files = sorted((source_folder() / "plans" / "tour").glob("*.toml"))
    return [msgspec.convert(tomllib.loads(file.read_text()), _Step) for file in files]


def _answer() -> str:
    """Return `s` for skip, `q` for quit, anything else for run."""
    prompt = f"{_MARGIN}Enter runs it, s skips, q quits"
    word: str = click.prompt(prompt, default="", show_default=False)
    return word.strip().lower()[:1]


def _execute(line: str) -> None:
    click.echo()
    sys.stdout.flush()
    words = shlex.split(line)[1:]
    with subprocess.Popen([sys.executable, "-m", "leadline", *words]) as process:
        # Ctrl-C ends the step, which keeps what it has, and not the tour.
        former = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            status = process.wait()
        finally:
            signal.signal(signal.SIGINT, former)
    click.echo("" if status == 0 else f"\n        It ended with status {status}.")
