"""`leadline benchmarks`: what can be measured here, as the probes themselves say."""

import click

from leadline.cli.completion import complete_benchmarks, complete_mpis

HEADING = ("Measure", 6)


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_benchmarks)
@click.option(
    "--mpi",
    metavar="NAME,...",
    help="MPIs as `leadline mpi` lists them, or all.",
    shell_complete=complete_mpis,
)
@click.option("--build", is_flag=True, help="Build the probes first, which takes minutes.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(names: tuple[str, ...], mpi: str | None, build: bool, as_json: bool) -> None:
    """List the benchmarks and their axes.

    They are built for the chosen MPI. With NAME only those, which may be patterns such as 'node/*'.
    Of axes such as the compiler the values are those found on this machine.
    """
    from leadline.measure.plan.kernels import probes_with_choices
    from leadline.measure.plan.selection import available_probes, listed_probes, named

    wanted = names or ("*",)
    find = available_probes if build else listed_probes
    found = find(
        wanted,
        tuple(mpi.split(",")) if mpi else (),
        lambda text: click.echo(f"leadline: {text}", err=True),
    )
    found, _ = probes_with_choices(wanted, found)
    benchmarks = {name: each for probe_set in found for name, each in probe_set.benchmarks.items()}
    meant = {each for name in wanted for each in named(name, benchmarks)}
    ordered = [benchmarks[name] for name in sorted(meant)]
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode({"benchmarks": ordered}))
        return
    for benchmark in ordered:
        click.echo(f"{benchmark.name}  {benchmark.summary}")
        for axis in benchmark.axes:
            allowed = f" ({', '.join(axis.choices)})" if axis.choices else ""
            click.echo(f"    --{axis.name} {axis.default}{allowed}  {axis.summary}")
