"""`leadline simulate --predict`: messages on more processes than can be run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leadline.cli.completion import complete_benchmarks
from leadline.cli.options import Shared, argument, declared, html_option, option, print_json
from leadline.core.errors import UserError
from leadline.core.units import expand_values
from leadline.model.prediction import LogGPMachine
from leadline.output.terminal.progress import StatusLine
from leadline.store.folder import RunFolder, find
from leadline.topology.platforms.catalogue import change_platform, known_platforms, read_platform

if TYPE_CHECKING:
    from leadline.predict.question import Noise
    from leadline.topology.platforms.routes import Routes


@declared()
def command(
    benchmark: str = argument(shell_complete=complete_benchmarks),
    on: str = option(
        "A platform by name or file, or a run with a ping-pong.", "PLATFORM|RUN", required=True
    ),
    processes: str = option("Numbers, as 64:65536:x4.", "N,...", required=True),
    algorithm: str | None = option(
        "Algorithms, or patterns of a halo exchange  [default: all]", "NAME,..."
    ),
    sizes: str | None = option("Sizes in bytes  [default: 8,1K,64K,1M]", "--bytes SIZE,..."),
    root: int = option("Of a rooted collective.", default=0),
    per_node: int = option(
        "Processes of a node.", "--place-per-node N", type=click.IntRange(1), default=1
    ),
    order: str = option("smp, round-robin, folded, or a file of ranks.", "ORDER", default="smp"),
    change: str | None = option("The platform changed: network.bandwidth=x2.", "KEY=VALUE,..."),
    no_local_work: bool = option("Count no time for reductions and copies."),
    no_contention: bool = option("Share only the ports of nodes among messages, not the links."),
    open_edges: bool = option("The grid of the halo exchange is not periodic."),
    noise: str | None = option(
        "One in N halo exchanges of each task starts late, by one exchange.", "1/N"
    ),
    calls: int = option(
        "Exchanges in a row, with --noise.", "N", type=click.IntRange(1, 1 << 20), default=1000
    ),
    seed: int = option("Of the noise.", type=click.IntRange(0), default=1),
    as_map: bool = option("Draw what each link of the machine carries.", "--map"),
    html: Path | None = html_option(
        "Write the map to FILE, as a page in which the machine can be turned."
    ),
    as_json: bool = Shared.json,
    runs: Path = Shared.runs,
) -> None:
    """Predict collectives on thousands of processes.

    BENCHMARK is a collective, or the halo exchange on a plane. The messages are those of leadline's
    own algorithms, which are run for one rank after the other without sending anything. LogGP then
    gives the time, with shared links, on machines of up to 4096 nodes. The fastest algorithm is
    marked. Nothing is measured, and nothing is stored.
    """
    from leadline.measure.build.schedules import schedules_for
    from leadline.measure.plan.checks import check_names
    from leadline.output.terminal.prediction import print_predictions
    from leadline.predict.engine import Engine
    from leadline.predict.question import Asked, answer, check

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
        print_json(found)
    else:
        print_predictions(found, drawn=as_map)


def _machine(on: str, change: str | None, runs: Path) -> tuple[LogGPMachine, Routes | None]:
    """Return the machine, and how its nodes are joined where that is known."""
    from leadline.exchange.analysis import analysis_of
    from leadline.predict.machines import machine_of_platform, machine_of_run
    from leadline.store.samples import StoredSamples
    from leadline.topology.platforms.routes import Routes

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
    return machine_of_run(run, analysis_of(run, StoredSamples(folder))), None


def _values(option: str, text: str) -> tuple[int, ...]:
    try:
        return tuple(sorted(set(expand_values(text))))
    except UserError as error:
        raise UserError(f"{option} {text}: {error}") from error


def _noise(text: str, calls: int, seed: int) -> Noise:
    from leadline.predict.question import Noise

    upper, _, lower = text.partition("/")
    try:
        probability = float(upper) / float(lower or 1)
    except (ValueError, ZeroDivisionError):
        probability = -1.0
    if not 0 < probability <= 1:
        raise UserError(f"--noise {text}: write a part of all exchanges, such as 1/200 or 0.005")
    return Noise(probability=probability, calls=calls, seed=seed)
