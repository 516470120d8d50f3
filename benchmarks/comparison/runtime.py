"""The command `benchmarks/run runtime`: unmodified programs with and without leadline's runtime."""

import json
import math
import statistics
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from comparison.imb import find_program
from comparison.preloaded import COLLECTIVES, Program, Times, launch, programs
from comparison.quiet import require_quiet
from leadline.analysis.stats.comparison import Series, time_ratio
from leadline.core.errors import UserError
from leadline.core.units import format_bytes, parse_bytes
from leadline.measure.build import runtime_for
from leadline.model.installation import Installation
from leadline.site.mpi.choice import choose

_RANKS = 2
_PROGRAMS = ("imb", "c")
# From which size on a call is held against the bound of copying.
_LARGE = 1 << 20


class Launch(msgspec.Struct, frozen=True):
    """What one launch measured: seconds by collective and bytes of one rank's data."""

    mpi: str
    program: str
    runtime: str
    round: int
    seconds: Times


class Gain(NamedTuple):
    """How many times as long a call takes without the runtime, with the 95 % interval.

    `of_bound` is the share of the bound that the call reaches under the runtime, where it is known.
    """

    mpi: str
    program: str
    collective: str
    bytes: int
    library_s: float
    preloaded_s: float
    ratio: float
    low: float | None
    high: float | None
    of_bound: float | None


class Summary(NamedTuple):
    """All sizes of a collective: geometric mean of the ratios, and the least with its size."""

    mpi: str
    program: str
    collective: str
    mean: float
    least: float
    least_bytes: int
    least_high: float | None
    of_bound: tuple[float, float] | None


def traffic(collective: str, size: int, ranks: int = _RANKS) -> int | None:
    """Return the bytes that all ranks together must read and write at least, or None.

    `size` is one rank's data. A rank writes its result once. Data that go to another rank as they
    are, are read once. Sums are shared among the ranks: each reads its part of all operands and
    writes it, and for an allreduce the parts are then read and written once more by the others.

    >>> traffic("bcast", 10), traffic("reduce", 10), traffic("allreduce", 10)
    (20, 30, 50)
    """
    parts = {
        "bcast": 2 * (ranks - 1),
        "reduce": ranks + 1,
        "allreduce": ranks + 1 + 2 * (ranks - 1),
        "allgather": 2 * ranks * ranks,
        "alltoall": 2 * ranks * ranks,
        "reduce_scatter_block": ranks * (ranks + 1),
        "reduce_scatter": ranks * (ranks + 1),
        # Every operand is read and every rank's result is written.
        "scan": 2 * ranks,
        "exscan": 2 * (ranks - 1),
        "allgatherv": 2 * ranks * ranks,
        "alltoallv": 2 * ranks * ranks,
        "gather": 2 * ranks,
        "gatherv": 2 * ranks,
        "scatter": 2 * ranks,
        "scatterv": 2 * ranks,
    }
    return parts[collective] * size if collective in parts else None


def bound(collective: str, size: int, copy_s: float, ranks: int = _RANKS) -> float | None:
    """Return the least time of a call in seconds, or None for one that moves nothing.

    `copy_s` is the time of one memcpy of as many bytes on all ranks at once, in the same launch:
    each reads and writes `size` bytes.
    """
    moved = traffic(collective, size, ranks)
    return None if moved is None else moved / (2 * size * ranks) * copy_s


def gains(launches: Sequence[Launch]) -> list[Gain]:
    """Return the gain of each call, in the order of the launches.

    Both sides are medians over the rounds; the interval is of the ratios, round by round.
    """
    found = []
    for mpi, program in dict.fromkeys((each.mpi, each.program) for each in launches):
        mine = [each for each in launches if (each.mpi, each.program) == (mpi, program)]
        with_it, without = (_by_round(mine, runtime) for runtime in ("on", "off"))
        rounds = sorted(with_it.keys() & without.keys())
        if not rounds:
            continue
        for collective, size in without[rounds[0]]:
            if collective in COLLECTIVES:
                key = (collective, size)
                library = _series(without[each][key] for each in rounds)
                preloaded = _series(with_it[each][key] for each in rounds)
                ratio = time_ratio(library, preloaded)
                if ratio is None:
                    continue
                low, high = ratio.interval or (None, None)
                copies = _copies(launches, mpi, size)
                least = bound(collective, size, copies) if copies else None
                found.append(
                    Gain(
                        *(mpi, program, collective, size, library.median_s, preloaded.median_s),
                        *(ratio.median, low, high),
                        least / preloaded.median_s if least else None,
                    )
                )
    return found


