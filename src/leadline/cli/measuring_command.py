"""Commands that measure: what their many options are for, and what is typed for them by habit."""

import re
from collections.abc import Sequence
from typing import Any

import click

from leadline.cli.group import ModeCommand
from leadline.cli.headings import write_options

# As launchers call the number of processes.
_PROCESSES = ("-n", "-np", "--np", "--ntasks", "--processes")


class MeasuringCommand(ModeCommand):
    """A command with the options of a plan, which its help lists by what they are for."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings, and the examples below."""
        write_options(self.get_params(ctx), ctx, formatter)
        with formatter.section("Examples"):
            for line in self._examples:
                formatter.write(f"{'':{formatter.current_indent}}{line}\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; a number of processes is answered with a placement."""
        try:
            return super().parse_args(ctx, list(args))
        except click.NoSuchOption as error:
            if error.option_name not in _PROCESSES:
                raise
            raise click.UsageError(_placement_for(error.option_name, args), ctx) from None


def _placement_for(option: str, args: list[str]) -> str:
    found = re.search(rf"(?:^| )(?:{'|'.join(_PROCESSES)})[ =]?(\d+)", " ".join(args))
    number = found[1] if found else "2"
    return f"no option {option}: --place 1x{number} is {number} processes on one node"
