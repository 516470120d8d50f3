"""`leadline platforms`: the machines that can be simulated, and how to make one."""

import click
from click.shell_completion import CompletionItem

from leadline.cli.completion import complete_platforms
from leadline.cli.group import CommandGroup, Row
from leadline.cli.options import Shared, argument, declared, print_json
from leadline.core.units import format_seconds, percent
from leadline.model.platform import Platform
from leadline.output.table import table_of, words
from leadline.output.terminal.table import print_table
from leadline.output.terminal.text import WIDTH
from leadline.topology.platforms.catalogue import known_platforms, numbers, read_platform

ROWS = (
    Row("show", "Show the numbers of a machine", "platforms:show"),
    Row("calibrate", "Make a machine to simulate from measured runs", "platforms_calibrate"),
)


class _Platforms(CommandGroup):
    """The group, in which a word that is no command is a platform to show."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.rows and not ctx.resilient_parsing:
            args = ["show", *args, *["--json"] * bool(ctx.params["as_json"])]
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return [
            *super().shell_complete(ctx, incomplete),
            *complete_platforms(ctx, self.params[0], incomplete),
        ]


@declared(cls=_Platforms, rows=ROWS, invoke_without_command=True)
def command(ctx: click.Context, as_json: bool = Shared.json) -> None:
    """List or make the machines that can be simulated.

    Without a command: list them. With the name of a platform, or its file: show that one. The error
    is the largest difference of a simulated ping-pong from the published one.
    """
    if not ctx.invoked_subcommand:
        _list(as_json)


@declared()
def show(
    name: str = argument(shell_complete=complete_platforms), as_json: bool = Shared.json
) -> None:
    """Show the numbers of a machine.

    NAME is a platform that `leadline platforms` lists, or the file of one.
    """
    platform = read_platform(name)
    if as_json:
        print_json(platform)
    else:
        _show(platform)


def _list(as_json: bool) -> None:
    found = [read_platform(each) for each in sorted(known_platforms())]
    if as_json:
        keys = ("name", "summary", "source", "nodes")
        listed = [
            {**{key: getattr(each, key) for key in keys}, "error": error(each)} for each in found
        ]
        print_json({"platforms": listed}, indent=2)
    else:
        _print_table(found)


def error(platform: Platform) -> float | None:
    """Return the largest error that the platform states for itself, None without a calibration."""
    return max((each.error for each in platform.calibration), default=None)


def _print_table(found: list[Platform]) -> None:
    columns = ("name", "nodes", words("machine"), "error", words("source"))
    rows = (
        (
            each.name,
            f"{each.nodes}x{each.node.cores}",
            each.summary,
            percent(error(each)),
            each.source,
        )
        for each in found
    )
    print_table(table_of(columns, rows), piped=WIDTH)


def _show(platform: Platform) -> None:
    click.echo(f"{platform.name}: {platform.summary}")
    click.echo(f"source: {platform.source}")
    if platform.assumed:
        click.echo(f"assumed: {' '.join(platform.assumed.split())}")
    click.echo(f"topology: {platform.topology['kind']}")
    click.echo("numbers that --change can change:")
    for key, value in numbers(platform).items():
        text = "x".join(map(str, value)) if isinstance(value, list) else f"{value:g}"
        click.echo(f"  {key} = {text}")
    for each in platform.calibration:
        where = "within a node" if each.within_node else "between nodes"
        points = ", ".join(f"{size} B {format_seconds(span)}" for size, span in each.one_way)
        click.echo(f"ping-pong {where} ({each.source}), within {percent(each.error)}: {points}")