def summaries(found: Sequence[Gain]) -> list[Summary]:
    """Return the summary of each collective, program and MPI."""
    told = []
    for key in dict.fromkeys((each.mpi, each.program, each.collective) for each in found):
        mine = [each for each in found if (each.mpi, each.program, each.collective) == key]
        least = min(mine, key=lambda each: each.ratio)
        shares = [each.of_bound for each in mine if each.bytes >= _LARGE and each.of_bound]
        told.append(
            Summary(
                *key,
                math.exp(statistics.fmean(math.log(each.ratio) for each in mine)),
                least.ratio,
                least.bytes,
                least.high,
                (min(shares), max(shares)) if shares else None,
            )
        )
    return told


def passed_through_ns(launches: Sequence[Launch]) -> dict[str, tuple[float, float]]:
    """Return for each MPI what a call that is left to the library costs more, and the call, in ns.

    Such is one on MPI_COMM_SELF. Medians over the rounds.
    """
    told = {}
    for mpi in dict.fromkeys(each.mpi for each in launches):
        mine = [each for each in launches if each.mpi == mpi and ("self", 8) in each.seconds]
        by_side = {
            side: [each.seconds["self", 8] for each in mine if each.runtime == side]
            for side in ("on", "off")
        }
        if all(by_side.values()):
            with_it, without = (statistics.median(by_side[side]) for side in ("on", "off"))
            told[mpi] = (1e9 * (with_it - without), 1e9 * without)
    return told


def lines(launches: Sequence[Launch], by_size: bool) -> list[str]:
    """Return the tables."""
    found = gains(launches)
    told = []
    if by_size:
        told.append(
            f"{'MPI':16}{'program':11}{'collective':22}{'bytes':>8}{'library us':>12}"
            f"{'runtime us':>12}{'ratio':>8}  95 % interval   of the bound"
        )
        for each in found:
            interval = f"{each.low:.2f} to {each.high:.2f}" if each.low and each.high else "-"
            share = f"{each.of_bound:.0%}" if each.of_bound and each.bytes >= _LARGE else ""
            told.append(
                f"{each.mpi:16}{each.program:11}{each.collective:22}{format_bytes(each.bytes):>8}"
                f"{each.library_s * 1e6:>12.2f}{each.preloaded_s * 1e6:>12.2f}{each.ratio:>8.2f}"
                f"  {interval:16}{share}"
            )
        told.append("")
    told.append(
        f"{'MPI':16}{'program':11}{'collective':22}{'geometric mean':>15}{'least':>8}  at, up to"
        f"           of the bound from {format_bytes(_LARGE)}"
    )
    for summary in summaries(found):
        upto = f", {summary.least_high:.2f}" if summary.least_high else ""
        share = "{:.0%} to {:.0%}".format(*summary.of_bound) if summary.of_bound else ""
        told.append(
            f"{summary.mpi:16}{summary.program:11}{summary.collective:22}{summary.mean:>15.2f}"
            f"{summary.least:>8.2f}  {format_bytes(summary.least_bytes) + upto:20}{share}"
        )
    for mpi, (added, whole) in passed_through_ns(launches).items():
        told.append(f"{mpi}: a call left to the library costs {added:.0f} ns more than {whole:.0f}")
    return told


def _by_round(launches: Sequence[Launch], runtime: str) -> dict[int, Times]:
    return {each.round: each.seconds for each in launches if each.runtime == runtime}


def _series(seconds: Iterable[float]) -> Series:
    values = tuple(seconds)
    return Series(statistics.median(values), None, values)


