"""`leadline benchmarks`: what can be measured here, as the probes themselves say."""

import click


@click.command()
@click.option("--mpi", metavar="NAME,...", help="MPIs as `leadline mpi` lists them, or all.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(mpi: str | None, as_json: bool) -> None:
    """List the benchmarks with their axes, built for the chosen MPI."""
    from leadline.execute.selection import offers

    found = offers(
        ("*",), tuple(mpi.split(",")) if mpi else (), lambda text: click.echo(text, err=True)
    )
    benchmarks = {name: each for offer in found for name, each in offer.benchmarks.items()}
    ordered = [benchmarks[name] for name in sorted(benchmarks)]
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode({"benchmarks": ordered}))
        return
    for benchmark in ordered:
        click.echo(f"{benchmark.name}  {benchmark.summary}")
        for axis in benchmark.axes:
            allowed = f" ({', '.join(axis.choices)})" if axis.choices else ""
            click.echo(f"    --{axis.name} {axis.default}{allowed}  {axis.summary}")
