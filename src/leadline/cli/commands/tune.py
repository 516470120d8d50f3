"""`leadline tune`: which algorithm is best for what, measured, proved, and written as a profile."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from leadline.cli.completion import complete_benchmarks, complete_runs
from leadline.cli.group import Mode, ModeCommand
from leadline.cli.options import Shared, argument, declared, option, print_json
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.core.units import expand_values
from leadline.model.installation import Installation
from leadline.model.placement import Placement, parse_placement
from leadline.model.plan import Plan
from leadline.site.mpi.choice import choose_one
from leadline.site.mpi.discovery import find_installations
from leadline.site.mpi.families import library_words

if TYPE_CHECKING:
    from leadline.tune.recorded import Wanted


_STATUS = {"complete": 0, "interrupted": 130}


MODES = (
    Mode("--show", "Show a profile's algorithms and settings", "tune_profile:show"),
    Mode("--check", "Check whether a profile can be used here", "tune_profile:check"),
    Mode("--export", "Print a profile's settings in the library's own form", "tune_profile:export"),
    Mode("--hints", "Write MPI-IO hints for files", "tune_profile:hint"),
)


@declared("tune", cls=ModeCommand, modes=MODES)
def command(
    ctx: click.Context,
    benchmarks: tuple[str, ...] = argument("[BENCHMARK...]", shell_complete=complete_benchmarks),
    program: str | None = option(
        "Tune what a program has that `explain` recorded.",
        "--from RUN",
        shell_complete=complete_runs,
    ),
    place: str = option(
        "Shapes of communicators, NODESxPROCESSES_PER_NODE.", "NxP,...", default="1x2"
    ),
    mpi: str | None = Shared.mpi,
    hosts: str | None = Shared.hosts,
    remote_shell: str | None = Shared.remote_shell,
    seconds: float = option(
        "Time budget; the final verification may exceed it.",
        "SECONDS",
        type=click.FloatRange(1),
        default=300,
    ),
    sizes: str = option(
        "Sizes, as `leadline run` takes them.", "--bytes SIZE,...", default="8:2M:x8,8M"
    ),
    library: bool = option("Choose among the library's own algorithms, by its own settings."),
    resume: bool = option("Continue the last tuning with all that it measured."),
    bind: bool = Shared.bind,
    oversubscribe: bool = Shared.oversubscribe,
    anyway: bool = Shared.anyway,
    seed: int | None = option("Fixes the order of points and launches."),
    out: Path | None = option(
        "Write the profile to FILE  [default: profiles/MPI.toml in LEADLINE_HOME]"
    ),
    as_json: bool = Shared.json,
    runs: Path = Shared.runs,
) -> None:
    """Find the fastest algorithms and settings of an MPI.

    BENCHMARKs are of collectives, such as mpi/bcast, or of messages: mpi/pingpong, mpi/bandwidth,
    mpi/exchange; without any: all of these, and of MPI's collectives all that the runtime can
    replace. OpenSHMEM's are named, such as 'shmem/*'. The fastest algorithm for each communicator
    and size is measured again in new processes, with the runtime and without it. On messages the
    settings of the MPI are raced, and the winners measured again, in the same way. Only what is
    significantly faster there is written to the profile: `leadline exec` uses it. Rules of the
    profile for other collectives and communicators are kept.

    With --from, only the collectives, sizes and communicators of a recorded program are tuned, in
    the order of the time that they cost it. RUN is one that `leadline show` takes, of
    `leadline explain`. Rules for other sizes are kept, too.
    """
    from leadline.cli.preflight import check_machine
    from leadline.output.terminal.progress import progress_for
    from leadline.output.terminal.tuning import print_tuning
    from leadline.tune.request import TuningRequest, run_tuning

    options = {"place": "--place", "sizes": "--bytes"}
    default = click.core.ParameterSource.DEFAULT
    given = [options[each] for each in options if ctx.get_parameter_source(each) is not default]
    if program is not None:
        if given := [*benchmarks, *given]:
            raise UserError(
                "--from says which collectives, sizes and communicators are tuned: leave out "
                + ", ".join(given)
            )
        tuned = asked_by_program(program, runs, mpi)
    else:
        tuned = asked(benchmarks, place, mpi, sizes)
    plan = Plan(
        entries=(),
        mpi=(tuned.installation.name,),
        hosts=tuple(hosts.split(",")) if hosts else (),
        remote_shell=remote_shell or "",
        seed=seed,
        bind=bind,
        oversubscribe=oversubscribe,
        roofs=False,
    )
    check_machine(plan, tuned.placements, progress_for(sys.stderr), anyway=anyway)
    request = TuningRequest(
        **tuned._asdict(),
        seconds=seconds,
        library=library,
        resume=resume,
        out=out,
        runs=runs,
        plan=plan,
    )
    with contextlib.closing(progress_for(sys.stderr, seconds)) as progress:
        found = run_tuning(request, progress)
    if as_json:
        print_json(found)
    else:
        print_tuning(found)
        if program is not None and not (library or out):
            print_foretold(program, runs)
    ctx.exit(_STATUS[found.state])


class Asked(NamedTuple):
    """What is tuned; `wanted` and `command` are of a recorded program."""

    benchmarks: tuple[str, ...]
    api: str
    installation: Installation
    placements: tuple[Placement, ...]
    sizes: Sequence[int]
    wanted: tuple[Wanted, ...] = ()
    command: tuple[str, ...] = ()


def asked(benchmarks: tuple[str, ...], place: str, mpi: str | None, sizes: str) -> Asked:
    """Return what the words of a command line ask for. Raises `UserError`."""
    from leadline.tune.request import choose_installation
    from leadline.tune.subjects import api_of

    try:
        bytes_ = sorted(set(expand_values(sizes)))
    except (UserError, ValueError) as error:
        raise UserError(f"--bytes {sizes}: {error}") from error
    if bytes_[0] < 1:
        raise UserError(f"--bytes {sizes}: a size of {bytes_[0]} moves nothing: 1 or more")
    api = api_of(benchmarks)
    placements = tuple(dict.fromkeys(parse_placement(word) for word in place.split(",")))
    return Asked(benchmarks, api, choose_installation(mpi, api), placements, bytes_)


def asked_by_program(word: str, runs: Path, mpi: str | None) -> Asked:
    """Return what the recorded program `word` has: its MPI, communicators, collectives and sizes.

    `mpi` may name that MPI. Raises `UserError` for another one, for what is no recording, and for
    one without anything to tune.
    """
    from leadline.cli.explaining import kept_recording
    from leadline.tune.recorded import check_library, collectives_of, placements_of, wanted
    from leadline.tune.subjects import of_programs

    try:
        kept = kept_recording(word, runs)
        recording = kept.read()
    except UserError as error:
        raise UserError(f"--from {word}: {error}") from error
    named = mpi or (kept.recorded.mpi if kept.recorded else None)
    installation = choose_one(named) if named else _with_library(recording.library, kept.name)
    check_library(recording, installation, kept.name)
    found = wanted(recording, of_programs(source_folder()), kept.name)
    return Asked(
        benchmarks=collectives_of(found),
        api="mpi",
        installation=installation,
        placements=placements_of(found),
        sizes=sorted({one.bytes for one in found if one.bytes}),
        wanted=found,
        command=kept.recorded.command if kept.recorded else (),
    )


def _with_library(library: str, name: str) -> Installation:
    """Return the installation with this library. Raises `UserError` where there is none."""
    # A family of which the library's words are unknown has none, and could be any.
    real = [each for each in find_installations() if "mpi" in each.apis and not each.simulates]
    found = next((each for each in real if library_words(each, library)), None)
    if found is None:
        said = " ".join(library.split())[:60] or "an unknown MPI"
        raise UserError(
            f"--from {name}: the program was recorded with {said!r}, which `leadline mpi` does not "
            "find: tune where it is installed"
        )
    return found


def print_foretold(word: str, runs: Path) -> None:
    """Print what the profile is expected to save the recorded program, if anything."""
    from leadline.cli.explaining import explained
    from leadline.explain.case import about_s

    for each in explained(word, runs).advice:
        if each.kind == "use_profile" and each.low_s is not None and each.high_s is not None:
            click.echo(
                f"foretold: {about_s(each.saves_s or 0.0)} less for the program "
                f"({about_s(each.low_s)} to {about_s(each.high_s)})"
            )
