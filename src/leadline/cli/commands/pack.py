"""`leadline pack`: one file that installs leadline where there is no network."""

import platform
import re
from pathlib import Path

import click

from leadline.cli.options import FILE, argument, declared, option, say
from leadline.core.errors import UserError
from leadline.core.extras import EXTRAS

_VERSION = re.compile(r"3\.\d+")
# Beside what commands ask for: CMake and Ninja, all of these, and an MPI.
_EXTRAS = (*EXTRAS, "build", "all", "mpich")
_HERE = ".".join(platform.python_version_tuple()[:2])


@declared()
def command(
    file: Path = argument(type=FILE),
    python: str = option("The versions of Python there.", "X.Y,...", default=_HERE),
    extras: str = option(f"With these too: {', '.join(_EXTRAS)}.", "NAME,...", default=""),
) -> None:
    """Write one file that installs leadline without network.

    FILE is a shell script with the wheels of leadline and its dependencies behind it. `sh FILE
    FOLDER` makes an environment in FOLDER there: it needs Python, and neither root nor a compiler.
    """
    from leadline.exchange.pack.archive import pack

    versions = python.split(",")
    if wrong := [each for each in versions if not _VERSION.fullmatch(each)]:
        raise UserError(f"--python {wrong[0]!r}: a version such as {_HERE} is wanted")
    chosen = [each for each in extras.split(",") if each]
    if wrong := [each for each in chosen if each not in _EXTRAS]:
        raise UserError(f"--extras {wrong[0]!r}: known are {', '.join(_EXTRAS)}")
    size = pack(file, versions, chosen, say)
    click.echo(f"{file} ({size / 1e6:.0f} MB): copy it, then `sh {file.name} FOLDER` there")
