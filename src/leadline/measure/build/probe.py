"""The probe of an installation and an API: built, and asked about itself without a launcher."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build import cmake
from leadline.measure.build.cache import PROBE, BuildSpec, answer, build_once, is_built
from leadline.measure.knobs.listing import clean_environment, listed
from leadline.model.description import Description
from leadline.model.installation import Installation
from leadline.model.software import Setting
from leadline.site.mpi.families import is_library_of

_PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="world" routing="Full"><host id="alone" speed="1Gf"/></zone>
</platform>
"""


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A probe that is built, and what it says of itself."""

    path: Path
    description: Description


def probe_for(
    installation: Installation,
    api: str,
    say: Callable[[str], None],
    source: Path | None = None,
) -> Probe:
    """Return the probe of `api` for `installation`, built now where it has to be.

    Its stamp states this very installation. `say` is told before a build; `source` replaces the
    folder of the sources. Raises `UserError` without such an API, and where the build fails.
    """
    if api not in installation.apis:
        what = {"mpi": "MPI launcher and compiler wrapper", "shmem": "OpenSHMEM (oshcc and oshrun)"}
        raise UserError(
            f"{installation.name} has no {what.get(api, f'{api} API')}: choose an "
            "installation that has it from `leadline mpi`"
        )
    spec = _spec(installation, api, source)
    path, description = _files(spec, api)
    return build_once(
        spec,
        lambda: _find_built(path, description),
        lambda: Probe(path=path, description=_describe(path, description, spec)),
        say,
    )


def built_probe(installation: Installation, api: str) -> Probe | None:
    """Return the probe where it would not have to be built."""
    spec = _spec(installation, api, None)
    return _find_built(*_files(spec, api)) if is_built(spec) else None


def described_probe(installation: Installation, api: str) -> Probe | None:
    """Return the probe as it last described itself, however old that is; None before any build."""
    return _find_built(*_files(_spec(installation, api, None), api))


def _spec(installation: Installation, api: str, source: Path | None) -> BuildSpec:
    wrappers = {"mpi": installation.mpicc, "shmem": installation.oshcxx}
    return BuildSpec(
        what=f"the {api} probe for {installation.name}",
        folder=paths.probes() / installation.name / api,
        source=source or source_folder(),
        parts=PROBE,
        installation=installation,
        definitions=tuple(cmake.configuration(installation, api)),
        programs={"wrapper": wrappers.get(api), "launcher": installation.mpiexec},
    )


def _files(spec: BuildSpec, api: str) -> tuple[Path, Path]:
    """Return where the probe lies, and what it says of itself."""
    return spec.folder / f"leadline-probe-{api}", spec.folder / "describe.json"


def check_library(installation: Installation, library: str) -> None:
    """Raise `UserError` where a probe reports an MPI library that is not the installation's.

    The loader can be led to another one, as by LD_LIBRARY_PATH; figures would carry the wrong name.
    """
    if not is_library_of(installation, library):
        said = " ".join(library.split())[:60]
        raise UserError(
            f"the probe built for {installation.name} runs on another library ({said}): "
            "LD_LIBRARY_PATH or LD_PRELOAD leads to it, unset it"
        )


def _find_built(path: Path, file: Path) -> Probe | None:
    """Return the probe that was built before, with what it said then."""
    if not path.is_file():
        return None
    try:
        return Probe(
            path=path, description=msgspec.json.decode(file.read_bytes(), type=Description)
        )
    except (OSError, msgspec.DecodeError):
        return None


def _describe(path: Path, file: Path, spec: BuildSpec) -> Description:
    complaint = f"the probe {path} does not describe itself"
    text = answer(
        _alone_command(spec.installation, path, "--describe"), complaint, spec.environment
    )
    try:
        description = msgspec.json.decode(text, type=Description)
    except msgspec.DecodeError as error:
        raise UserError(f"{complaint}: {error}") from None
    file.write_bytes(text)
    return description


def _alone_command(installation: Installation, path: Path, *words: str) -> list[str]:
    """Return the command by which the probe at `path` answers `words`.

    A simulated probe gets a machine of one host, which is written beside it.
    """
    if not installation.simulates:
        return [str(path), *words]
    platform, hosts = path.with_name("alone.xml"), path.with_name("alone.txt")
    platform.write_text(_PLATFORM)
    hosts.write_text("alone\n")
    return [
        *(str(installation.mpiexec), "-np", "1", "--log=root.thres:critical"),
        *("-platform", str(platform), "-hostfile", str(hosts), str(path), *words),
    ]


def controls(installation: Installation, say: Callable[[str], None]) -> list[Setting]:
    """Return the MPI_T variables of `installation` in this environment; a simulator has none.

    The probe is built where it has to be. Raises `UserError` where it does not answer.
    """
    if installation.simulates:
        return []
    path = str(probe_for(installation, "mpi", say).path)

    def ask(environment: Mapping[str, str]) -> bytes:
        whole = {**environment, **installation.environment}
        return answer([path, "--controls"], f"the probe {path} does not list its controls", whole)

    clean = clean_environment(os.environ)
    before = [ask(clean) for _ in range(2)]
    return listed(ask(os.environ), before, installation, dict(os.environ))
