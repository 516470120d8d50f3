"""Commands that measure: what their many options are for, and what is typed for them by habit."""

import re

import click

# As launchers call the number of processes.
_PROCESSES = ("-n", "-np", "--np", "--ntasks", "--processes")


class MeasuringCommand(click.Command):
    """A command with the options of a plan."""

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
