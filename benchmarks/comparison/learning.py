"""The command `benchmarks/learning`: what a program gains that learns while it runs, untuned."""

import json
import math
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from comparison.preloaded import Program, Times, compiled_by, launch
from comparison.quiet import require_quiet
from comparison.started import start
from leadline.analysis.stats.comparison import Series, time_ratio
from leadline.core.errors import UserError
from leadline.core.units import format_bytes, parse_bytes
from leadline.measure.build import runtime_for
from leadline.model.installation import Installation
from leadline.site.mpi.choice import choose

# Whether the runtime is there, and the variables in the place of its usual ones.
UNTUNED = {"LEADLINE_PROFILE": "", "LEADLINE_PATIENCE": "100", "LEADLINE_LEARN": "1"}
SIDES: dict[str, tuple[str, dict[str, str]]] = {
    "library": ("off", {}),
    "learnt": ("on", UNTUNED),
    "tuned": ("on", {"LEADLINE_LEARN": "0"}),
}
# After the first 1000 calls of a size.
_LATER = ("back", "apart")


class Launch(msgspec.Struct, frozen=True):
    """What one launch measured: seconds by what was called, how, and bytes."""

    mpi: str
    side: str
    round: int
    seconds: Times


class Gain(NamedTuple):
    """How many times faster than the library a call is, with the 95 % interval."""

    name: str
    bytes: int
    ratio: float
    low: float | None
    high: float | None


class Summary(NamedTuple):
    """Geometric means over sizes, learnt and tuned, and the least gain over whole runs."""

    mpi: str
    learnt: float
    tuned: float | None
    least: Gain

    @property
    def share(self) -> float | None:
        """Return the part of the tuned gain that is reached without tuning."""
        return self.learnt / self.tuned if self.tuned else None


def gains(launches: Sequence[Launch], mpi: str, side: str) -> list[Gain]:
    """Return the gain of each row over the library, round by round."""
    mine = {
        each: {one.round: one.seconds for one in launches if (one.mpi, one.side) == (mpi, each)}
        for each in ("library", side)
    }
    rounds = sorted(mine["library"].keys() & mine[side].keys())
    found = []
    for name, size in mine["library"][rounds[0]] if rounds else ():
        library, other = (
            tuple(mine[each][number][name, size] for number in rounds) for each in mine
        )
        ratio = time_ratio(
            Series(statistics.median(library), None, library),
            Series(statistics.median(other), None, other),
        )
        if ratio:
            low, high = ratio.interval or (None, None)
            found.append(Gain(name, size, ratio.median, low, high))
    return found


def summary(launches: Sequence[Launch], mpi: str) -> Summary | None:
    """Return what one MPI gains, or None without a round of both."""
    learnt, tuned = (gains(launches, mpi, side) for side in ("learnt", "tuned"))
    if not learnt:
        return None
    whole = [each for each in learnt if each.name.endswith(".whole")]
    return Summary(
        mpi,
        _mean(learnt),
        _mean(tuned) if tuned else None,
        min(whole, key=lambda each: each.ratio),
    )


def lines(launches: Sequence[Launch], costs: dict[str, float], by_size: bool) -> list[str]:
    """Return the tables; `costs` are the parts of the run time that learning lost, by MPI."""
    told = []
    mpis = dict.fromkeys(each.mpi for each in launches)
    for mpi in mpis if by_size else ():
        told.append(f"{mpi + ', faster than the library':40}{'bytes':>8}{'learnt':>8}{'tuned':>8}")
        tuned = {(each.name, each.bytes): each.ratio for each in gains(launches, mpi, "tuned")}
        for each in gains(launches, mpi, "learnt"):
            other = tuned.get((each.name, each.bytes))
            told.append(
                f"{each.name:40}{format_bytes(each.bytes):>8}{each.ratio:>8.2f}"
                f"{f'{other:.2f}' if other else '-':>8}"
            )
    told.append(
        f"{'MPI':16}{'learnt':>8}{'tuned':>8}{'share':>8}{'cost':>8}  least over a whole run, up to"
    )
    for mpi in mpis:
        if not (whole := summary(launches, mpi)):
            continue
        least = whole.least
        at = f"{least.name.removesuffix('.whole')} {format_bytes(least.bytes)}"
        told.append(
            f"{mpi:16}{whole.learnt:>8.2f}{f'{whole.tuned:.2f}' if whole.tuned else '-':>8}"
            f"{f'{whole.share:.0%}' if whole.share else '-':>8}"
            f"{f'{costs[mpi]:.2%}' if mpi in costs else '-':>8}"
            f"  {least.ratio:.2f} ({at})" + (f", {least.high:.2f}" if least.high else "")
        )
    return told


