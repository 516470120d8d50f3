"""The cache of discovered MPI installations, and whether it still holds."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from leadline import __version__
from leadline.model.installation import Installation
from leadline.site.mpi.sources import SOURCES, Places

_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "MODULEPATH", "CRAY_MPICH_VERSION")


class Cache(msgspec.Struct, frozen=True, kw_only=True):
    """A search's outcome with all that it depended on.

    `changed` maps watched paths to their modification time in nanoseconds, 0 for none.
    """

    leadline: str = ""
    variables: dict[str, str] = {}
    changed: dict[str, int] = {}
    installations: list[Installation] = []


def recall(places: Places) -> Cache:
    """Return what was kept, or an empty cache where there is none or it cannot be read."""
    try:
        return msgspec.json.decode(_file(places).read_bytes(), type=Cache)
    except (OSError, msgspec.DecodeError):
        return Cache()


def still_true(cache: Cache, places: Places) -> bool:
    """Tell whether a new search would find the same, judging by modification times."""
    return cache.leadline == __version__ and cache == _cache(cache.installations, places)


def keep(installations: list[Installation], places: Places) -> None:
    """Keep what was found. A home that cannot be written only costs time the next time."""
    text = msgspec.json.encode(_cache(installations, places))
    file = _file(places)
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(text)
        partial.replace(file)


def _file(places: Places) -> Path:
    return places.installed / "found.json"


def _cache(installations: list[Installation], places: Places) -> Cache:
    return Cache(
        leadline=__version__,
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
