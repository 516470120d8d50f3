"""The runtime of an installation: what is preloaded, and the engines that it loads."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from leadline import __version__
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build import cmake
from leadline.measure.build.cache import RUNTIME, BuildSpec, build_once
from leadline.model.installation import Installation

# What CMake makes for each API.
_LIBRARIES = {
    "mpi": (
        paths.PRELOADED,
        "libleadline-engine.so",
        paths.RECORDING,
        "libleadline-observer.so",
    ),
    "shmem": (
        "libleadline-shmem.so",
        paths.RECORDING_SHMEM,
        "libleadline-observer-shmem.so",
    ),
}


def runtime_for(
    installation: Installation, say: Callable[[str], None], source: Path | None = None
) -> Path:
    """Return the folder of `installation`'s runtime, built now where it has to be.

    It holds `libleadline.so`, which is preloaded, and the engines that it finds beside itself. A
    library is replaced at once, never written over: programs that run keep the old one. `say` is
    told before a build; `source` replaces the folder of the sources.

    Raises `UserError` where the installation has no MPI, where a compiler is missing, and where
    the build fails.
    """
    if "mpi" not in installation.apis:
        raise UserError(
            f"{installation.name} has no MPI launcher and compiler wrapper, so there is no runtime "
            "for it: choose an installation from `leadline mpi`"
        )
    folder = paths.runtime(installation.name)
    source = source or source_folder()
    for api in _LIBRARIES:
        if api in installation.apis and _has_sources(source, api):
            _engine_for(installation, api, folder, source, say)
    return folder


def _engine_for(
    installation: Installation,
    api: str,
    folder: Path,
    source: Path,
    say: Callable[[str], None],
) -> None:
    wrappers = {"mpi": installation.mpicc, "shmem": installation.oshcxx}
    spec = BuildSpec(
        what=f"the {api} runtime for {installation.name}",
        folder=folder / api,
        source=source,
        parts=RUNTIME,
        installation=installation,
        definitions=tuple(
            dict.fromkeys(
                [
                    "-DLEADLINE_RUNTIME=ON",
                    f"-DLEADLINE_VERSION={__version__}",
                    *cmake.configuration(installation, api),
                    f"-DMPI_C_COMPILER={installation.mpicc}",
                ]
            )
        ),
        programs={"wrapper": wrappers[api]},
    )
    made = [folder / name for name in _LIBRARIES[api]]

    def finish() -> bool:
        for library in made:
            partial = library.with_suffix(f".{os.getpid()}")
            shutil.copy2(spec.folder / library.name, partial)
            partial.replace(library)
        return True

    build_once(spec, lambda: all(each.is_file() for each in made) or None, finish, say)


def _has_sources(source: Path, api: str) -> bool:
    return api == "mpi" or (source / "runtime" / api).is_dir()
