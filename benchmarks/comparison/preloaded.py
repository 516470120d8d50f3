"""Programs with and without the runtime: how they are built, started and read."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from comparison.ended import ended
from comparison.imb import parse_tables
from leadline.core.errors import UserError
from leadline.measure.knobs.known import with_knobs
from leadline.measure.launch.start import start_for
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.placement import Placement

_PROGRAMS = Path(__file__).parent / "programs"
_PATIENCE_S = 300
_RANKS = 2
# Calls of each size: so many, or as many as take so long.
_LIMITS = ("-time", "0.05", "-iter", "400,32", "-iter_policy", "dynamic")
# Seconds by what is called (a collective, `copy` or `self`) and bytes of one rank's data.
Times = dict[tuple[str, int], float]
_IMB_NAMES = {
    "allreduce": "Allreduce",
    "barrier": "Barrier",
    "bcast": "Bcast",
    "reduce": "Reduce",
    "allgather": "Allgather",
    "alltoall": "Alltoall",
    "reduce_scatter_block": "Reduce_scatter_block",
    "reduce_scatter": "Reduce_scatter",
    "scan": "Scan",
    "exscan": "Exscan",
    "gather": "Gather",
    "scatter": "Scatter",
    "allgatherv": "Allgatherv",
    "gatherv": "Gatherv",
    "scatterv": "Scatterv",
    "alltoallv": "Alltoallv",
}
COLLECTIVES = tuple(_IMB_NAMES)


class Program(msgspec.Struct, frozen=True):
    """A program that knows nothing of leadline: what is executed, and how its output is read."""

    name: str
    words: tuple[str, ...]
    read: Callable[[str], Times]
    environment: dict[str, str] = {}


def programs(
    chosen: tuple[str, ...],
    installation: Installation,
    collectives: tuple[str, ...],
    largest: int,
    imb: Path | None,
    folder: Path,
    say: Callable[[str], None],
) -> Iterator[Program]:
    """Yield the `chosen` programs that can be had with `installation`; `say` is told of others."""
    if "imb" in chosen:
        if installation.family == "openmpi" or imb is None:
            say(f"no IMB for {installation.name}: Intel's wheel has one for MPICH's interface")
        else:
            yield _imb(imb, installation, collectives, largest, folder)
    if "c" in chosen:
        if installation.mpicc is None:
            say(f"no program in C with {installation.name}: it has no compiler for it")
        else:
            made = compiled_by(installation, "collectives", folder)
            words = (*made.words, str(largest), *collectives, "copy", "self")
            yield msgspec.structs.replace(made, name="c", words=words)


def launch(
    program: Program,
    installation: Installation,
    runtime: str,
    changes: Mapping[str, str] | None = None,
    ranks: int = _RANKS,
) -> Times:
    """Return what one launch of so many ranks measures, with the runtime `on` or `off`.

    `changes` are variables in the place of those of the runtime.

    Raises `UserError` for one that fails, which a wrong answer does.
    """
    job = Job(program=program.words, placement=Placement(1, ranks), environment={})
    job = with_knobs(job, installation, {"runtime": runtime})
    job = msgspec.structs.replace(job, environment={**job.environment, **(changes or {})})
    start = start_for(job, installation)
    environment = {**os.environ, **start.environment, **program.environment}
    name = f"{program.name} with {installation.name}"
    done = ended(start.argv, environment, name, _PATIENCE_S)
    warned = [line for line in done.stderr.splitlines() if line.startswith("leadline: ")]
    if done.returncode != 0 or warned:
        said = (warned or done.stderr.strip().splitlines() or ["no word"])[-1]
        raise UserError(f"{name}, runtime {runtime}: status {done.returncode}, {said}")
    return program.read(done.stdout)


def parse_lines(output: str) -> Times:
    """Return what lines of name, bytes and seconds say. Raises `UserError` for other lines."""
    times = {}
    for line in output.splitlines():
        try:
            name, size, seconds = line.split()
            times[name, int(size)] = float(seconds)
        except ValueError:
            raise UserError(f"a program printed {line!r}: name, bytes and seconds are right") from (
                None
            )
    return times


def _imb(
    program: Path,
    installation: Installation,
    collectives: tuple[str, ...],
    largest: int,
    folder: Path,
) -> Program:
    """Return IMB as it is shipped, on the library of `installation`, calls back to back."""
    steps = largest.bit_length() - 1
    names = [_IMB_NAMES[each] for each in collectives]
    options = ("-npmin", "2", "-sync", "off", *_LIMITS, "-msglog", f"3:{steps}")

    def read(output: str) -> Times:
        tables = parse_tables(output, names, "t_avg[usec]", "t_max[usec]")
        return {
            (name, size): seconds
            for name in collectives
            for size, seconds in tables[_IMB_NAMES[name]].items()
            if seconds > 0 and (size > 0 or name == "barrier")
        }

    path = os.environ.get("LD_LIBRARY_PATH", "")
    own = installation.environment.get("LD_LIBRARY_PATH", path)
    folders = ":".join(filter(None, [str(_library_folder(installation, folder)), own]))
    return Program("imb", (str(program), *options, *names), read, {"LD_LIBRARY_PATH": folders})


def _library_folder(installation: Installation, folder: Path) -> Path:
    """Return a folder where IMB finds the library by the name that it was linked with.

    Debian's MPICH has another name for the same interface.
    """
    prefix = Path(installation.prefix)
    for there in (prefix / "lib", *prefix.glob("lib/*-linux-gnu")):
        if (there / "libmpi.so.12").exists():
            return there
        if (there / "libmpich.so.12").exists():
            (folder / "libmpi.so.12").symlink_to(there / "libmpich.so.12")
            return folder
    raise UserError(f"{installation.name} has no libmpi.so.12 in {prefix}/lib")


def compiled_by(installation: Installation, name: str, folder: Path) -> Program:
    """Return the program in C of that `name`. Raises `UserError` where it does not build."""
    program = folder / name
    if not _compiled(installation.mpicc or "", _PROGRAMS / f"{name}.c", program, installation):
        raise UserError(f"{name}.c does not build with {installation.name}")
    return Program(name, (str(program),), parse_lines)


def _compiled(compiler: str, source: Path, program: Path, installation: Installation) -> bool:
    compiled = subprocess.run(
        [compiler, "-O2", str(source), "-o", str(program)],
        env={**os.environ, **installation.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return compiled.returncode == 0
