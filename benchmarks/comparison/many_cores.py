"""The command `benchmarks/many-cores`: collectives at growing ranks a node, in every way."""

import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from comparison.learning import UNTUNED
from comparison.preloaded import COLLECTIVES, Program, Times, launch, programs
from comparison.quiet import require_quiet
from comparison.started import start
from leadline.analysis.stats.comparison import Series, time_ratio
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.units import format_bytes, parse_bytes
from leadline.measure.build import runtime_for
from leadline.model.installation import Installation
from leadline.site.mpi.choice import choose

LIBRARY = "library"
# Components of Open MPI that are made for the ranks of a node; a later one than these lists itself.
_COMPONENTS = ("tuned", "han", "xhc", "acoll", "sm")
_FIRST = "95"  # a priority above all that components give themselves
# What MPICH's and Intel MPI's node-aware algorithm exists for.
_RELEASE_GATHER = ("ALLREDUCE", "BARRIER", "BCAST", "REDUCE")


class Way(NamedTuple):
    """A way to carry out collectives: with the runtime `on` or `off`, and what it is told."""

    name: str
    runtime: str
    variables: Mapping[str, str]


class Launch(msgspec.Struct, frozen=True):
    """What one launch measured: seconds by collective and bytes."""

    mpi: str
    ranks: int
    way: str
    round: int
    seconds: Times


class Row(NamedTuple):
    """A collective of so many ranks: geometric means over sizes of the gain over the library.

    `best` is what the library reaches where each size takes its fastest way. `harmed` is the
    largest size at which the runtime is slower than the library for sure, or None.
    """

    mpi: str
    ranks: int
    collective: str
    gains: dict[str, float]
    best: float
    harmed: int | None


def counts(cores: int) -> tuple[int, ...]:
    """Return the numbers of ranks to measure: powers of two, and all cores.

    >>> counts(2), counts(12)
    ((2,), (2, 4, 8, 12))
    """
    powers = [1 << bits for bits in range(1, max(cores, 2).bit_length()) if 1 << bits <= cores]
    return tuple(dict.fromkeys([*(powers or [2]), max(cores, 2)]))


def ways_of(installation: Installation, components: Sequence[str]) -> Iterator[Way]:
    """Yield the library, its own ways inside a node, and the runtime, learning and tuned."""
    yield Way(LIBRARY, "off", {})
    if installation.family == "openmpi":
        for name in components:
            yield Way(name, "off", {f"OMPI_MCA_coll_{name}_priority": _FIRST})
    elif installation.family == "mpich":
        for algorithm in ("mpir", "release_gather"):
            names = (f"MPIR_CVAR_{each}_POSIX_INTRA_ALGORITHM" for each in _RELEASE_GATHER)
            yield Way(algorithm, "off", dict.fromkeys(names, algorithm))
    yield Way("learnt", "on", UNTUNED)
    usual = paths.profiles() / f"{installation.name}.toml"
    if Path(os.environ.get("LEADLINE_PROFILE") or usual).is_file():
        yield Way("tuned", "on", {"LEADLINE_LEARN": "0"})


def components_in(listed: str) -> list[str]:
    """Return those of the components for one node that `ompi_info --parsable` lists.

    >>> components_in("mca:coll:tuned:version:mca:2.1.0")
    ['tuned']
    """
    there = {line.split(":")[2] for line in listed.splitlines() if line.startswith("mca:coll:")}
    return [name for name in _COMPONENTS if name in there]


def rows(launches: Sequence[Launch]) -> list[Row]:
    """Return a row for each MPI, number of ranks and collective, in the order of the launches."""
    found = []
    for mpi, ranks in dict.fromkeys((each.mpi, each.ranks) for each in launches):
        mine = [each for each in launches if (each.mpi, each.ranks) == (mpi, ranks)]
        times = _times(mine)
        names = [each for each in times if times[LIBRARY].keys() <= times[each].keys()]
        for collective in dict.fromkeys(name for name, _ in times[LIBRARY]):
            keys = [key for key in times[LIBRARY] if key[0] == collective]
            typical = {
                name: [statistics.median(times[name][key]) for key in keys] for name in names
            }
            own = [name for name in names if name not in ("learnt", "tuned")]
            best = [min(each) for each in zip(*(typical[name] for name in own), strict=True)]
            found.append(
                Row(
                    *(mpi, ranks, collective),
                    {
                        name: _mean(typical[LIBRARY], typical[name])
                        for name in names
                        if name != LIBRARY
                    },
                    _mean(typical[LIBRARY], best),
                    max(_harmed(times, keys), default=None),
                )
            )
    return found


def lines(found: Sequence[Row]) -> list[str]:
    """Return the table: how many times faster than the library each way is."""
    told = ["times faster than the library, geometric mean over the sizes"]
    for mpi in dict.fromkeys(each.mpi for each in found):
        mine = [each for each in found if each.mpi == mpi]
        names = list(dict.fromkeys(name for each in mine for name in each.gains))
        told.append(
            f"{mpi:18}{'ranks':>6}{'best of it':>12}"
            + "".join(f"{name:>16}" for name in names)
            + "  slower for sure"
        )
        for each in mine:
            cells = (f"{each.gains[name]:.2f}" if name in each.gains else "-" for name in names)
            told.append(
                f"{each.collective:18.18}{each.ranks:>6}{each.best:>12.2f}"
                + "".join(f"{cell:>16}" for cell in cells)
                + ("" if each.harmed is None else f"  up to {format_bytes(each.harmed)}")
            )
    return told


