"""Options that several commands share."""

from pathlib import Path

import click

from leadline import paths

runs_option = click.option(
    "--runs",
    type=click.Path(path_type=Path, file_okay=False),
    default=paths.runs,
    metavar="DIR",
    help="Folder that holds the runs  [default: runs in LEADLINE_HOME]",
)
