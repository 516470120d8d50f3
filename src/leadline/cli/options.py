"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from leadline.cli.headings import WHERE, headed
from leadline.core import paths
from leadline.core.extras import require

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
