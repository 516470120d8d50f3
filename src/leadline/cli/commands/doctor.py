"""`leadline doctor`: what on this machine disturbs a measurement."""

import json
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from leadline.model.summary import CheckResult

_WORST_FIRST = {"bad": "bold red", "warn": "yellow", "unknown": "cyan", "ok": "green"}

HEADING = ("Measure", 4)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the checks as JSON.")
@click.option("--strict", is_flag=True, help="Exit with status 1 when a check is bad.")
def command(as_json: bool, strict: bool) -> None:
    """Check what on this machine disturbs measurements.

    Each check says what was seen, what it means, and what to do.
    """
    from leadline.site import doctor

    results = doctor.examine()
    if as_json:
        click.echo(json.dumps({"checks": doctor.as_json(results)}, indent=2, allow_nan=False))
    else:
        _show(results)
    if strict and any(result.status == "bad" for result in results):
        sys.exit(1)


def _show(results: "list[CheckResult]") -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    width = max(len(result.name) for result in results)
    for status, style in _WORST_FIRST.items():
        for result in (result for result in results if result.status == status):
            line = Text.assemble((f"{status:8}", style), f"{result.name:{width}}  ")
            # Commands to copy must not be broken into lines.
            console.print(line + Text(result.observed), soft_wrap=True)
            if status in ("bad", "warn"):
                console.print(Text(f"{'':8}{result.meaning}", "dim"), soft_wrap=True)
            if result.advice:
                console.print(f"{'':8}{result.advice}", markup=False, soft_wrap=True)
            if result.command:
                console.print(f"{'':8}  $ {result.command}", markup=False, soft_wrap=True)
    counts = ", ".join(
        f"{sum(result.status == status for result in results)} {status}" for status in _WORST_FIRST
    )
    console.print(f"\n{len(results)} checks: {counts}")
