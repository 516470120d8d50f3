"""Headings under which the help of commands with many options lists them."""

from collections.abc import Callable, Iterable
from typing import Any

import click

WHAT, WHERE, PRECISION = "What", "Where", "How precisely"
OUTPUT, ADVANCED = "Output", "Advanced"


class HeadedOption(click.Option):
    """An option that says under which heading it is listed."""

    def __init__(self, *args: Any, heading: str = OUTPUT, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.heading = heading


def headed(heading: str, *names: str, **settings: Any) -> Callable[..., Any]:
    """Return a decorator that adds an option under the heading."""
    return click.option(*names, cls=HeadedOption, heading=heading, **settings)


def write_options(
    options: Iterable[click.Parameter], ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write the help of the options by heading; those that name none are of the output."""
    sections: dict[str, list[tuple[str, str]]] = {
        heading: [] for heading in (WHAT, WHERE, PRECISION, OUTPUT, ADVANCED)
    }
    for option in options:
        if isinstance(option, click.Option) and (record := option.get_help_record(ctx)):
            sections[getattr(option, "heading", OUTPUT)].append(record)
    for heading, records in sections.items():
        if records:
            with formatter.section(heading):
                formatter.write_dl(records)