def _mean(found: Sequence[Gain]) -> float:
    """Return the geometric mean over collectives, sizes and ways to call after 1000 calls."""
    later = [each.ratio for each in found if each.name.split(".")[-1] in _LATER]
    return math.exp(statistics.fmean(math.log(ratio) for ratio in later))


def _cost(program: Program, installation: Installation, folder: Path) -> float:
    """Return the part of the run time that learning lost, as the runtime's report has it."""
    file = folder / "report.json"
    launch(program, installation, "on", {**UNTUNED, "LEADLINE_REPORT": str(file)})
    report = json.loads(file.read_text())
    return float(report["learning"]["lost_s"] / report["seconds"])


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mpi", multiple=True, default=("all",), show_default=True)
@click.option("--rounds", type=click.IntRange(2), default=6, show_default=True)
@click.option("--largest", default="8M", show_default=True, help="The largest size.")
@click.option("--untuned", is_flag=True, help="Leave the tuned side out: there is no profile.")
@click.option("--by-size", is_flag=True, help="Print every size, not only the summary.")
@click.option("--anyway", is_flag=True, help="Start even where the machine is not quiet.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def command(
    mpi: tuple[str, ...],
    rounds: int,
    largest: str,
    untuned: bool,
    by_size: bool,
    anyway: bool,
    json_file: Path | None,
) -> None:
    """Launch a program in C on two ranks with the library, untuned and learning, and tuned.

    The three are launched in turn. Barriers and allreduces are measured back to back and after
    barriers, after the first 1000 calls of each size. The profile is that of `leadline tune`, or
    LEADLINE_PROFILE. Ctrl-C prints what is there so far.
    """
    most = parse_bytes(largest)
    if most < 8 or most & (most - 1):
        raise UserError(f"--largest {largest} is no power of two from 8 on")
    installations = [each for each in choose(mpi) if "mpi" in each.apis]
    sides = [side for side in SIDES if not (untuned and side == "tuned")]
    if not anyway:
        require_quiet()
    launches: list[Launch] = []
    costs: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="leadline-learning-") as temporary:
        try:
            for each in installations:
                runtime_for(each, _say)
                folder = Path(temporary) / each.name
                folder.mkdir()
                made = compiled_by(each, "learning", folder)
                program = msgspec.structs.replace(made, words=(*made.words, str(most)))
                costs[each.name] = _cost(program, each, folder)
                for number in range(rounds):
                    for side in sides if number % 2 == 0 else reversed(sides):
                        seconds = launch(program, each, *SIDES[side])
                        launches.append(Launch(each.name, side, number, seconds))
                    _say(f"{each.name}: round {number + 1} of {rounds}")
        except KeyboardInterrupt:
            _say("interrupted")
    if not launches:
        raise UserError("nothing was measured")
    for line in lines(launches, costs, by_size):
        click.echo(line)
    if json_file:
        json_file.write_text(json.dumps(_document(launches, costs)))


def _document(launches: Sequence[Launch], costs: dict[str, float]) -> dict[str, object]:
    mpis = dict.fromkeys(each.mpi for each in launches)
    return {
        "format": 1,
        "costs": costs,
        "gains": {
            mpi: {side: gains(launches, mpi, side) for side in ("learnt", "tuned")} for mpi in mpis
        },
        "launches": [
            {
                "mpi": each.mpi,
                "side": each.side,
                "round": each.round,
                "seconds": [[*key, value] for key, value in each.seconds.items()],
            }
            for each in launches
        ],
    }


def _say(text: str) -> None:
    print(f"learning: {text}", file=sys.stderr)


if __name__ == "__main__":
    start(command, "learning")
