"""`leadline exec`: a parallel program as it is, with leadline's runtime preloaded."""

import os
import shlex
import shutil
from pathlib import Path

import click

from leadline.cli.completion import complete_mpis
from leadline.cli.options import argument, declared, option, print_json, say
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.processes import become


@declared(context_settings={"allow_interspersed_args": False})
def command(
    mpi: str | None = option(
        "The MPI of the program  [default: the one that it loads]",
        "NAME",
        shell_complete=complete_mpis,
    ),
    profile: Path | None = option(
        "Which algorithm is best where  [default: what `leadline tune` wrote for this MPI]"
    ),
    learn: bool | None = option(
        "Try algorithms while the program runs and keep the faster ones, or use the profile "
        "alone  [default: --learn, unless LEADLINE_LEARN=0]",
        "--learn/--frozen",
        default=None,
    ),
    report: bool = option("Report at the end of the program what was accelerated."),
    printed: bool = option(
        "Execute nothing: build the runtime and print the variables that preload it.", "--print"
    ),
    as_json: bool = option("With --print: print one JSON object.", "--json"),
    words: tuple[str, ...] = argument("[COMMAND...]", type=click.UNPROCESSED),
) -> None:
    """Run a program with faster collective algorithms.

    COMMAND starts the program, such as `mpirun -n 8 ./app`. The program needs no change: its
    collectives use the algorithms of the profile, on every host. Its MPI has the settings of the
    profile, but for those that you have set yourself. Algorithms for MPI are also tried while the
    program runs, and the faster ones kept for the next run too; trials cost 1 % of the time at
    most. With OpenSHMEM the profile alone decides. `mpiexec`, `mpirun` and `oshrun` start the
    program's MPI. Exit status and signals are the command's own.
    """
    from leadline.cli.launching import accelerating, as_linked, named_profile, started
    from leadline.measure.build import runtime_for
    from leadline.measure.launch.preload import preloading

    if printed:
        if words or profile or report or learn is not None:
            raise UserError(
                "--print executes nothing: leave out COMMAND, --profile, --report, --learn and "
                "--frozen"
            )
        _print(mpi, as_json=as_json)
        return
    if not words:
        raise UserError("nothing to execute: `leadline exec mpirun -n 8 ./app`, or --print")
    if as_json:
        raise UserError("--json is for --print: leave it out")

    installation, words = started(mpi, words, "exec")
    settings = named_profile(profile, installation)
    if report:
        settings["LEADLINE_REPORT"] = "1"
    library = runtime_for(as_linked(installation, words), say) / paths.PRELOADED
    settings |= accelerating(settings, learn, installation, library)
    start = preloading(words, installation, library, settings, os.environ)
    program = shutil.which(words[0]) or words[0]
    try:
        become(program, start.argv, {**os.environ, **start.environment})
    except OSError as error:
        raise UserError(f"cannot execute {program}: {error.strerror}") from None


def _print(mpi: str | None, *, as_json: bool) -> None:
    """Build the runtime of an MPI, and print what puts it under all programs."""
    from leadline.cli.launching import stored_profile
    from leadline.measure.build import runtime_for
    from leadline.site.mpi.choice import choose_one

    installation = choose_one(mpi)
    name, folder = installation.name, runtime_for(installation, say)
    settings = stored_profile(name)
    variables = {"LD_PRELOAD": str(folder / paths.PRELOADED), **settings}
    if as_json:
        libraries = sorted(map(str, folder.glob("*.so")))
        used = settings.get("LEADLINE_PROFILE")
        print_json(
            {"mpi": name, "libraries": libraries, "profile": used, "variables": variables}, indent=2
        )
    else:
        click.echo(f"# {name}: `leadline exec` sets this for one command")
        for variable, value in variables.items():
            click.echo(f"export {variable}={shlex.quote(value)}")
    if not settings:
        say(
            f"{name} has no profile, so nothing would be replaced: "
            f"`leadline tune --mpi {name}` makes one"
        )
