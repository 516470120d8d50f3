"""The command `benchmarks/profilers`: what `leadline explain` costs, beside other profilers."""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from comparison import preloaded
from comparison.ended import succeeded
from comparison.quiet import require_quiet
from comparison.started import start as start_command
from leadline.analysis.stats.statistics import quantile_interval
from leadline.core import paths
from leadline.measure.build import runtime_for
from leadline.measure.launch.preload import preloading
from leadline.measure.launch.start import start_for
from leadline.model.installation import Installation
from leadline.model.job import Job, Start
from leadline.model.placement import Placement
from leadline.site.mpi.choice import choose_one

_PATIENCE_S = 600
PLAIN, OWN = "plain", "explain"


class Launch(NamedTuple):
    """One launch: its round, the profiler, and the seconds of a call, or of the whole command."""

    round: int
    profiler: str
    seconds: dict[str, float]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mpi", default="mpich", show_default=True)
@click.option("--rounds", type=click.IntRange(2), default=10, show_default=True)
@click.option(
    "--peer",
    "peers",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A profiler to preload, as libmpiP.so.",
)
@click.option("--anyway", is_flag=True, help="Start even where the machine is not quiet.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("words", nargs=-1)
def command(
    mpi: str,
    rounds: int,
    peers: tuple[Path, ...],
    anyway: bool,
    json_file: Path | None,
    words: tuple[str, ...],
) -> None:
    """Launch a program plain, under `leadline explain` and under other profilers, in turn.

    Two ranks. Without WORDS a program that makes short calls: nanoseconds a call. With them the
    program that they name: wall time of the launch. Ctrl-C prints what is there so far.
    """
    if not anyway:
        require_quiet()
    installation = choose_one(mpi)
    own = runtime_for(installation, lambda line: print(line, file=sys.stderr)) / paths.RECORDING
    libraries = {PLAIN: None, OWN: own} | {each.stem.removeprefix("lib"): each for each in peers}
    launches: list[Launch] = []
    with tempfile.TemporaryDirectory(prefix="leadline-profilers-") as temporary:
        folder = Path(temporary)
        program = words or preloaded.compiled_by(installation, "calls", folder).words
        start = start_for(Job(program=program, placement=Placement(1, 2)), installation)
        try:
            for number in range(rounds):
                for profiler, library in libraries.items():
                    seconds = _launch(start, not words, installation, library, folder)
                    launches.append(Launch(number, profiler, seconds))
                print(f"profilers: round {number + 1} of {rounds}", file=sys.stderr)
        except KeyboardInterrupt:
            click.echo("interrupted")
    for line in lines(launches):
        click.echo(line)
    if json_file:
        document = {"format": 1, "launches": [each._asdict() for each in launches]}
        json_file.write_text(json.dumps(document))


def _launch(
    start: Start, short: bool, installation: Installation, library: Path | None, folder: Path
) -> dict[str, float]:
    """Return the seconds of each call that the program prints, or those of the whole command."""
    argv, environment = start.argv, {**os.environ, **start.environment}
    if library is not None:
        kept = Path(tempfile.mkdtemp(dir=folder))
        mpip = f"{os.environ.get('MPIP', '')} -f {kept}"
        settings = {"LEADLINE_EXPLAIN": str(kept), "MPIP": mpip}
        preloaded_start = preloading(argv, installation, library, settings, environment)
        argv, environment = preloaded_start.argv, environment | preloaded_start.environment
    begun = time.perf_counter()
    output = succeeded(argv, environment, argv[0], _PATIENCE_S)
    seconds = time.perf_counter() - begun
    if not short:
        return {"whole": seconds}
    printed = [line for line in output.splitlines() if not line.startswith("mpiP")]
    found = preloaded.parse_lines("\n".join(filter(None, printed)))
    return {name: of_call for (name, _), of_call in found.items()}


def lines(launches: Iterable[Launch]) -> Iterable[str]:
    """Return a table: for each call the median time, and by profiler what it adds in a round."""
    by_round: dict[int, dict[str, dict[str, float]]] = {}
    for each in launches:
        by_round.setdefault(each.round, {})[each.profiler] = each.seconds
    whole = [each for each in by_round.values() if PLAIN in each and OWN in each]
    if not whole:
        return
    profilers = [each for each in whole[0] if each != PLAIN]
    for name in whole[0][PLAIN]:
        plain = statistics.median(each[PLAIN][name] for each in whole)
        words = [f"{name}: plain {_time(plain)}"]
        for profiler in profilers:
            added = sorted(
                each[profiler][name] - each[PLAIN][name] for each in whole if profiler in each
            )
            words.append(f"{profiler} {_told(added, plain)}")
        yield "; ".join(words)


def _told(added: Sequence[float], plain: float) -> str:
    """Return the median of what is added, its interval, and its part of the plain time."""
    median = statistics.median(added)
    interval = quantile_interval(np.array(added))
    between = f" ({_time(interval.low)} to {_time(interval.high)})" if interval else ""
    return f"{median / plain:+.1%}, {_time(median)}{between}"


def _time(seconds: float) -> str:
    return f"{seconds * 1e9:.0f} ns" if abs(seconds) < 1e-4 else f"{seconds:.3f} s"


if __name__ == "__main__":
    start_command(command, "profilers")
