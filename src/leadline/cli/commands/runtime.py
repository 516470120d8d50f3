"""`leadline runtime`: build what is preloaded, and put it under a whole site's MPI."""

import json
import shlex
from pathlib import Path

import click

from leadline.core.errors import UserError

HEADING = ("Improve", 7)


@click.command()
@click.option("--mpi", metavar="NAME", help="Its MPI  [default: the default of `leadline mpi`]")
@click.option(
    "--module",
    metavar="FILE|tcl|lua",
    help="Write a module file: for Lmod where FILE ends with .lua, else for Environment Modules; "
    "`tcl` and `lua` print one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(mpi: str | None, module: str | None, as_json: bool) -> None:
    """Build the runtime of an MPI for a whole site.

    `leadline exec` uses it for one command, a module file for all who load it.
    """
    from leadline.core import paths
    from leadline.measure.build import runtime_for
    from leadline.measure.knobs.knob import major
    from leadline.measure.launch.preload import LANGUAGES, changes, module_file
    from leadline.site.mpi.choice import choose_one

    installation = choose_one(mpi)
    folder = runtime_for(installation, lambda text: click.echo(f"leadline: {text}", err=True))
    profile = paths.profiles() / f"{installation.name}.toml"
    settings = {"LEADLINE_PROFILE": str(profile)} if profile.is_file() else {}
    library = str(folder / paths.PRELOADED)
    if module:
        language = "lua" if Path(module).suffix == ".lua" else "tcl"
        made = changes(library, settings, installation.family, major(installation))
        if module in LANGUAGES:
            click.echo(module_file(module, installation.name, made), nl=False)
        else:
            _write(Path(module), module_file(language, installation.name, made))
    variables = {"LD_PRELOAD": library, **settings}
    if as_json and not module:
        answer = {
            "mpi": installation.name,
            "libraries": sorted(map(str, folder.glob("*.so"))),
            "profile": settings.get("LEADLINE_PROFILE"),
            "variables": variables,
        }
        click.echo(json.dumps(answer, indent=2))
    elif not module:
        click.echo(f"# {installation.name}: `leadline exec` sets this for one command")
        for name, value in variables.items():
            click.echo(f"export {name}={shlex.quote(value)}")
    if not settings:
        click.echo(
            f"leadline: {installation.name} has no profile, so nothing would be replaced: "
            f"`leadline tune --mpi {installation.name}` makes one",
            err=True,
        )


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}: choose another FILE") from None
    click.echo(f"{file} is written: `module use` its folder, then `module load {file.stem}`")
