"""`leadline export`: the raw samples of a run, for other tools."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leadline.cli.options import runs_option
from leadline.errors import UserError
from leadline.plugins import modules_of, plugins

if TYPE_CHECKING:
    from leadline.store.export import Export

_EXPORTS = "leadline.store.exports"
_FORMATS = [name.rsplit(".", 1)[1] for name in modules_of(_EXPORTS)]


@click.command()
@click.argument("run")
@click.option(
    "--format", "form", type=click.Choice(_FORMATS), required=True, help="What is written."
)
@click.option(
    "--output",
    default=None,
    metavar="FILE",
    help="Where to; - is standard output, the default of formats that are text.",
)
@runs_option
def command(run: str, form: str, output: str | None, runs: Path) -> None:
    """Write the raw samples of RUN, one row a sample, none averaged."""
    from leadline.store.disk import writing
    from leadline.store.folder import RunFolder

    export = _export(form)
    folder = RunFolder.open(run, runs)
    if output is None and not export.text:
        raise UserError(f"{form} is not text: name a file with --output FILE, or - for a pipe")
    with folder.table() as samples:
        if output in (None, "-"):
            with writing(Path("standard output")):
                export.write(samples, sys.stdout.buffer)
                sys.stdout.buffer.flush()
        else:
            _write_file(export, samples, Path(output))


def _export(form: str) -> "Export":
    found: list[Export] = plugins(_EXPORTS, "EXPORT")
    return next(export for export in found if export.name == form)


def _write_file(export: "Export", samples: Path, path: Path) -> None:
    from leadline.store.disk import replacing, writing

    if path.exists() and not path.is_file():  # a pipe or a device is not replaced
        with writing(path), path.open("wb") as stream:
            export.write(samples, stream)
    else:
        with replacing(path) as partial, partial.open("wb") as stream:
            export.write(samples, stream)
