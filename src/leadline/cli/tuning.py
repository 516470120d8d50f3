"""What `leadline tune` is to tune: what is given, or what a recorded program has."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import click

from leadline.cli.explaining import explained, kept_recording
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.core.units import expand_values
from leadline.explain.case import about_s
from leadline.model.installation import Installation
from leadline.model.placement import Placement, parse_placement
from leadline.site.mpi.choice import choose_one
from leadline.site.mpi.discovery import find_installations
from leadline.site.mpi.families import library_words
from leadline.tune.recorded import (
    Wanted,
    check_library,
    collectives_of,
    placements_of,
    sizes_of,
    wanted,
)
from leadline.tune.request import choose_installation
from leadline.tune.subjects import api_of, of_programs


class Asked(NamedTuple):
    """What is tuned; `wanted` and `command` are of a recorded program."""

    benchmarks: tuple[str, ...]
    api: str
    installation: Installation
    placements: tuple[Placement, ...]
    sizes: Sequence[int]
    wanted: tuple[Wanted, ...] = ()
    command: tuple[str, ...] = ()


def asked(
    benchmarks: tuple[str, ...], place: str, mpi: str | None, sizes: str, report: Path | None
) -> Asked:
    """Return what the words of a command line ask for. Raises `UserError`."""
    try:
        bytes_ = sizes_of(report) if report else sorted(set(expand_values(sizes)))
    except (UserError, ValueError) as error:
        if report:
            raise
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


def check_alone(given: Sequence[str]) -> None:
    """Raise `UserError` where words beside --from say what to tune."""
    if given:
        raise UserError(
            "--from says which collectives, sizes and communicators are tuned: leave out "
            + ", ".join(given)
        )


def print_foretold(word: str, runs: Path) -> None:
    """Print what the profile is expected to save the recorded program, if anything."""
    for each in explained(word, runs).advice:
        if each.kind == "use_profile" and each.low_s is not None and each.high_s is not None:
            click.echo(
                f"foretold: {about_s(each.saves_s or 0.0)} less for the program "
                f"({about_s(each.low_s)} to {about_s(each.high_s)})"
            )
