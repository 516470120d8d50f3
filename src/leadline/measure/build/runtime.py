"""The runtime of an installation: the libraries to preload, and what they load, in two parts."""

from collections.abc import Callable, Collection
from pathlib import Path

import msgspec

from leadline import __version__
from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build import cmake
from leadline.measure.build.abi import Abi, abi_for, common_headers, require_header
from leadline.measure.build.cache import (
    ENGINE,
    OBSERVER,
    BuildSpec,
    build_once,
    can_be_written,
    copy,
    ready,
    require_plain,
)
from leadline.model.installation import Installation
from leadline.site.mpi.families import functions_of


class Part(msgspec.Struct, frozen=True):
    """A half of the runtime that is built by itself: its libraries for each API."""

    name: str
    sources: tuple[str, ...]
    libraries: dict[str, tuple[str, ...]]


ENGINE_PART = Part(
    "engine",
    ENGINE,
    {"mpi": (paths.PRELOADED, "libleadline-engine.so"), "shmem": ("libleadline-shmem.so",)},
)
OBSERVER_PART = Part(
    "observer",
    OBSERVER,
    {
        "mpi": (paths.RECORDING, "libleadline-observer.so", "leadline-watch"),
        "shmem": (paths.RECORDING_SHMEM, "libleadline-observer-shmem.so", "leadline-watch"),
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
    return _built(ENGINE_PART, installation, say, source)


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
    return _built(OBSERVER_PART, installation, say, source, apis)


def _built(
    part: Part,
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
    require_plain(" :")  # what separates libraries in LD_PRELOAD: ld.so(8)
    source = source or source_folder()
    for api, libraries in part.libraries.items():
        wanted = api in apis or (folder / libraries[0]).is_file()
        can_be = api == "mpi" or (installation.oshcxx and (source / "runtime" / api).is_dir())
        if api not in installation.apis or not wanted or not can_be:
            continue
        spec = _spec(part, installation, api, say, source)
        there = ready(spec)
        if there is None:
            there = spec.folder
            try:
                require_header(spec)
                build_once(spec, lambda: True, lambda: True, say)
            except UserError as error:
                if api == "mpi":
                    raise
                # The program may call MPI alone.
                say(f"without {spec.what}: {error}")
                continue
        with can_be_written(folder):
            for name in libraries:
                copy(there / name, folder / name)
    return folder


def _spec(
    part: Part, installation: Installation, api: str, say: Callable[[str], None], source: Path
) -> BuildSpec:
    """Return the build of a part: for MPI one serves all libraries of an ABI.

    An observer has all functions of a library, and serves those with the same alone: programs ask
    by weak references which functions a library has.
    """
    builds = _builds()
    if api == "mpi" and (abi := abi_for(installation, say, source)) is not None:
        if abi.name != installation.name and part is OBSERVER_PART:
            name = functions_of(installation)
            headers = common_headers(builds / name / part.name, installation.headers or "")
            abi = Abi(name, headers, abi.standard)
        return shared_spec(part, abi, source)
    definitions = (
        *_common(part),
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
        files=part.libraries[api],
    )


def shared_spec(part: Part, abi: Abi, source: Path) -> BuildSpec:
    """Return the build of a part for all libraries that `abi` serves."""
    return BuildSpec(
        what=f"the {part.name} for {abi.title}",
        folder=_builds() / abi.name / part.name,
        source=source,
        parts=part.sources,
        made_for=abi.name,
        definitions=(*_common(part), *abi.definitions),
        programs=abi.programs,
        files=part.libraries["mpi"],
    )


def _builds() -> Path:
    return paths.home() / "runtime/builds"


def _common(part: Part) -> tuple[str, ...]:
    return f"-DLEADLINE_RUNTIME={part.name}", f"-DLEADLINE_VERSION={__version__}"
