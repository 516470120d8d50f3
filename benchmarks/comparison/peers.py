"""The command `benchmarks/run peers`."""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import msgspec

from comparison.cases import points
from comparison.figures import figures, findings, ratios, walls
from comparison.imb import Imb, find_program
from comparison.measure import Measurement, as_json, carry_out, launch
from comparison.output import print_comparison
from comparison.quiet import require_quiet
from comparison.schedule import schedule
from comparison.sounding import Leadline
from comparison.tool import Tool
from leadline.core.errors import UserError
from leadline.model.installation import Installation


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--launches", type=click.IntRange(2), default=10, show_default=True)
@click.option("--sweeps", type=click.IntRange(1), default=5, show_default=True)
@click.option("--quick", is_flag=True, help="Two launches, one sweep: shows only that it works.")
@click.option("--anyway", is_flag=True, help="Start even where the machine is not quiet.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--imb", type=click.Path(path_type=Path), help="IMB-MPI1 where it is elsewhere.")
@click.option("--runs", type=click.Path(path_type=Path), help="Keep leadline's run folders here.")
def command(
    launches: int,
    sweeps: int,
    quick: bool,
    anyway: bool,
    json_file: Path | None,
    imb: Path | None,
    runs: Path | None,
) -> None:
    """Run leadline and IMB in turn on the same MPI and compare what they report.

    Ping-pong (8 B, 64 KiB) and allreduce (8 B, 1 MiB) on two ranks, on a quiet machine and beside
    a busy process; the default ping-pong sweeps' wall times. Ctrl-C prints what is there so far.
    """
    launches, sweeps = (2, 1) if quick else (launches, sweeps)
    if json_file:
        _check_writable(json_file)
    if not anyway:
        require_quiet()
    installation = own_mpich()
    peer = Imb(find_program(imb, _say), installation)
    peer.check_library()
    measurements: list[Measurement] = []
    ended = ""
    with tempfile.TemporaryDirectory(prefix="leadline-peers-") as temporary:
        folder = Path(temporary)
        tools: dict[str, Tool] = {
            "leadline": Leadline(installation, runs or folder / "runs"),
            "IMB": peer,
        }
        steps = schedule(launches, sweeps)
        try:
            _say("first launches, not counted: they build the probe and load both programs")
            first, second = points()[0].contenders[:2]
            reading, _ = launch(tools[first.tool], first, (8,), folder)
            launch(tools[second.tool], second, (8,), folder)
            progress = _Progress(len(steps))
            for each in carry_out(steps, tools, reading.processors[1], folder, progress.say):
                measurements.append(each)
        except KeyboardInterrupt:
            ended = "interrupted"
        except UserError as error:
            ended = str(error)
    print_comparison(measurements)
    if json_file:
        answer = _answer(measurements, installation, ended)
        json_file.write_text(json.dumps(answer, indent=2, allow_nan=False) + "\n")
    if ended:
        _say(f"not complete: {ended}")
        sys.exit(130 if ended == "interrupted" else 1)


def own_mpich() -> Installation:
    """Return the MPICH in leadline's own environment. Raises `UserError` where it is missing."""
    from leadline.site.mpi.discovery import find_installations

    for each in find_installations():
        if each.family == "mpich" and Path(each.prefix) == Path(sys.prefix):
            return each
    raise UserError("leadline's environment has no MPICH wheel: run make survey, which installs it")


def _check_writable(path: Path) -> None:
    """Raise `UserError` before anything is measured whose answer could not be written."""
    try:
        path.open("a").close()
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}: choose another file") from None


class _Progress:
    def __init__(self, steps: int) -> None:
        self._steps, self._step = steps, 0

    def say(self, text: str) -> None:
        self._step += 1
        _say(f"{self._step} of {self._steps}: {text}")


def _answer(
    measurements: list[Measurement], installation: Installation, ended: str
) -> dict[str, Any]:
    from leadline.site.hardware import facts

    found = figures(measurements, points())
    conditions = {each.condition: None for each in measurements}
    return {
        "format": 1,
        "outcome": ended or "complete",
        "mpi": installation.name,
        "machine": facts(),
        "cases": msgspec.to_builtins(points()),
        "figures": msgspec.to_builtins(found),
        "ratios": msgspec.to_builtins(ratios(found)),
        "sweep_walls": msgspec.to_builtins(walls(measurements)),
        "findings": {
            name: dict(zip(("runs", "kinds"), findings(measurements, name), strict=True))
            for name in conditions
        },
        "measurements": as_json(measurements),
    }


def _say(text: str) -> None:
    click.echo(f"peers: {text}", err=True)
