"""How each command of the benchmarks starts and ends."""

import sys

import click

from leadline.core.errors import UserError


def start(command: click.Command, name: str) -> None:
    """Run the command `benchmarks/NAME`; bad input is one line and exit status 2."""
    try:
        command(prog_name=f"benchmarks/{name}", standalone_mode=False)
    except (UserError, click.ClickException) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else error
        print(f"{name}: {text}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, click.Abort):
        sys.exit(130)