def _copies(launches: Sequence[Launch], mpi: str, size: int) -> float | None:
    """Return the median time of a copy in all launches under this MPI."""
    times = [
        each.seconds["copy", size]
        for each in launches
        if each.mpi == mpi and ("copy", size) in each.seconds
    ]
    return statistics.median(times) if times else None


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mpi", multiple=True, default=("all",), show_default=True)
@click.option("--rounds", type=click.IntRange(2), default=6, show_default=True)
@click.option("--programs", "names", default=",".join(_PROGRAMS), show_default=True)
@click.option("--collectives", default=",".join(COLLECTIVES), show_default=True)
@click.option("--largest", default="8M", show_default=True, help="The largest size.")
@click.option("--imb", type=click.Path(path_type=Path), help="IMB-MPI1  [default: Intel's wheel]")
@click.option("--by-size", is_flag=True, help="Print every size, not only the summary.")
@click.option("--anyway", is_flag=True, help="Start even where the machine is not quiet.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def command(
    mpi: tuple[str, ...],
    rounds: int,
    names: str,
    collectives: str,
    largest: str,
    imb: Path | None,
    by_size: bool,
    anyway: bool,
    json_file: Path | None,
) -> None:
    """Launch unmodified programs with and without leadline's runtime in turn, on two ranks.

    IMB-MPI1 as it is shipped, and a program in C that checks what arrives, call
    collectives back to back. The profile is that of `leadline tune`, or LEADLINE_PROFILE. Ctrl-C
    prints what is there so far.
    """
    wanted = _listed(collectives, COLLECTIVES, "--collectives")
    chosen = _listed(names, _PROGRAMS, "--programs")
    most = parse_bytes(largest)
    if most < 8 or most & (most - 1):
        raise UserError(f"--largest {largest} is no power of two from 8 on")
    installations = [each for each in choose(mpi) if "mpi" in each.apis]
    if not anyway:
        require_quiet()
    launches: list[Launch] = []
    with tempfile.TemporaryDirectory(prefix="leadline-runtime-") as temporary:
        try:
            there = find_program(imb, _say) if "imb" in chosen else None
            pairs: list[tuple[Installation, Program]] = []
            for each in installations:
                runtime_for(each, _say)
                folder = Path(temporary) / each.name
                folder.mkdir()
                made = programs(chosen, each, wanted, most, there, folder, _say)
                pairs += [(each, program) for program in made]
            _measure(pairs, rounds, launches)
        except KeyboardInterrupt:
            print("runtime: interrupted", file=sys.stderr)
    if not launches:
        raise UserError("nothing was measured")
    for line in lines(launches, by_size):
        click.echo(line)
    if json_file:
        json_file.write_text(json.dumps(_document(launches)))


def _measure(
    pairs: Sequence[tuple[Installation, Program]], rounds: int, launches: list[Launch]
) -> None:
    """Launch each program with and without, in each round the other one first."""
    for number in range(rounds):
        for installation, program in pairs:
            for runtime in ("off", "on") if number % 2 == 0 else ("on", "off"):
                seconds = launch(program, installation, runtime)
                launches.append(Launch(installation.name, program.name, runtime, number, seconds))
            _say(f"{installation.name} {program.name}: round {number + 1} of {rounds}")


def _document(launches: Sequence[Launch]) -> dict[str, object]:
    return {
        "format": 1,
        "gains": [each._asdict() for each in gains(launches)],
        "summaries": [each._asdict() for each in summaries(gains(launches))],
        "passed_through_ns": {mpi: each[0] for mpi, each in passed_through_ns(launches).items()},
        "launches": [
            {
                "mpi": each.mpi,
                "program": each.program,
                "runtime": each.runtime,
                "round": each.round,
                "seconds": [[*key, value] for key, value in each.seconds.items()],
            }
            for each in launches
        ],
    }


def _listed(text: str, known: Sequence[str], option: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(","))
    for word in words:
        if word not in known:
            raise UserError(f"{option} {word!r}: take some of {', '.join(known)}")
    return words


def _say(text: str) -> None:
    print(f"runtime: {text}", file=sys.stderr)
