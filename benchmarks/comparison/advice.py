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
KINDS = {"reductions": 20000, "exchange": 80000, "rooted": 80000, "computing": 7500}
_RANKS = 2
_PATIENCE_S = 900
# A saving is foretold rightly in its interval, or this near; and where both are so small a part of
# the run. All are parts of the run: a launch on cores that are far from each other takes twice as
# long, and saves twice as much.
NEAR, NOTHING = 0.2, 0.01
_SECONDS = re.compile(r"^seconds (\d+\.\d+)$", re.MULTILINE)


class Foretold(NamedTuple):
    """The part of the run that is to be saved; without `saves` only the ends are known."""

    saves: float | None
    low: float
    high: float


class Outcome(NamedTuple):
    """One program on one MPI: what was foretold before and after tuning, and all run times."""

    mpi: str
    program: str
    before: Foretold
    after: Foretold
    untuned_s: list[float]
    tuned_s: list[float]

    @property
    def given(self) -> float:
        """The median over the rounds of the part that was saved."""
        return statistics.median(self.saved)

    @property
    def saved(self) -> list[float]:
        """The part of the run that was saved, round by round."""
        return [1 - other / one for one, other in zip(self.untuned_s, self.tuned_s, strict=True)]

    def is_right(self, foretold: Foretold) -> bool:
        """Tell whether what was given is what was foretold."""
        if foretold.low - NOTHING <= self.given <= foretold.high + NOTHING:
            return True
        saves = foretold.saves
        return saves is not None and abs(self.given - saves) <= NEAR * abs(self.given)


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
    explain = [*leadline, "explain"]
    took_s = seconds_of(_output([*explain, "--mpi", installation.name, "--", *words], environment))
    told = json.loads(_output([*explain, "--json", "last"], environment))
    tune = [*leadline, "tune", "--from", told["run"], "--anyway", "--seconds", str(seconds)]
    _output(tune, environment)
    again = json.loads(_output([*explain, "--json", told["run"]], environment))
    sides: dict[bool, list[float]] = {False: [], True: []}
    # What the profile gives is what was foretold, and not what ranks learn beyond it.
    under = [*leadline, "exec", "--frozen", "--mpi", installation.name, "--", *words]
    for number in range(rounds):
        for tuned in (False, True) if number % 2 == 0 else (True, False):
            sides[tuned].append(seconds_of(_output(under if tuned else words, environment)))
    return Outcome(
        mpi=installation.name,
        program=kind,
        before=foretold(told["advice"], "tune_collectives", took_s),
        after=foretold(again["advice"], "use_profile", took_s),
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


def foretold(advice: Sequence[Mapping[str, Any]], kind: str, took_s: float) -> Foretold:
    """Return what part of so many seconds advice of a kind saves: none without such advice."""
    found = next((each for each in advice if each["kind"] == kind), None)
    if found is None:
        return Foretold(0.0, 0.0, 0.0)
    saves_s = found["saves_s"]
    return Foretold(
        None if saves_s is None else saves_s / took_s,
        (found["low_s"] or 0.0) / took_s,
        (found["high_s"] or 0.0) / took_s,
    )


def lines(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the table: the part of the run that was foretold beside the given one, in percent."""
    yield (
        f"{'MPI':16}{'program':12}{'run ms':>9}{'before, at most':>17}{'foretold %':>20}"
        f"{'given %':>20}  right"
    )
    for each in outcomes:
        interval = quantile_interval(np.sort(np.array(each.saved)))
        foretold = each.after
        yield (
            f"{each.mpi:16}{each.program:12}{statistics.median(each.untuned_s) * 1e3:>9.0f}"
            f"{each.before.high:>17.0%}"
            f"{_with_ends(foretold.saves, foretold.low, foretold.high):>20}"
            f"{_with_ends(each.given, *(interval or (None, None))):>20}"
            f"  {'yes' if each.is_right(foretold) else 'NO'}"
        )
    right = sum(each.is_right(each.after) for each in outcomes)
    yield f"given in the interval foretold, or within 20 %: {right} of {len(outcomes)}"
    at_most = sum(each.is_right(each.before) for each in outcomes)
    yield f"given no more than was said before tuning: {at_most} of {len(outcomes)}"


def _with_ends(value: float | None, low: float | None, high: float | None) -> str:
    middle = "-" if value is None else f"{value * 100:.0f}"
    if low is None or high is None:
        return middle
    return f"{middle} ({low * 100:.0f} to {high * 100:.0f})"


def _say(text: str) -> None:
    print(f"advice: {text}", file=sys.stderr)


if __name__ == "__main__":
    start_command(command, "advice")
