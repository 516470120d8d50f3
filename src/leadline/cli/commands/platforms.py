"""`leadline platforms`: the machines that can be simulated."""

import json

import click

from leadline.cli.completion import complete_platforms
from leadline.model.platform import Platform

HEADING = ("Simulate", 3)


@click.command()
@click.argument("name", required=False, shell_complete=complete_platforms)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")
def command(name: str | None, as_json: bool) -> None:
    """List the machines that can be simulated.

    With NAME, show the platform of that name or in that file. The error is the largest difference
    of a simulated ping-pong from the published one.
    """
    import msgspec

    from leadline.topology.platforms.catalogue import known_platforms, read_platform

    if name:
        platform = read_platform(name)
        if as_json:
            click.echo(msgspec.json.encode(platform))
        else:
            _show(platform)
        return
    found = [read_platform(each) for each in sorted(known_platforms())]
    if as_json:
        keys = ("name", "summary", "source", "nodes")
        listed = [
            {**{key: getattr(each, key) for key in keys}, "error": error(each)} for each in found
        ]
        click.echo(json.dumps({"platforms": listed}, indent=2))
    else:
        _print_table(found)


def error(platform: Platform) -> float | None:
    """Return the largest error that the platform states for itself, None without a calibration."""
    return max((each.error for each in platform.calibration), default=None)


def _print_table(found: list[Platform]) -> None:
    from leadline.core.units import percent
    from leadline.output.table import table_of, words
    from leadline.output.terminal.table import print_table

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
    print_table(table_of(columns, rows))


def _show(platform: Platform) -> None:
    from leadline.core.units import format_seconds, percent
    from leadline.topology.platforms.catalogue import numbers

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
