"""The command `benchmarks/run profilers`: what `leadline explain` costs, beside other profilers."""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np

from comparison import preloaded
from comparison.application import Application, LeftOut, Prepared, chosen, execute
from comparison.applications import APPLICATIONS
from comparison.ended import succeeded
from comparison.quiet import require_quiet
from leadline.analysis.stats.statistics import quantile_interval
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.measure.build import observer_for
from leadline.measure.launch.preload import preloading
from leadline.measure.launch.start import start_for
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.site.mpi.choice import choose_one

_PATIENCE_S = 600
PLAIN, OWN = "plain", "explain"


class Launch(NamedTuple):
    """A launch, or one of each program: the round, the profiler, and seconds by what took them."""

    round: int
    profiler: str
    seconds: dict[str, float]


# Gives the seconds of what is launched with a library preloaded; the folder is for what that keeps.
_Launched = Callable[[Path | None, Path], dict[str, float]]


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
@click.option("--programs", "names", help="A list of those that benchmarks/programs has.")
@click.option("--anyway", is_flag=True, help="Start even where the machine is not quiet.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
@click.argument("words", nargs=-1)
def command(
    mpi: str,
    rounds: int,
    peers: tuple[Path, ...],
    names: str | None,
    anyway: bool,
    json_file: Path | None,
    words: tuple[str, ...],
) -> None:
    """Launch a program plain, under `leadline explain` and under other profilers, in turn.

    Two ranks. Without WORDS a program that makes short calls: nanoseconds a call. With them the
    program that they name: wall time of the launch. With --programs real programs: seconds by
    their own account, their answers verified. Ctrl-C prints what is there so far.
    """
    if words and names is not None:
        raise UserError(f"--programs {names} and {words[0]!r}: name one or the other")
    programs = [] if names is None else chosen(names, APPLICATIONS)
    if not anyway:
        require_quiet()
    installation = choose_one(mpi)
    own = observer_for(installation, _say) / paths.RECORDING
    libraries = {PLAIN: None, OWN: own} | {each.stem.removeprefix("lib"): each for each in peers}
    launches: list[Launch] = []
    with tempfile.TemporaryDirectory(prefix="leadline-profilers-") as temporary:
        folder = Path(temporary)
        launched = (
            _of_programs(programs, installation, folder)
            if programs
            else _of_words(words, installation, folder)
        )
        try:
            for number in range(rounds):
                for profiler in list(libraries)[:: 1 if number % 2 == 0 else -1]:
                    kept = Path(tempfile.mkdtemp(dir=folder))
                    seconds = launched(libraries[profiler], kept)
                    if profiler == OWN:
                        _require_observed(kept)
                    launches.append(Launch(number, profiler, seconds))
                _say(f"round {number + 1} of {rounds}")
        except KeyboardInterrupt:
            click.echo("interrupted")
    for line in lines(launches):
        click.echo(line)
    if json_file:
        document = {"format": 1, "launches": [each._asdict() for each in launches]}
        json_file.write_text(json.dumps(document))


def _of_words(words: Sequence[str], installation: Installation, folder: Path) -> _Launched:
    """Launch a command, or where there are no words the program that makes short calls."""
    program = tuple(words) or preloaded.compiled_by(installation, "calls", folder).words
    start = start_for(Job(program=program, placement=Placement(1, 2)), installation)

    def launched(library: Path | None, kept: Path) -> dict[str, float]:
        argv, environment = start.argv, {**os.environ, **start.environment}
        if library is not None:
            preloading_start = preloading(argv, installation, library, _settings(kept), environment)
            argv = preloading_start.argv
            environment |= preloading_start.environment
        begun = time.perf_counter()
        output = succeeded(argv, environment, argv[0], _PATIENCE_S)
        if words:
            return {"whole": time.perf_counter() - begun}
        printed = [line for line in output.splitlines() if not line.startswith("mpiP")]
        found = preloaded.parse_lines("\n".join(filter(None, printed)))
        return {name: of_call for (name, _), of_call in found.items()}

    return launched


def _of_programs(
    programs: Sequence[Application], installation: Installation, folder: Path
) -> _Launched:
    """Launch each of the programs that this MPI can run."""
    cases: list[tuple[Application, Prepared]] = []
    for program in programs:
        try:
            cases.append((program, program.prepare(installation, folder)))
        except LeftOut as reason:
            _say(f"{program.name} left out: {reason}")
    if not cases:
        raise UserError(f"none of these programs can run with {installation.name}")

    def launched(library: Path | None, kept: Path) -> dict[str, float]:
        seconds = {}
        for program, prepared in cases:
            seen = kept / program.name
            seen.mkdir()
            variables = {"LD_PRELOAD": str(library), **_settings(seen)} if library else {}
            with tempfile.TemporaryDirectory(dir=folder) as own_folder:
                ended = execute(prepared, installation, "off", variables, Path(own_folder))
                seconds[program.name] = program.read(ended)
        return seconds

    return launched


def _require_observed(kept: Path) -> None:
    """Raise `UserError` where a launch left nothing that was seen."""
    for folder in [each for each in kept.iterdir() if each.is_dir()] or [kept]:
        if not any(folder.glob("*.explain")):
            what = "the program" if folder == kept else folder.name
            raise UserError(f"explain observed nothing of {what}: name a program of this MPI")


def _settings(kept: Path) -> Mapping[str, str]:
    """Return the variables that tell each profiler where to leave what it has seen."""
    mpip = f"{os.environ.get('MPIP', '')} -f {kept}"
    return {"LEADLINE_EXPLAIN": str(kept), "MPIP": mpip}


def _say(text: str) -> None:
    print(f"profilers: {text}", file=sys.stderr)


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
    if abs(seconds) < 1e-4:
        return f"{seconds * 1e9:.0f} ns"
    return f"{seconds * 1e3:.2f} ms" if abs(seconds) < 1 else f"{seconds:.3f} s"
