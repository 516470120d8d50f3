"""The command line: the commands that stand in `leadline.cli.table`."""

import re
import sys
from typing import Any, NoReturn

import click

from leadline import __version__
from leadline.cli.group import CommandGroup, summary
from leadline.cli.table import COMMANDS, renamed
from leadline.core.errors import UserError
from leadline.core.names import nearest
from leadline.output.terminal.progress import shown_builds
from leadline.output.terminal.text import printable


class _Root(CommandGroup):
    """All commands, listed on one screen."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write_usage(ctx.command_path, "COMMAND [ARGS]...")
        formatter.write(f"\n  {summary(self)}.\n\n")
        width = max(map(len, self.rows))
        for heading, rows in self.sections(ctx).items():
            formatter.write(f"{heading}:\n")
            for name, sentence in rows:
                formatter.write(f"  {name:{width}}  {sentence}\n")
        formatter.write("Options: -h, --help, also of each command; --version\n")


@click.group(
    cls=_Root,
    rows=COMMANDS,
    renamed=renamed,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="leadline")
@click.pass_context
def group(ctx: click.Context) -> None:
    """Measure and explain MPI, memory and network performance, and improve it."""
    if ctx.invoked_subcommand is None:
        from leadline.cli.show import print_start_screen
        from leadline.core import paths

        print_start_screen(paths.runs())


def _called(words: list[str]) -> str:
    """Return the command that `words` name, where click does not say it."""
    known = {row.name for row in COMMANDS}
    return " ".join(["leadline", *(word for word in words[:1] if word in known)])


def main(argv: list[str] | None = None) -> Any:
    """Run the command line.

    Bad input is one line and exit status 2, whoever noticed it; an interrupt outside a
    measurement is status 130.
    """
    try:
        with shown_builds(sys.stderr):
            status = group.main(args=argv, prog_name="leadline", standalone_mode=False)
        sys.exit(status or 0)
    except UserError as error:
        _refuse(str(error))
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else _called(argv or sys.argv[1:])
        _refuse(f"{_explain(error)} (`{command} --help` explains)")
    except click.ClickException as error:
        _refuse(error.format_message())
    except (KeyboardInterrupt, click.Abort) as interrupt:
        # click wraps an interrupt, which may say what became of a run.
        words = str(interrupt.__cause__ or interrupt)
        if isinstance(interrupt, click.Abort) and interrupt.__cause__ is None:
            click.echo(err=True)  # It came in the line of a question.
        click.echo(f"leadline: {words or 'interrupted'}", err=True)
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read the output has seen enough.
        sys.stderr.close()
        sys.exit(0)


def _explain(error: click.UsageError) -> str:
    """Return what is wrong, with the choice that was meant where one is near."""
    text = error.format_message()
    kind = getattr(getattr(error, "param", None), "type", None)
    found = re.search("'([^']*)' is not one of", text)
    if not (found and isinstance(kind, click.Choice)):
        return text
    near = nearest(found[1], map(str, kind.choices))
    return f"{text.rstrip('.')}: did you mean {near}?" if near else text


def _refuse(message: str) -> NoReturn:
    click.echo(f"leadline: {printable(' '.join(message.split()))}", err=True)
    sys.exit(2)
