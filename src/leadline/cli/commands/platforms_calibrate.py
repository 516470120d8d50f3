"""`leadline platforms calibrate`: a machine to simulate, made from what runs measured."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leadline.cli.completion import complete_runs
from leadline.cli.options import Shared, argument, declared, option, write_text
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.exchange.subject import measured as measured_run
from leadline.model.placement import Placement
from leadline.model.plan import Entry, Plan, Stopping
from leadline.model.platform import Calibration, Platform
from leadline.topology.platforms.catalogue import check, known_platforms, to_toml

if TYPE_CHECKING:
    from leadline.analysis.results.calibration import Curve, Measured


# A platform that is further off says nothing of the machine.
_LARGEST_ERROR = 0.5


@declared()
def command(
    runs_named: tuple[str, ...] = argument("RUN...", required=True, shell_complete=complete_runs),
    name: str = option("Name of the platform.", default="mine"),
    topology: str = option("", "KIND", default="crossbar"),
    nodes: int | None = option("Nodes of the machine  [default: those of the runs]"),
    cores: int | None = option("Cores of a node  [default: those of this machine]"),
    mpi: str | None = option("Take the figures of this MPI.", "NAME"),
    replace: bool = option("Replace a platform of that name."),
    runs: Path = Shared.runs,
) -> None:
    """Make a machine to simulate from measured runs.

    RUNs are ping-pongs within a node and between two. The platform is written to
    platforms/NAME.toml in LEADLINE_HOME, with the measured times and the error of the simulated
    ones. `leadline simulate ... --on NAME` uses it.
    """
    from leadline.analysis.results.calibration import measured, with_errors
    from leadline.exchange.analysis import analysis_of

    _check_name(name, replace)
    subjects = [measured_run(word, runs) for word in runs_named]
    found = measured([(each.run, analysis_of(each.run, each.samples)) for each in subjects], mpi)
    if cores is not None:
        found = found._replace(cores=cores)
    platform = _platform(found, name, topology, nodes or max(2, found.nodes))
    check(platform)
    file = paths.platforms() / f"{name}.toml"
    with _restore_on_failure(file):
        write_text(file, to_toml(platform))
        errors = list(_errors(found, platform, file, runs))
        platform = with_errors(platform, errors)
        write_text(file, to_toml(platform))
    for each, error in zip(platform.calibration, errors, strict=True):
        click.echo(
            f"{'within a node' if each.within_node else 'between nodes'}: simulated times of "
            f"{len(each.one_way)} sizes are within {100 * error:.1f} % of {each.source}"
        )
    click.echo(f"{file} is ready: leadline simulate BENCHMARK --on {name}")


def _platform(found: Measured, name: str, kind: str, nodes: int) -> Platform:
    from leadline.analysis.results.calibration import platform_of
    from leadline.topology.platforms.routes import Routes
    from leadline.topology.platforms.topologies import topology_called

    if not 2 <= nodes <= 2**20:
        raise UserError(f"nodes {nodes} is not between 2 and 1048576")
    usual = topology_called(kind).usual(nodes)
    links = len(Routes(platform_of(found, name, usual, nodes, 1)).route(0, 1))
    return platform_of(found, name, usual, nodes, links)


def _errors(found: Measured, platform: Platform, file: Path, runs: Path) -> Iterator[float]:
    from leadline.analysis.results.calibration import error_of
    from leadline.cli.measure import measure_quietly

    for curve, each in zip(found.curves, platform.calibration, strict=True):
        simulated = measure_quietly(_plan(curve, each, file), runs, anyway=True)
        run = simulated.run
        if run.outcome.state == "interrupted":
            raise KeyboardInterrupt
        if run.outcome.state != "complete":
            raise UserError(f"the platform cannot be simulated: {run.outcome.message}")
        error = error_of(each, simulated.analysis.points)
        if error > _LARGEST_ERROR:
            raise UserError(
                f"simulated times miss {each.source} by {100 * error:.0f} %, and no platform is "
                "kept: measure again with more sizes and launches"
            )
        yield error


def _plan(curve: Curve, calibration: Calibration, file: Path) -> Plan:
    """Return the measured ping-pong once more, on the platform in `file`."""
    axes = {name: str(value) for name, value in curve.figures[0].axes.items()}
    sizes = ",".join(str(size) for size, _ in calibration.one_way)
    return Plan(
        entries=(Entry(benchmarks=(curve.sweep.benchmark,), axes={**axes, "bytes": sizes}),),
        placements=(Placement(1, 2) if calibration.within_node else Placement(2, 1),),
        platform=str(file),
        launches=1,
        stopping=Stopping(minimum=1, maximum=1),
        roofs=False,
        name="calibration",
    )


@contextmanager
def _restore_on_failure(file: Path) -> Iterator[None]:
    """Leave what `file` held before, if anything, where the block fails."""
    before = file.read_bytes() if file.is_file() else None
    try:
        yield
    except BaseException:
        if before is not None:
            file.write_bytes(before)
        else:
            file.unlink(missing_ok=True)
        raise


def _check_name(name: str, replace: bool) -> None:
    if not all(part.isalnum() for part in name.split("-")):
        raise UserError(f"name {name!r} is not letters, digits and hyphens: choose another")
    if not replace and (there := known_platforms().get(name)):
        raise UserError(
            f"a platform is called {name} already ({there}): choose another --name, or add "
            "--replace"
        )
