"""`leadline exec`: a parallel program as it is, with leadline's runtime preloaded."""

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leadline.cli.completion import complete_mpis
from leadline.core.errors import UserError

if TYPE_CHECKING:
    from leadline.model.installation import Installation

HEADING = ("Improve", 2)


@click.command(context_settings={"allow_interspersed_args": False})
@click.option(
    "--mpi",
    metavar="NAME",
    help="The MPI of the program  [default: the one that it loads]",
    shell_complete=complete_mpis,
)
@click.option(
    "--profile",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Which algorithm is best where  [default: what `leadline tune` wrote for this MPI]",
)
@click.option(
    "--report", is_flag=True, help="Report at the end of the program what was accelerated."
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, required=True, metavar="COMMAND...")
def command(mpi: str | None, profile: Path | None, report: bool, words: tuple[str, ...]) -> None:
    """Run a program with the algorithms that `tune` found.

    COMMAND starts the program, such as `mpirun -n 8 ./app`. The program needs no change: its
    collectives use the algorithms of the profile, on every host. The rest stay the library's.
    Exit status and signals are the command's own.
    """
    from leadline.core import paths
    from leadline.measure.build import runtime_for
    from leadline.measure.launch.preload import preloading

    program = shutil.which(words[0])
    if program is None:
        raise UserError(f"{words[0]}: command not found: give the command that starts your program")
    installation = _installation(mpi, program, words)
    settings = _profile(profile, installation, os.environ)
    if report:
        settings["LEADLINE_REPORT"] = "1"
    library = runtime_for(installation, _say) / paths.PRELOADED
    start = preloading(words, installation, library, settings, os.environ)
    try:
        os.execve(program, start.argv, {**os.environ, **start.environment})
    except OSError as error:
        raise UserError(f"cannot execute {program}: {error.strerror}") from None


def _installation(mpi: str | None, program: str, words: tuple[str, ...]) -> "Installation":
    """Return the MPI of the command: the one that its program loads, else the launcher's.

    Raises `UserError` where the two do not understand each other.
    """
    from leadline.measure.launch.preload import owner
    from leadline.site.mpi.choice import choose_one
    from leadline.site.mpi.discovery import find_installations
    from leadline.site.software.dependencies import started_mpi

    if mpi:
        return choose_one(mpi)
    there = find_installations()
    launcher = owner(program, there)
    started, name = started_mpi(words[1:] if launcher else words)
    loaded = next((each for each in there if each.name == name), None)
    if loaded and launcher and loaded.name != launcher.name:
        # Only Open MPI's launcher and ranks speak a language of their own.
        if "openmpi" in (loaded.family, launcher.family):
            own = shlex.join([loaded.mpiexec or "mpiexec", *words[1:]])
            raise UserError(
                f"{started} is built with {loaded.name}, {words[0]} starts {launcher.name}: "
                f"`leadline exec {own}`"
            )
        _say(f"{started} is built with {loaded.name}, {words[0]} is of {launcher.name}")
    if found := loaded or launcher:
        return found
    raise UserError(
        f"{words[0]}: unknown MPI: name the program's with --mpi (`leadline mpi` lists them)"
    )


def _profile(
    chosen: Path | None, installation: "Installation", environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the variable that names the profile, if there is one; else say so."""
    from leadline.core import paths

    if chosen:
        _check(chosen)
        return {"LEADLINE_PROFILE": str(chosen.absolute())}
    if environment.get("LEADLINE_PROFILE"):
        return {}
    usual = paths.profiles() / f"{installation.name}.toml"
    if usual.is_file():
        return {"LEADLINE_PROFILE": str(usual)}
    _say(
        f"{installation.name} has no profile, so the library's own algorithms stay: "
        f"`leadline tune --mpi {installation.name}` makes one"
    )
    return {}


def _check(profile: Path) -> None:
    import tomllib

    try:
        tomllib.loads(profile.read_text())
    except OSError as error:
        raise UserError(
            f"cannot read the profile {profile}: {error.strerror}; `leadline tune` writes one"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{profile} is no profile: {error}; `leadline tune` writes one") from None


def _say(text: str) -> None:
    click.echo(f"leadline: {text}", err=True)
