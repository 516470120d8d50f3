"""The runtime of an installation: the libraries to preload, and what they load, in two parts."""

import os
import shutil
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import msgspec

from leadline import __version__
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build import cmake
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
    installation: Installation, say: Callable[[str], None], source: Path | None = None
) -> Path:
    """Return the same folder with the observer in it, and no engine built: see `runtime_for`.

    It holds `libleadline-explain.so`, which is preloaded, and the observer beside it.
    """
    return _built(_OBSERVER, installation, say, source)


def _built(
    part: _Part, installation: Installation, say: Callable[[str], None], source: Path | None
) -> Path:
    if "mpi" not in installation.apis:
        raise UserError(
            f"{installation.name} has no MPI launcher and compiler wrapper, so there is no runtime "
            "for it: choose an installation from `leadline mpi`"
        )
    folder = paths.runtime(installation.name)
    source = source or source_folder()
    wrappers = {"mpi": installation.mpicc, "shmem": installation.oshcxx}
    for api, libraries in part.libraries.items():
        if api not in installation.apis or not (
            api == "mpi" or (source / "runtime" / api).is_dir()
        ):
            continue
        definitions = [
            f"-DLEADLINE_RUNTIME={part.name}",
            f"-DLEADLINE_VERSION={__version__}",
            *cmake.configuration(installation, api),
            f"-DMPI_C_COMPILER={installation.mpicc}",
        ]
        spec = BuildSpec(
            what=f"the {api} {part.name} for {installation.name}",
            folder=folder / f"{part.name}-{api}",
            source=source,
            parts=part.sources,
            installation=installation,
            definitions=tuple(dict.fromkeys(definitions)),
            programs={"wrapper": wrappers[api]},
        )
        made = [folder / name for name in libraries]
        build_once(spec, partial(_are_there, made), partial(_put_beside, made, spec.folder), say)
    return folder


def _are_there(libraries: Iterable[Path]) -> bool | None:
    return all(each.is_file() for each in libraries) or None


def _put_beside(libraries: Iterable[Path], built: Path) -> bool:
    for library in libraries:
        copy = library.with_suffix(f".{os.getpid()}")
        shutil.copy2(built / library.name, copy)
        copy.replace(library)
    return True
