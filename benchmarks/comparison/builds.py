"""The command `benchmarks/run builds`: the build for an ABI beside one for the installation."""

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
import msgspec
import numpy as np

from comparison.ended import succeeded
from comparison.quiet import require_quiet
from leadline.analysis.stats.statistics import quantile_interval
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build import probe_for, program
from leadline.measure.build.abi import abi_for
from leadline.measure.launch.start import start_for
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.site.mpi.choice import choose

_PATIENCE_S = 120
SHARED, OWN = "shared", "own"
_POINTS = (
    ("mpi/pingpong", {"bytes": "8", "mode": "blocking"}),
    ("mpi/pingpong", {"bytes": "65536", "mode": "blocking"}),
    ("mpi/allreduce", {"bytes": "8", "algorithm": "library", "buffers": "separate"}),
    ("mpi/allreduce", {"bytes": "65536", "algorithm": "library", "buffers": "separate"}),
)


class Launch(NamedTuple):
    """The median seconds of each point in a launch of one build."""

    mpi: str
    round: int
    build: str
    seconds: dict[str, float]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mpi", default="all", show_default=True)
@click.option("--rounds", type=click.IntRange(2), default=20, show_default=True)
@click.option("--anyway", is_flag=True, help="Start even where the machine is not quiet.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def command(mpi: str, rounds: int, anyway: bool, json_file: Path | None) -> None:
    """Launch the probe for an ABI, and one linked to the installation's library, in turn.

    Two ranks, ping-pong and allreduce, data verified. Ctrl-C prints what is there so far.
    """
    there = [each for each in choose(mpi.split(",")) if not each.simulates and each.library]
    built = {each.name: (each, _programs(each)) for each in there}
    if not anyway:
        require_quiet()
    launches: list[Launch] = []
    with tempfile.TemporaryDirectory(prefix="leadline-builds-") as temporary:
        try:
            for number in range(rounds):
                for name, (installation, programs) in built.items():
                    for build in (SHARED, OWN)[:: 1 if number % 2 == 0 else -1]:
                        folder = Path(tempfile.mkdtemp(dir=temporary))
                        seconds = _measured(installation, programs[build], folder)
                        launches.append(Launch(name, number, build, seconds))
                _say(f"round {number + 1} of {rounds}")
        except KeyboardInterrupt:
            click.echo("interrupted")
    for line in lines(launches):
        click.echo(line)
    if json_file:
        document = {"format": 1, "launches": [each._asdict() for each in launches]}
        json_file.write_text(json.dumps(document))


def _programs(installation: Installation) -> dict[str, tuple[str, ...]]:
    """Return the words of the probe that its ABI's build starts, and of one linked to its library.

    Raises `UserError` where the ABI's build does not serve it.
    """
    refused: list[str] = []
    abi = abi_for(installation, refused.append, source_folder())
    if abi is None or abi.name == installation.name:
        raise UserError(f"{installation.name} is served by no build for an ABI: {refused}")
    _say(f"{installation.name} is served by the build for {abi.name}, whose self-test it passed")
    shared = program(installation, "mpi", probe_for(installation, "mpi", _say), _POINTS, _say)
    linked = msgspec.structs.replace(installation, headers=None, library=None)
    return {SHARED: shared, OWN: probe_for(linked, "mpi", _say).words}


def _measured(installation: Installation, words: tuple[str, ...], folder: Path) -> dict[str, float]:
    """Return the median seconds of each point, of what the slowest rank took."""
    points = [
        f"point {index} {name} "
        + " ".join(f"{axis}={value}" for axis, value in axes.items())
        + " start=default cache=warm"
        for index, (name, axes) in enumerate(_POINTS)
    ]
    limits = ("precision 0.02", "minimum 30", "maximum 2000", "seconds 0.3", "oversubscribed 0")
    plan = folder / "plan.txt"
    plan.write_text(
        "\n".join(["leadline-plan 1", *(f"set {each}" for each in limits), *points, ""])
    )
    job = Job(
        program=(*words, "--plan", str(plan), "--out", str(folder)), placement=Placement(1, 2)
    )
    start = start_for(job, installation)
    succeeded(start.argv, {**os.environ, **start.environment}, start.argv[0], _PATIENCE_S)
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    samples = np.fromfile(folder / "samples.bin", [tuple(each) for each in events[0]["sample"]])
    seconds = {}
    for event in events:
        if event["event"] == "point":
            if not event["verified"]:
                raise UserError(f"{installation.name}: wrong data at {points[event['point']]}")
            name, axes = _POINTS[event["point"]]
            own = samples[samples["point"] == event["point"]]
            seconds[f"{name} {axes['bytes']} B"] = float(np.median(own["seconds"]))
    return seconds


def lines(launches: Iterable[Launch]) -> Iterator[str]:
    """Yield a row for each MPI and point: medians, and the ratio of both builds in a round."""
    rounds: dict[str, dict[int, dict[str, dict[str, float]]]] = {}
    for each in launches:
        rounds.setdefault(each.mpi, {}).setdefault(each.round, {})[each.build] = each.seconds
    for mpi, of_mpi in rounds.items():
        whole = [each for each in of_mpi.values() if len(each) == len((SHARED, OWN))]
        for point in whole[0][SHARED] if whole else ():
            shared, own = ([each[build][point] for each in whole] for build in (SHARED, OWN))
            ratios = sorted(one / other for one, other in zip(shared, own, strict=True))
            interval = quantile_interval(np.array(ratios), 0.5)
            limits = f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else "too few rounds"
            yield (
                f"{mpi} {point}: shared {statistics.median(shared) * 1e6:.3f} us, own "
                f"{statistics.median(own) * 1e6:.3f} us; shared/own "
                f"{statistics.median(ratios):.3f} ({limits}), {len(ratios)} rounds"
            )


def _say(text: str) -> None:
    print(f"builds: {text}", file=sys.stderr)
