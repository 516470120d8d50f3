"""The command `benchmarks/advice`: does what `leadline explain` foretells come true?"""

import json
import os
import re
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from comparison.ended import succeeded
from comparison.preloaded import compiled_by
from comparison.quiet import require_quiet
from comparison.started import start as start_command
from leadline.analysis.stats.statistics import quantile_interval
from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.measure.launch.start import start_for
from leadline.model.installation import Installation
from leadline.model.job import Job
from leadline.model.placement import Placement
from leadline.site.mpi.choice import choose

# Kinds of programs, and the steps of each: a second or two.
KINDS = {"reductions": 2000, "exchange": 10000, "rooted": 20000, "computing": 1500}
_RANKS = 2
_PATIENCE_S = 900
# A saving is foretold rightly in its interval, or this near; and where both are so small a part of
# the run.
NEAR, NOTHING = 0.2, 0.01
_SECONDS = re.compile(r"^seconds (\d+\.\d+)$", re.MULTILINE)


class Foretold(NamedTuple):
    """Seconds that are to be saved; without `saves_s` only the ends are known."""

    saves_s: float | None
    low_s: float
    high_s: float


class Outcome(NamedTuple):
    """One program on one MPI: what was foretold before and after tuning, and all run times."""

    mpi: str
    program: str
    before: Foretold
    after: Foretold
    untuned_s: list[float]
    tuned_s: list[float]

    @property
    def given_s(self) -> float:
        """The median over the rounds of the seconds that were saved."""
        return statistics.median(self.saved_s)

    @property
    def saved_s(self) -> list[float]:
        """The seconds that were saved, round by round."""
        return [one - other for one, other in zip(self.untuned_s, self.tuned_s, strict=True)]

    def is_right(self, foretold: Foretold) -> bool:
        """Tell whether what was given is what was foretold."""
        given, nothing = self.given_s, NOTHING * statistics.median(self.untuned_s)
        if foretold.low_s - nothing <= given <= foretold.high_s + nothing:
            return True
        return foretold.saves_s is not None and abs(given - foretold.saves_s) <= NEAR * abs(given)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mpi", multiple=True, default=("mpich",), show_default=True)
@click.option("--programs", "names", default=",".join(KINDS), show_default=True)
@click.option("--rounds", type=click.IntRange(2), default=20, show_default=True)
@click.option("--seconds", type=click.FloatRange(1), default=60, show_default=True,
              help="For each tuning.")  # fmt: skip
@click.option("--anyway", is_flag=True, help="Start even where the machine is not quiet.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def command(
    mpi: tuple[str, ...],
    names: str,
    rounds: int,
    seconds: float,
    anyway: bool,
    json_file: Path | None,
) -> None:
    """Explain programs, tune for them, and hold what was foretold against what is given.

    Each program is explained, and tuned for by `leadline tune --from` in an empty home. Then it
    runs without leadline and under `leadline exec --frozen`, in turn, on two ranks. Ctrl-C prints
    what is there so far.
    """
    programs = chosen(names)
    installations = [each for each in choose(mpi) if "mpi" in each.apis]
    if not anyway:
        require_quiet()
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="leadline-advice-") as folder:
        try:
            for installation in installations:
                home = Path(folder) / installation.name
                home.mkdir()
                program = compiled_by(installation, "advised", home).words
                for name in programs:
                    # What was tuned for the program before is not for this one.
                    shutil.rmtree(home / "profiles", ignore_errors=True)
                    outcomes.append(outcome(installation, program, name, rounds, seconds, home))
                    _say(f"{installation.name} {name}: done")
        except KeyboardInterrupt:
            _say("interrupted")
    if not outcomes:
        raise UserError("nothing was measured")
    for line in lines(outcomes):
        click.echo(line)
    if json_file:
        json_file.write_text(
            json.dumps({"format": 1, "programs": [each._asdict() for each in outcomes]})
        )


def chosen(names: str) -> list[str]:
    """Return the programs of a list of names. Raises `UserError` for another name."""
    words = [word.strip() for word in names.split(",")]
    for word in words:
        if word not in KINDS:
            raise UserError(f"--programs {word!r}: {suggestion(word, sorted(KINDS))}")
    return list(dict.fromkeys(words))


