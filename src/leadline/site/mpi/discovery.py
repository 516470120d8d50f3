"""Every MPI installation on this machine, and the cache of a search."""

import itertools
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from leadline import __version__
from leadline.model.installation import Installation
from leadline.site.mpi.candidate import Candidate
from leadline.site.mpi.families import FAMILIES
from leadline.site.mpi.sources import SOURCES, Places

# Counts the changes of what is known of an installation.
_FORM = 1
_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "MODULEPATH", "CRAY_MPICH_VERSION")


class Cache(msgspec.Struct, frozen=True, kw_only=True):
    """A search's outcome with all that it depended on.

    `changed` maps watched paths to their modification time in nanoseconds, 0 for none.
    """

    leadline: str = ""
    form: int = 0
    variables: dict[str, str] = {}
    changed: dict[str, int] = {}
    installations: list[Installation] = []


def _keep(cache: Cache, file: Path) -> None:
    """Keep what was found. A home that cannot be written only costs time the next time."""
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(msgspec.json.encode(cache))
        partial.replace(file)


def _cache(installations: list[Installation], places: Places) -> Cache:
    return Cache(
        leadline=__version__,
        form=_FORM,
        variables={name: places.environment.get(name, "") for name in _VARIABLES},
        changed={
            str(path): _modification_ns(path) for path in _find_watched_paths(installations, places)
        },
        installations=installations,
    )


def _find_watched_paths(installations: list[Installation], places: Places) -> Iterable[Path]:
    for source in SOURCES:
        yield from source.watched(places)
    for each in installations:
        programs = (each.mpicc, each.mpicxx, each.mpiexec, each.oshcc, each.oshrun)
        yield from (Path(program) for program in programs if program)


def _modification_ns(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


FAKE = Installation(name="fake", family="fake", version=__version__, prefix="", source="leadline")


def find_installations(fresh: bool = False, places: Places | None = None) -> list[Installation]:
    """Return the installations of this machine, the fake one last.

    What was found is remembered and given again while nothing that the search depends on has
    changed; `fresh` searches in any case. Names are FAMILY-VERSION, with `-2` and so on for a
    second one, and stay with their installation between calls.
    """
    places = places or Places.here()
    file = places.installed / "found.json"
    try:
        remembered = msgspec.json.decode(file.read_bytes(), type=Cache)
    except (OSError, msgspec.DecodeError):
        remembered = Cache()
    # A new search would find the same, judging by modification times.
    if not fresh and remembered == _cache(remembered.installations, places):
        return [*remembered.installations, FAKE]
    former = {each.mpicc: each.name for each in remembered.installations}
    found = name_each(_search(places), former)
    _keep(_cache(found, places), file)
    return [*found, FAKE]


def name_each(found: Iterable[Installation], former: dict[str | None, str]) -> list[Installation]:
    """Return the installations with names that are unique among them.

    `former` maps wrappers to the names that they had: these are kept where they still fit.
    """
    installations = list(found)
    kept = {
        each.mpicc: name
        for each in installations
        if (name := former.get(each.mpicc)) and _fits(name, each.name)
    }
    taken = set(kept.values())
    named = []
    for each in installations:
        name = kept.get(each.mpicc) or next(
            name for name in numbered(each.name) if name not in taken
        )
        taken.add(name)
        named.append(msgspec.structs.replace(each, name=name))
    return named


def _fits(name: str, wanted: str) -> bool:
    return name == wanted or name.removeprefix(f"{wanted}-").isdigit()


def numbered(wanted: str) -> Iterator[str]:
    """Yield the name that is wanted, and those to take where it is taken: `a`, `a-2`, `a-3`."""
    yield wanted
    yield from (f"{wanted}-{number}" for number in itertools.count(2))


def _search(places: Places) -> Iterator[Installation]:
    seen = set()
    for source in SOURCES:
        for candidate in source.candidates(places):
            if candidate.wrapper not in seen:
                seen.add(candidate.wrapper)
                yield from _recognise(candidate)


def _recognise(candidate: Candidate) -> Iterator[Installation]:
    """Yield the installation of the candidate, if a family knows it.

    A suffixed wrapper without a launcher of its own is another name for the plain one, as
    tracing tools make them.
    """
    macros = candidate.macros()
    for family in FAMILIES:
        if version := family.version(candidate, macros):
            installation = family.installation(candidate, version)
            if installation.apis or not candidate.suffix:
                yield installation
            return
