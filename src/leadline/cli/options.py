"""Options that several commands share, their headings, and where a command writes."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO

import click

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.extras import require
from leadline.store.disk import replacing, writing

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


runs_option = click.option(
    "--runs",
    type=click.Path(path_type=Path, file_okay=False),
    default=paths.runs,
    metavar="DIR",
    help="Folder that holds the runs  [default: runs in LEADLINE_HOME]",
)

same_within_option = click.option(
    "--same-within",
    metavar="PERCENT",
    default="5%",
    show_default=True,
    help="Treat differences up to this as equal.",
)

anyway_option = headed(
    WHERE, "--anyway", is_flag=True, help="Measure without asking, however busy the machine is."
)

fail_if_option = click.option(
    "--fail-if",
    multiple=True,
    metavar="WHAT[:PERCENT]",
    help="Exit with status 1 if figures are slower, faster or changed (by PERCENT or more), "
    "unverified or missing; may be repeated.",
)


def html_option(description: str) -> Callable[..., Any]:
    """Return the option that names an HTML file, refused at once where pages cannot be made."""
    return click.option(
        "--html",
        type=click.Path(path_type=Path, dir_okay=False),
        callback=_require_report,
        metavar="FILE",
        help=description,
    )


def _require_report(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    if path is not None:
        require("report")
    return path


def write(output: str | None, writer: Callable[[BinaryIO], object]) -> None:
    """Let `writer` write to the file `output`, whole or not at all.

    None and `-` are standard output. A pipe or a device is written to, never replaced. Raises
    `UserError` where that fails.
    """
    if output in (None, "-"):
        with writing(Path("standard output")):
            writer(sys.stdout.buffer)
            sys.stdout.buffer.flush()
        return
    path = Path(output)
    if path.exists() and not path.is_file():
        with writing(path), path.open("wb") as stream:
            writer(stream)
    else:
        with replacing(path) as partial, partial.open("wb") as stream:
            writer(stream)


def check_writable(path: Path | None) -> None:
    """Raise `UserError` where the file cannot be written; None always can. No file is made."""
    if path is None:
        return
    new = not path.exists()
    try:
        with path.open("a"):
            pass
        if new:
            path.unlink()
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}: choose another file") from error
