"""The command `benchmarks/run programs`: with the library, untuned, learnt and tuned."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from comparison.application import Application, LeftOut, Prepared, chosen, execute
from comparison.applications import APPLICATIONS
from comparison.program_table import LIBRARY, OTHERS, Collectives, Launch, collectives_of, lines
from comparison.program_table import rows as rows_of
from comparison.quiet import require_quiet
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.measure.build import runtime_for
from leadline.model.installation import Installation
from leadline.site.mpi.choice import choose

# As `leadline exec` has it: a communicator is adopted once it has carried some calls.
_USUAL = {"LEADLINE_PATIENCE": "100"}


class _Case(NamedTuple):
    """A program that can run with an MPI, and the profile of that MPI, if there is one."""

    installation: Installation
    application: Application
    prepared: Prepared
    profile: Path | None

    @property
    def key(self) -> tuple[str, str]:
        return self.installation.name, self.application.name


def variables(side: str, learnt: Path, profile: Path | None) -> dict[str, str]:
    """Return the runtime's variables for a side; `learnt` is the folder that learning fills.

    Untuned is as `leadline exec` starts a program in an empty home. Tuned is the profile alone.
    """
    if side == LIBRARY:
        return {}
    if side == "tuned":
        return {**_USUAL, "LEADLINE_PROFILE": str(profile), "LEADLINE_LEARN": "0"}
    settings = {**_USUAL, "LEADLINE_PROFILE": "", "LEADLINE_LEARN": str(learnt)}
    if side == "learnt" and (files := sorted(learnt.glob("*.toml"))):
        settings["LEADLINE_LEARNT"] = str(files[-1])
    return settings


def order(number: int, tuned: bool) -> list[str]:
    """Return the sides of a round: each other round backwards, but learnt after untuned."""
    first = [LIBRARY, *OTHERS] if tuned else [LIBRARY, *OTHERS[:2]]
    backwards = ["tuned", "untuned", "learnt", LIBRARY]
    return first if number % 2 == 0 else [side for side in backwards if side in first]


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--mpi", multiple=True, default=("all",), show_default=True)
@click.option("--rounds", type=click.IntRange(2), default=6, show_default=True)
@click.option("--programs", "names", help="A list of them  [default: all that are installed]")
@click.option("--anyway", is_flag=True, help="Start even where the machine is not quiet.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False))
def command(
    mpi: tuple[str, ...], rounds: int, names: str | None, anyway: bool, json_file: Path | None
) -> None:
    """Launch real programs on two ranks with the library, untuned, learnt and tuned, in turn.

    Untuned learns from an empty folder on. Learnt starts from what that launch stored. Tuned has
    the profile of `leadline tune`, or LEADLINE_PROFILE. Two more launches report on collectives.
    Every answer is verified. Ctrl-C prints what is there so far.
    """
    programs = list(APPLICATIONS.values()) if names is None else chosen(names, APPLICATIONS)
    installations = [each for each in choose(mpi) if "mpi" in each.apis]
    if json_file and not json_file.absolute().parent.is_dir():
        raise UserError(f"--json {json_file}: {json_file.parent} not found: name another file")
    profiles = {each.name: _profile(each, len(installations)) for each in installations}
    if not anyway:
        require_quiet()
    launches: list[Launch] = []
    reports: dict[tuple[str, str], Collectives | None] = {}
    with tempfile.TemporaryDirectory(prefix="leadline-programs-") as temporary:
        try:
            cases = list(_cases(installations, programs, profiles, Path(temporary)))
            for case in cases:
                reports[case.key] = _report(case)
            for number in range(rounds):
                for case in cases:
                    _measure(case, number, launches)
                    _say(f"{' '.join(case.key)}: round {number + 1} of {rounds}")
        except KeyboardInterrupt:
            _say("interrupted")
    found = rows_of(launches, reports)
    if not found:
        raise UserError("nothing was measured")
    for line in lines(found):
        click.echo(line)
    if json_file:
        json_file.write_text(json.dumps(_document(launches, reports)))


def _profile(installation: Installation, installations: int) -> Path | None:
    """Return the profile of an MPI; say so where there is none."""
    if named := os.environ.get("LEADLINE_PROFILE"):
        if installations > 1:
            raise UserError(f"LEADLINE_PROFILE {named} is of one MPI: name it with --mpi")
        if not Path(named).is_file():
            raise UserError(f"LEADLINE_PROFILE {named} not found: name a profile, or unset it")
        return Path(named).absolute()
    usual = paths.profiles() / f"{installation.name}.toml"
    if usual.is_file():
        return usual
    name = installation.name
    _say(f"tuned left out: {name} has no profile: `leadline tune --mpi {name}` makes one")
    return None


def _cases(
    installations: Sequence[Installation],
    programs: Sequence[Application],
    profiles: Mapping[str, Path | None],
    temporary: Path,
) -> Iterator[_Case]:
    """Prepare each program with each MPI; what cannot run is left out with a line."""
    for each in installations:
        found = []
        for program in programs:
            folder = temporary / each.name / program.name
            folder.mkdir(parents=True)
            try:
                prepared = program.prepare(each, folder)
            except LeftOut as reason:
                _say(f"{program.name} left out with {each.name}: {reason}")
            else:
                found.append(_Case(each, program, prepared, profiles[each.name]))
        if found:
            runtime_for(each, _say)
        yield from found


def _measure(case: _Case, number: int, launches: list[Launch]) -> None:
    with tempfile.TemporaryDirectory(prefix="leadline-learnt-") as learnt:
        for side in order(number, case.profile is not None):
            settings = variables(side, Path(learnt), case.profile)
            seconds = _launch(case, side, settings)
            launches.append(Launch(*case.key, side, number, seconds))


def _report(case: _Case) -> Collectives | None:
    """Return what the runtime reports of the program, from two launches that are not timed."""
    with tempfile.TemporaryDirectory(prefix="leadline-report-") as folder:
        learnt = Path(folder) / "learnt"
        learnt.mkdir()
        untuned = variables("untuned", learnt, None)
        said = []
        for name, settings in (("library", {"LEADLINE_LEARN": "0"}), ("untuned", {})):
            file = Path(folder) / f"{name}.json"
            _launch(case, name, {**untuned, **settings, "LEADLINE_REPORT": str(file)}, "on")
            if not file.is_file():
                return None
            said.append(json.loads(file.read_text()))
        return collectives_of(*said)


def _launch(
    case: _Case, side: str, settings: Mapping[str, str], runtime: str | None = None
) -> float:
    """Return the seconds of a launch. Raises `UserError` with the program's name."""
    runtime = runtime or ("off" if side == LIBRARY else "on")
    with tempfile.TemporaryDirectory(prefix="leadline-launch-") as folder:
        try:
            ended = execute(case.prepared, case.installation, runtime, settings, Path(folder))
            return case.application.read(ended)
        except UserError as error:
            mpi, program = case.key
            raise UserError(f"{program} with {mpi}, {side}: {error}") from None


def _document(
    launches: Sequence[Launch], reports: Mapping[tuple[str, str], Collectives | None]
) -> dict[str, object]:
    return {
        "format": 1,
        "rows": [
            {
                **row._asdict(),
                "gains": {side: gain._asdict() for side, gain in row.gains.items()},
                "collectives": msgspec.to_builtins(row.collectives),
            }
            for row in rows_of(launches, reports)
        ],
        "launches": msgspec.to_builtins(launches),
    }


def _say(text: str) -> None:
    print(f"programs: {text}", file=sys.stderr)
