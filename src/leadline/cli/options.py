"""Options that several commands share."""

from pathlib import Path

import click

from leadline.core import paths

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
    help="Differences up to this are of no use to you.",
)

fail_if_option = click.option(
    "--fail-if",
    multiple=True,
    metavar="WHAT[:PERCENT]",
    help="Exit with status 1 for figures that are slower, faster or changed (by PERCENT or more), "
    "unverified or missing; may be given several times.",
)
