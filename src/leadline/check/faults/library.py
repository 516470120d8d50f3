"""The library that the ranks load, and the launcher that does not fit it: rules."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from leadline.check.command import Command
from leadline.check.fault import Fault, fault, named
from leadline.check.observation import Observation, Rank

_MISSING = re.compile(r"error while loading shared libraries: ([^\s:]+): cannot open shared object")
_OLDER = re.compile(r"(\S+): version [`'](\S+)' not found \(required by ([^)\s]+)\)")
_UNDEFINED = re.compile(r"symbol lookup error: ([^\s:]+): undefined symbol: ([^\s,]+)")


def missing_library(output: str) -> str:
    """Return the name of the first library that was not found, empty where all were.

    >>> missing_library("./a: error while loading shared libraries: libmpi.so.40: cannot open "
    ...     "shared object file: No such file or directory")
    'libmpi.so.40'
    """
    found = _MISSING.search(output)
    return found[1] if found else ""


_LEADING = ("LD_LIBRARY_PATH", "LD_PRELOAD")


def library_not_loaded(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks that end before they begin: the loader finds no library, or one of another release."""
    if name := missing_library(seen.output):
        folder = seen.library_folder
        yield fault(
            (),
            f"The program does not start: the loader finds no {name}.",
            command.with_variable("LD_LIBRARY_PATH", folder)
            if folder
            else f"Load the module with which the program was built, or put the folder of {name} "
            "into LD_LIBRARY_PATH.",
            *([f"{name} is in {folder}"] if folder else []),
        )
    elif older := _OLDER.search(seen.output):
        path, version, needing = older.groups()
        library = PurePosixPath(path).name
        yield fault(
            (),
            f"A rank does not start: {library} lacks {version}, which "
            f"{PurePosixPath(needing).name} needs.",
            _without_leading(command)
            or f"Put the folder of the {library} that belongs to {needing} first into "
            "LD_LIBRARY_PATH.",
            f"the loader found {path}",
            f"{needing} was built with another one",
        )
    elif seen.status and (undefined := _UNDEFINED.search(seen.output)):
        needing, symbol = undefined.groups()
        yield fault(
            (),
            f"A rank does not start: no library has {symbol}, which "
            f"{PurePosixPath(needing).name} needs.",
            _without_leading(command)
            or f"Put the folder of the libraries that belong to {needing} first into "
            "LD_LIBRARY_PATH.",
            f"{needing} was built with other libraries",
        )


def _without_leading(command: Command) -> str:
    """Return the command without variables that lead to other libraries, empty without these."""
    set_here = [name for name in reversed(_LEADING) if command.sets(name)]
    return command.without_variables(set_here) if set_here else ""


_TITLES = {"openmpi": "Open MPI", "mpich": "MPICH", "intel": "Intel MPI"}
_PMI = {"openmpi": "pmix", "mpich": "pmi2", "intel": "pmi2"}
# What MPICH and Open MPI write when they end because they do not know the launcher's language.
_WORDS = re.compile(
    r"unsupported PMI version \S+(?<![.,])|direct launched using \S+|PMIx?2?_Init failed",
    re.IGNORECASE,
)


def wrong_launcher(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks that do not find each other: each takes itself for rank 0 of 1."""
    if (words := _WORDS.search(seen.output)) and seen.status:
        yield fault(
            seen.ranks,
            "The program ends in MPI_Init: its MPI does not know this launcher.",
            command.by(seen.mpiexec)
            if seen.mpiexec
            else "Start it with the launcher of its own MPI, which `leadline mpi software ./app` "
            "names.",
            f'the program wrote "{words[0]}"',
        )
        return
    families = {rank.family for rank in seen.ranks}
    family = families.pop() if len(families) == 1 else ""
    launcher, count = command.launcher, len(seen.ranks)
    foreign = family not in launcher.families
    untold = not any(launcher.serves(rank.environment) for rank in seen.ranks)
    if not family or not seen.apart or not (foreign or untold):
        return
    consequence = "they fail." if seen.status else "each runs alone, as rank 0 of 1."
    yield fault(
        seen.ranks,
        f"{launcher.title} starts {count} ranks of {_TITLES[family]}: {consequence}"
        if foreign
        else f"{launcher.title} does not tell the {count} ranks of each other: {consequence}",
        command.with_options(f"--mpi={_PMI[family]}")
        if launcher.name == "srun"
        else command.by(seen.mpiexec or f"mpiexec of {_TITLES[family]}"),
        f"the ranks load {seen.ranks[0].mpi[0].path}",
        "no two of them share memory or a connection",
    )


def libraries_differ(seen: Observation, command: Command) -> Iterator[Fault]:
    """Ranks that have loaded different MPI libraries, or two at once."""
    by_file: dict[tuple[str, ...], list[Rank]] = {}
    for rank in seen.ranks:
        if rank.mpi:
            by_file.setdefault(tuple(sorted(each.file for each in rank.mpi)), []).append(rank)
    double = [rank for rank in seen.ranks if len({each.file for each in rank.mpi}) > 1]
    if len(by_file) < 2 and not double:
        return
    largest = max(by_file.values(), key=len)
    odd = double or [rank for each in by_file.values() if each is not largest for rank in each]
    what = "two MPI libraries at once" if double else "another MPI library than the rest"
    yield fault(
        odd,
        f"{named(odd)} {'loads' if len(odd) == 1 else 'load'} {what}.",
        _same_library(seen, command, odd),
        *(
            f"{named(each)}: {' and '.join(library.path for library in each[0].mpi)}"
            for each in by_file.values()
        ),
    )


def _same_library(seen: Observation, command: Command, odd: list[Rank]) -> str:
    rest = [rank for rank in seen.ranks if rank not in odd]
    for name in _LEADING:
        values = {rank.environment.get(name) for rank in rest} or {None}
        if odd[0].environment.get(name) not in values:
            return command.without_variables([name])
    folders = [each.path.rpartition("/")[0] for rank in rest or odd for each in rank.mpi[:1]]
    return command.with_variable("LD_LIBRARY_PATH", folders[0])
