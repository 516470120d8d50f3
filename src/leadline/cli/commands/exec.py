"""`leadline exec`: a parallel program as it is, with leadline's runtime preloaded."""

import os
import shutil
from pathlib import Path

import click

from leadline.cli.completion import complete_mpis
from leadline.core.errors import UserError

HEADING = ("Improve", 3)


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
    "--learn/--frozen",
    "learn",
    default=None,
    help="Try algorithms while the program runs and keep the faster ones, or use the profile "
    "alone  [default: --learn, unless LEADLINE_LEARN=0]",
)
@click.option(
    "--report", is_flag=True, help="Report at the end of the program what was accelerated."
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, required=True, metavar="COMMAND...")
def command(
    mpi: str | None,
    profile: Path | None,
    learn: bool | None,
    report: bool,
    words: tuple[str, ...],
) -> None:
    """Run a program with faster collective algorithms.

    COMMAND starts the program, such as `mpirun -n 8 ./app`. The program needs no change: its
    collectives use the algorithms of the profile, on every host. Its MPI has the settings of the
    profile, but for those that you have set yourself. Algorithms are also tried while the program
    runs. The faster ones are kept, for the next run too; trials cost 1 % of the time
    at most. `mpiexec`, `mpirun` and `oshrun` start the program's MPI. Exit status and signals are
    the command's own.
    """
    from leadline.cli.launching import accelerating, named_profile, say, started
    from leadline.core import paths
    from leadline.measure.build import runtime_for
    from leadline.measure.launch.preload import preloading

    installation, words = started(mpi, words, "exec")
    settings = named_profile(profile, installation, os.environ)
    if report:
        settings["LEADLINE_REPORT"] = "1"
    library = runtime_for(installation, say) / paths.PRELOADED
    settings |= accelerating(settings, learn, installation, library, os.environ)
    start = preloading(words, installation, library, settings, os.environ)
    program = shutil.which(words[0]) or words[0]
    try:
        os.execve(program, start.argv, {**os.environ, **start.environment})
    except OSError as error:
        raise UserError(f"cannot execute {program}: {error.strerror}") from None
