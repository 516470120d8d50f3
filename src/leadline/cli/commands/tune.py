"""`leadline tune`: which algorithm is best for what, measured, proved, and written as a profile."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from leadline.cli.options import runs_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leadline.model.installation import Installation
    from leadline.model.placement import Placement

_STATUS = {"complete": 0, "interrupted": 130}


@click.command()
@click.argument("benchmarks", nargs=-1, metavar="[BENCHMARK...]")
@click.option("--place", default="1x2", show_default=True, metavar="NxP,...",
              help="Shapes of communicators, NODESxPROCESSES_PER_NODE.")  # fmt: skip
@click.option("--mpi", metavar="NAME", help="An MPI as `leadline mpi` lists it.")
@click.option("--hosts", metavar="HOST,...", help="Hosts to use instead of this machine.")
@click.option(
    "--remote-shell", metavar="COMMAND", help="What starts a command on a host, such as ssh."
)
@click.option(
    "--seconds",
    type=click.FloatRange(1),
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="Time for everything; the proof has some launches even where it has run out.",
)
@click.option("--bytes", "sizes", default="8:4M:x8", show_default=True, metavar="SIZE,...",
              help="Sizes, as `leadline run` takes them.")  # fmt: skip
@click.option(
    "--library",
    is_flag=True,
    help="Tune the library's own algorithms, by what the library itself can be told.",
)
@click.option("--resume", is_flag=True, help="Go on with the last tuning, with all it measured.")
@click.option("--bind/--no-bind", default=True, help="One core a rank, or the launcher's own.")
@click.option("--oversubscribe", is_flag=True, help="Allow more processes than cores.")
@click.option("--seed", type=int, help="Fixes the order of points and launches.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the profile to FILE  [default: profiles/MPI.toml in LEADLINE_HOME]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@runs_option
@click.pass_context
def command(
    ctx: click.Context,
    benchmarks: tuple[str, ...],
    place: str,
    mpi: str | None,
    hosts: str | None,
    remote_shell: str | None,
    seconds: float,
    sizes: str,
    library: bool,
    resume: bool,
    bind: bool,
    oversubscribe: bool,
    seed: int | None,
    out: Path | None,
    as_json: bool,
    runs: Path,
) -> None:
    """Find the best algorithm for each collective, communicator and size, and prove it.

    BENCHMARKs are of collectives, such as mpi/bcast; all of MPI's that the runtime can replace
    without any. OpenSHMEM's are named, such as 'shmem/*'. What wins is measured again in fresh
    processes, with the runtime and without. Only what is faster there with confidence is written:
    `leadline exec` uses it. Rules for other collectives and communicators that the profile has
    already are kept.
    """
    from leadline.cli.tuning import Request, tuned
    from leadline.core.errors import UserError
    from leadline.core.units import expand_values
    from leadline.model.placement import parse_placement
    from leadline.model.plan import Plan
    from leadline.tune.subjects import api_of

    try:
        bytes_ = sorted(set(expand_values(sizes)))
    except (UserError, ValueError) as error:
        raise UserError(f"--bytes {sizes}: {error}") from error
    if bytes_[0] < 1:
        raise UserError(f"--bytes {sizes}: a size of {bytes_[0]} moves nothing: 1 or more")
    api = api_of(benchmarks)
    installation = _installation(mpi, api)
    placements = tuple(dict.fromkeys(parse_placement(word) for word in place.split(",")))
    if api != "mpi":
        _check(placements, library)
    plan = Plan(
        entries=(),
        mpi=(installation.name,),
        hosts=tuple(hosts.split(",")) if hosts else (),
        remote_shell=remote_shell or "",
        seed=seed,
        bind=bind,
        oversubscribe=oversubscribe,
        roofs=False,
    )
    found = tuned(
        Request(
            benchmarks=benchmarks,
            api=api,
            installation=installation,
            placements=placements,
            sizes=bytes_,
            seconds=seconds,
            library=library,
            resume=resume,
            out=out,
            runs=runs,
            plan=plan,
        )
    )
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(found))
    else:
        from leadline.output.terminal.tuning import print_tuning

        print_tuning(found)
    ctx.exit(_STATUS[found.state])


def _installation(mpi: str | None, api: str) -> "Installation":
    """Return the one that is named, otherwise the default or the first with this API."""
    from leadline.core.errors import UserError
    from leadline.site.mpi.choice import choose_one
    from leadline.site.mpi.discovery import find_installations

    if api == "mpi":
        return choose_one(mpi)
    there = [each for each in find_installations() if api in each.apis]
    found = choose_one(mpi) if mpi else there[0] if there else None
    if found is None or api not in found.apis:
        names = ", ".join(each.name for each in there)
        raise UserError(
            f"{found.name if found else 'this machine'} has no OpenSHMEM: "
            + (f"name {names} with --mpi" if names else "install one that `leadline mpi` finds")
        )
    return found


def _check(placements: "Sequence[Placement]", library: bool) -> None:
    """Raise `UserError` for what cannot be tuned of OpenSHMEM."""
    from leadline.core.errors import UserError

    if library:
        raise UserError("--library: leadline knows no settings of OpenSHMEM: leave it out")
    for placement in placements:
        if placement.nodes > 1:
            raise UserError(
                f"--place {placement}: OpenSHMEM's collectives are replaced within one node: "
                f"take 1x{placement.processes_per_node}"
            )