def _times(launches: Sequence[Launch]) -> dict[str, dict[tuple[str, int], list[float]]]:
    """Return the seconds of all rounds by way and by what was called; bounds are left out."""
    times: dict[str, dict[tuple[str, int], list[float]]] = {LIBRARY: {}}
    for each in launches:
        for key, seconds in each.seconds.items():
            if key[0] in COLLECTIVES:
                times.setdefault(each.way, {}).setdefault(key, []).append(seconds)
    return times


def _mean(slow: Sequence[float], fast: Sequence[float]) -> float:
    ratios = (one / other for one, other in zip(slow, fast, strict=True))
    return math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))


def _harmed(
    times: Mapping[str, Mapping[tuple[str, int], Sequence[float]]],
    keys: Sequence[tuple[str, int]],
) -> Iterator[int]:
    """Yield the sizes at which the runtime, learning or tuned, is slower for sure."""
    for way in ("learnt", "tuned"):
        for key in keys if way in times else ():
            rounds = min(len(times[LIBRARY][key]), len(times[way].get(key, ())))
            if rounds == 0:
                continue
            library, runtime = (_series(times[name][key][:rounds]) for name in (LIBRARY, way))
            ratio = time_ratio(library, runtime)
            if ratio and ratio.interval and ratio.interval[1] < 1:
                yield key[1]


def _series(values: Sequence[float]) -> Series:
    return Series(statistics.median(values), None, tuple(values))


def _components(installation: Installation) -> list[str]:
    """Return the components for one node that an Open MPI says that it has."""
    program = Path(installation.mpicc or "").with_name("ompi_info")
    if installation.family != "openmpi" or not program.is_file():
        return []
    ended = subprocess.run(
        [str(program), "--parsable"],
        env={**os.environ, **installation.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return components_in(ended.stdout)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mpi", multiple=True, default=("all",), show_default=True)
@click.option(
    "--ranks", help="Numbers of ranks, such as 2,4,8  [default: powers of two, all cores]"
)
@click.option("--rounds", type=click.IntRange(2), default=5, show_default=True)
@click.option("--collectives", default=",".join(COLLECTIVES), show_default=True)
@click.option("--largest", default="1M", show_default=True, help="The largest size.")
@click.option("--anyway", is_flag=True, help="Start even where the machine is not quiet.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def command(
    mpi: tuple[str, ...],
    ranks: str | None,
    rounds: int,
    collectives: str,
    largest: str,
    anyway: bool,
    json_file: Path | None,
) -> None:
    """Measure collectives of 2 ranks to one a core, by the library, its components and the runtime.

    Open MPI's components (tuned, han, xhc, acoll, sm) and MPICH's node-aware algorithms are chosen
    by their settings. The runtime learns, and is tuned where there is a profile. All take turns.
    Nothing needs a network. Ctrl-C prints what is there so far.
    """
    most = parse_bytes(largest)
    wanted = _listed(collectives)
    numbers = _numbers(ranks) if ranks else counts(len(os.sched_getaffinity(0)))
    installations = [each for each in choose(mpi) if "mpi" in each.apis]
    if not anyway:
        require_quiet()
    launches: list[Launch] = []
    with tempfile.TemporaryDirectory(prefix="leadline-many-cores-") as temporary:
        try:
            for each in installations:
                runtime_for(each, _say)
                folder = Path(temporary) / each.name
                folder.mkdir()
                for program in programs(("c",), each, wanted, most, None, folder, _say):
                    _measure(each, program, numbers, rounds, launches)
        except KeyboardInterrupt:
            print("many-cores: interrupted", file=sys.stderr)
    if not launches:
        raise UserError("nothing was measured")
    found = rows(launches)
    for line in lines(found):
        click.echo(line)
    if json_file:
        document = {"format": 1, "rows": [each._asdict() for each in found]}
        json_file.write_text(json.dumps(document))


def _measure(
    installation: Installation,
    program: Program,
    numbers: Sequence[int],
    rounds: int,
    launches: list[Launch],
) -> None:
    ways = list(ways_of(installation, _components(installation)))
    for ranks in numbers:
        for number in range(rounds):
            for way in ways if number % 2 == 0 else reversed(ways):
                seconds = launch(program, installation, way.runtime, way.variables, ranks)
                launches.append(Launch(installation.name, ranks, way.name, number, seconds))
            _say(f"{installation.name}, {ranks} ranks: round {number + 1} of {rounds}")


def _numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of ranks that were asked for. Raises `UserError` for others."""
    words = text.split(",")
    for word in words:
        if not word.strip().isdecimal() or int(word) < 2:
            raise UserError(f"--ranks {text}: {word.strip()!r} is no number from 2 on")
    return tuple(int(word) for word in words)


def _listed(text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(","))
    for word in words:
        if word not in COLLECTIVES:
            raise UserError(f"--collectives {word!r}: take some of {', '.join(COLLECTIVES)}")
    return words


def _say(text: str) -> None:
    print(f"many-cores: {text}", file=sys.stderr)


if __name__ == "__main__":
    start(command, "many-cores")
