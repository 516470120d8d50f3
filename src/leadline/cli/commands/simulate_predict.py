"""`leadline simulate --predict`: messages on more processes than can be run."""

import sys
from pathlib import Path

import click
import msgspec

from leadline.analysis.findings import conclude
from leadline.cli.completion import complete_benchmarks
from leadline.cli.options import html_option, runs_option
from leadline.core.errors import UserError
from leadline.core.units import expand_values
from leadline.measure.build.schedules import schedules_for
from leadline.measure.plan.checks import check_names
from leadline.model.prediction import LogGPMachine
from leadline.output.terminal.prediction import print_predictions
from leadline.output.terminal.progress import StatusLine
from leadline.predict.engine import Engine
from leadline.predict.machines import machine_of_platform, machine_of_run
from leadline.predict.question import Asked, Noise, answer, check
from leadline.store.folder import RunFolder, find
from leadline.store.samples import StoredSamples
from leadline.topology.platforms.catalogue import change_platform, known_platforms, read_platform
from leadline.topology.platforms.routes import Routes


@click.command()
@click.argument("benchmark", shell_complete=complete_benchmarks)
@click.option(
    "--on",
    required=True,
    metavar="PLATFORM|RUN",
    help="A platform by name or file, or a run with a ping-pong.",
)
@click.option("--processes", required=True, metavar="N,...", help="Numbers, as 64:65536:x4.")
@click.option(
    "--algorithm",
    metavar="NAME,...",
    help="Algorithms, or patterns of a halo exchange  [default: all]",
)
@click.option(
    "--bytes",
    "sizes",
    metavar="SIZE,...",
    help="Sizes in bytes  [default: 8,1K,64K,1M]",
)
@click.option("--root", type=int, default=0, show_default=True, help="Of a rooted collective.")
@click.option(
    "--place-per-node",
    "per_node",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Processes of a node.",
)
@click.option(
    "--order",
    default="smp",
    show_default=True,
    metavar="ORDER",
    help="smp, round-robin, folded, or a file of ranks.",
)
@click.option(
    "--change", metavar="KEY=VALUE,...", help="The platform changed: network.bandwidth=x2."
)
@click.option("--no-local-work", is_flag=True, help="Count no time for reductions and copies.")
@click.option(
    "--no-contention",
    is_flag=True,
    help="Share only the ports of nodes among messages, not the links.",
)
@click.option("--open-edges", is_flag=True, help="The grid of the halo exchange is not periodic.")
@click.option(
    "--noise",
    metavar="1/N",
    help="One in N halo exchanges of each task starts late, by one exchange.",
)
@click.option(
    "--calls", type=click.IntRange(1, 1 << 20), default=1000, show_default=True, metavar="N",
    help="Exchanges in a row, with --noise.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of the noise.")
@click.option("--map", "as_map", is_flag=True, help="Draw what each link of the machine carries.")
@html_option("Write the map to FILE, as a page in which the machine can be turned.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@runs_option
def command(
    benchmark: str,
    on: str,
    processes: str,
    algorithm: str | None,
    sizes: str | None,
    root: int,
    per_node: int,
    order: str,
    change: str | None,
    no_local_work: bool,
    open_edges: bool,
    no_contention: bool,
    noise: str | None,
    calls: int,
    seed: int,
    as_map: bool,
    html: Path | None,
    as_json: bool,
    runs: Path,
) -> None:
    """Predict collectives on thousands of processes.

    BENCHMARK is a collective, or the halo exchange on a plane. The messages are those of leadline's
    own algorithms, which are run for one rank after the other without sending anything. LogGP then
    gives the time, with shared links, on machines of up to 4096 nodes. The fastest algorithm is
    marked. Nothing is measured, and nothing is stored.
    """
    asked = Asked(
        benchmark=benchmark,
        processes=_values("--processes", processes),
        algorithms=tuple(algorithm.split(",")) if algorithm else (),
        sizes=_values("--bytes", sizes) if sizes else (),
        per_node=per_node,
        order=order,
        root=root,
        periodic=not open_edges,
        local_work=not no_local_work,
        contention=not no_contention,
        drawn=as_map or html is not None,
        noise=_noise(noise, calls, seed) if noise else None,
    )
    machine, ways = _machine(on, change, runs)
    check_names([benchmark])
    check(asked, machine, is_halo=True)
    line = StatusLine(sys.stderr)
    schedules = schedules_for(line.lasting)
    with line, Engine(schedules.path, line.more) as engine:
        found = answer(asked, schedules.listing, machine, ways, engine, line.say, line.lasting)
    if html and found.map:
        from leadline.output.html.map import write_map

        write_map(html, found.map)
        click.echo(f"map: {html}", err=True)
    if as_json:
        click.echo(msgspec.json.encode(found))
    else:
        print_predictions(found, drawn=as_map)


def _machine(on: str, change: str | None, runs: Path) -> tuple[LogGPMachine, Routes | None]:
    """Return the machine, and how its nodes are joined where that is known."""
    if on.endswith(".toml") or on in known_platforms():
        platform = read_platform(on)
        if change:
            platform = change_platform(platform, change)
        return machine_of_platform(platform), Routes(platform)
    if change:
        raise UserError(f"--change {change} changes platforms, and {on} is none: leave it out")

    try:
        find(on, runs)
    except UserError:
        names = ", ".join(sorted(known_platforms()))
        raise UserError(
            f"--on {on} is neither a platform ({names}) nor a run (`leadline runs` lists them)"
        ) from None

    folder = RunFolder.open(on, runs)
    run = folder.read()
    return machine_of_run(run, conclude(run, StoredSamples(folder))), None


def _values(option: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(sorted(set(expand_values(text))))
    except UserError as error:
        raise UserError(f"{option} {text}: {error}") from error


def _noise(text: str, calls: int, seed: int) -> Noise:
    upper, _, lower = text.partition("/")
    try:
        probability = float(upper) / float(lower or 1)
    except (ValueError, ZeroDivisionError):
        probability = -1.0
    if not 0 < probability <= 1:
        raise UserError(f"--noise {text}: write a part of all exchanges, such as 1/200 or 0.005")
    return Noise(probability=probability, calls=calls, seed=seed)
