"""The runtime of an installation: the libraries to preload, and what they load, in two parts."""

import os
import shutil
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from leadline import __version__
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build import cmake
from leadline.measure.build.abi import Abi, abi_for, known_headers
from leadline.measure.build.cache import ENGINE, OBSERVER, BuildSpec, build_once
from leadline.model.installation import Installation


class _Part(msgspec.Struct, frozen=True):
    """A half of the runtime that is built by itself: its libraries for each API."""

    name: str
    sources: tuple[str, ...]
    libraries: dict[str, tuple[str, ...]]


_ENGINE = _Part(
    "engine",
    ENGINE,
    {"mpi": (paths.PRELOADED, "libleadline-engine.so"), "shmem": ("libleadline-shmem.so",)},
)
_OBSERVER = _Part(
    "observer",
    OBSERVER,
    {
        "mpi": (paths.RECORDING, "libleadline-observer.so"),
        "shmem": (paths.RECORDING_SHMEM, "libleadline-observer-shmem.so"),
    },
)


def runtime_for(
    installation: Installation, say: Callable[[str], None], source: Path | None = None
) -> Path:
    """Return the folder of `installation`'s runtime, its engines built now where they have to be.

    Libraries are replaced at once, never written over: programs that run keep the old ones. `say`
    is told before a build; `source` replaces the folder of the sources. Raises `UserError` where
    the installation has no MPI, and where the build fails.
    """
    return _built(_ENGINE, installation, say, source)


def observer_for(
    installation: Installation,
    say: Callable[[str], None],
    source: Path | None = None,
    apis: Collection[str] = ("mpi", "shmem"),
) -> Path:
    """Return the same folder with the observer in it, and no engine built: see `runtime_for`.

    It holds `libleadline-explain.so`, which is preloaded, and the observer beside it; that of
    OpenSHMEM, too, where it is one of the `apis`, or was built before.
    """
    return _built(_OBSERVER, installation, say, source, apis)


def _built(
    part: _Part,
    installation: Installation,
    say: Callable[[str], None],
    source: Path | None,
    apis: Collection[str] = ("mpi", "shmem"),
) -> Path:
    if "mpi" not in installation.apis:
        raise UserError(
            f"{installation.name} has no MPI launcher and compiler wrapper, so there is no runtime "
            "for it: choose an installation from `leadline mpi`"
        )
    folder = paths.runtime(installation.name)
    source = source or source_folder()
    for api, libraries in part.libraries.items():
        wanted = api in apis or (folder / libraries[0]).is_file()
        there = api == "mpi" or (source / "runtime" / api).is_dir()
        if api not in installation.apis or not wanted or not there:
            continue
        spec = _spec(part, installation, api, say, source)
        built = [spec.folder / name for name in libraries]
        build_once(spec, partial(_are_there, built), lambda: True, say)
        for library in built:
            _copy(library, folder / library.name)
    return folder


def _spec(
    part: _Part, installation: Installation, api: str, say: Callable[[str], None], source: Path
) -> BuildSpec:
    """Return the build of a part: for MPI one serves all libraries of an ABI and a standard.

    Not of an ABI alone, as programs ask by weak references which functions a library has.
    """
    builds = paths.home() / "runtime/builds"
    common = (f"-DLEADLINE_RUNTIME={part.name}", f"-DLEADLINE_VERSION={__version__}")
    if api == "mpi" and (abi := abi_for(installation, say, source)) is not None:
        if abi.name != installation.name:
            name = f"{abi.name.partition('-')[0]}-{installation.standard}"
            headers = known_headers(builds / name / part.name, str(installation.headers))
            abi = Abi(name, headers)
        return BuildSpec(
            what=f"the {part.name} for {abi.name}",
            folder=builds / abi.name / part.name,
            source=source,
            parts=part.sources,
            made_for=abi.name,
            definitions=(*common, *abi.definitions),
            programs=abi.programs,
        )
    definitions = (
        *common,
        *cmake.configuration(installation, api),
        f"-DMPI_C_COMPILER={installation.mpicc}",
    )
    wrappers = {"mpi": installation.mpicc, "shmem": installation.oshcxx}
    return BuildSpec(
        what=f"the {api} {part.name} for {installation.name}",
        folder=builds / installation.name / f"{part.name}-{api}",
        source=source,
        parts=part.sources,
        made_for=f"{installation.family} {installation.version} {installation.prefix}",
        variables=installation.environment,
        definitions=tuple(dict.fromkeys(definitions)),
        programs={"wrapper": wrappers[api]},
    )


def _are_there(libraries: Iterable[Path]) -> bool | None:
    return all(each.is_file() for each in libraries) or None


def _copy(built: Path, library: Path) -> None:
    """Make `library` a copy of what was built, at once, where it is none."""
    with suppress(OSError):
        there, wanted = library.stat(), built.stat()
        if (there.st_size, there.st_mtime_ns) == (wanted.st_size, wanted.st_mtime_ns):
            return
    library.parent.mkdir(parents=True, exist_ok=True)
    copy = library.with_suffix(f".{os.getpid()}")
    shutil.copy2(built, copy)
    copy.replace(library)