def outcome(
    installation: Installation,
    program: tuple[str, ...],
    kind: str,
    rounds: int,
    seconds: float,
    home: Path,
) -> Outcome:
    """Explain one program, tune for it, and run it in turn. Raises `UserError`."""
    job = Job(program=(*program, kind, str(KINDS[kind])), placement=Placement(1, _RANKS))
    start = start_for(job, installation)
    words = start.argv
    environment = {**os.environ, **start.environment, "LEADLINE_HOME": str(home)}
    leadline = [sys.executable, "-m", "leadline"]
    told = json.loads(
        _output(
            [*leadline, "explain", "--mpi", installation.name, "--json", "--", *words], environment
        )
    )
    tune = [*leadline, "tune", "--from", told["run"], "--anyway", "--seconds", str(seconds)]
    _output(tune, environment)
    again = json.loads(_output([*leadline, "explain", "--json", told["run"]], environment))
    sides: dict[bool, list[float]] = {False: [], True: []}
    # What the profile gives is what was foretold, and not what ranks learn beyond it.
    under = [*leadline, "exec", "--frozen", "--mpi", installation.name, "--", *words]
    for number in range(rounds):
        for tuned in (False, True) if number % 2 == 0 else (True, False):
            sides[tuned].append(seconds_of(_output(under if tuned else words, environment)))
    return Outcome(
        mpi=installation.name,
        program=kind,
        before=foretold(told["advice"], "tune_collectives"),
        after=foretold(again["advice"], "use_profile"),
        untuned_s=sides[False],
        tuned_s=sides[True],
    )


def _output(words: Sequence[str], environment: Mapping[str, str]) -> str:
    return succeeded(words, environment, " ".join(words), _PATIENCE_S)


def seconds_of(output: str) -> float:
    """Return what the program says it took. Raises `UserError` where it says nothing."""
    said = _SECONDS.search(output)
    if said is None:
        raise UserError(f"the program did not say how long it took: {output[-200:]!r}")
    return float(said[1])


def foretold(advice: Sequence[Mapping[str, Any]], kind: str) -> Foretold:
    """Return what advice of a kind foretells: nothing at all without such advice."""
    found = next((each for each in advice if each["kind"] == kind), None)
    if found is None:
        return Foretold(0.0, 0.0, 0.0)
    return Foretold(found["saves_s"], found["low_s"] or 0.0, found["high_s"] or 0.0)


def lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the table: foretold beside given, in milliseconds."""
    yield (
        f"{'MPI':16}{'program':12}{'run ms':>9}{'before, at most':>17}{'foretold ms':>24}"
        f"{'given ms':>24}  right"
    )
    for each in outcomes:
        interval = quantile_interval(np.sort(np.array(each.saved_s)))
        yield (
            f"{each.mpi:16}{each.program:12}{statistics.median(each.untuned_s) * 1e3:>9.0f}"
            f"{each.before.high_s * 1e3:>17.0f}"
            f"{_with_ends(each.after.saves_s, each.after.low_s, each.after.high_s):>24}"
            f"{_with_ends(each.given_s, *(interval or (None, None))):>24}"
            f"  {'yes' if each.is_right(each.after) else 'NO'}"
        )
    right = sum(each.is_right(each.after) for each in outcomes)
    yield f"given in the interval foretold, or within 20 %: {right} of {len(outcomes)}"
    at_most = sum(each.is_right(each.before) for each in outcomes)
    yield f"given no more than was said before tuning: {at_most} of {len(outcomes)}"


def _with_ends(value: float | None, low: float | None, high: float | None) -> str:
    middle = "-" if value is None else f"{value * 1e3:.0f}"
    if low is None or high is None:
        return middle
    return f"{middle} ({low * 1e3:.0f} to {high * 1e3:.0f})"


def _say(text: str) -> None:
    print(f"advice: {text}", file=sys.stderr)


if __name__ == "__main__":
    start_command(command, "advice")
