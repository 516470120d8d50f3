"""The probe of an installation and an API: what it can measure, and how it is started.

What a probe of MPI measures is known from a catalogue, and only the parts that are asked for are
built. One for a library whose ABI is not known, a simulated one and one of OpenSHMEM are built
first, and say it themselves.
"""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.shipped import source_folder
from leadline.measure.build import cmake
from leadline.measure.build.abi import LOADER, abi_for, base_spec, build
from leadline.measure.build.cache import PROBE, BuildSpec, answer, build_once
from leadline.measure.build.parts import catalogue, in_order, parts
from leadline.measure.knobs.listing import clean_environment, listed
from leadline.model.description import Description, Value
from leadline.model.installation import Installation
from leadline.model.software import Setting
from leadline.site.mpi.families import abi_of, is_library_of

_PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="world" routing="Full"><host id="alone" speed="1Gf"/></zone>
</platform>
"""
Say = Callable[[str], None]
# Benchmarks with the values of their axes; several values have commas between.
Points = Iterable[tuple[str, Mapping[str, Value]]]


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A probe, and what it says of itself.

    `words` begin its command where it is there as a whole; `program` builds what a probe of parts
    needs.
    """

    description: Description
    words: tuple[str, ...] = ()


def probe_for(installation: Installation, api: str, say: Say, source: Path | None = None) -> Probe:
    """Return the probe of `api` for `installation`; one without a catalogue is built now.

    `say` is told before a build; `source` replaces the folder of the sources. Raises `UserError`
    without such an API, and where the build fails.
    """
    _require(installation, api)
    if _has_catalogue(installation, api):
        return Probe(description=catalogue(api).description)
    source = source or source_folder()
    spec = _whole_spec(installation, api, source)
    path, description = _files(spec, api)
    return build_once(
        spec,
        lambda: _find_built((str(path),), description),
        lambda: _described((str(path),), description, spec, installation),
        say,
    )


def program(
    installation: Installation,
    api: str,
    probe: Probe,
    points: Points,
    say: Say,
    source: Path | None = None,
) -> tuple[str, ...]:
    """Return the command's words that start the probe for `points`, its parts built now.

    The same arguments follow them with every probe. Raises `UserError` where a build fails.
    """
    if probe.words:
        return probe.words
    wanted = catalogue(api).parts(points)
    return _program_of(installation, api, {api, *wanted}, say, source or source_folder())


def whole_program(
    installation: Installation, api: str, say: Say, source: Path | None = None
) -> tuple[str, ...]:
    """Return the command's words that start the probe with all that it can measure."""
    if not _has_catalogue(installation, api):
        return probe_for(installation, api, say, source).words
    source = source or source_folder()
    names = {name for name, part in parts(source).items() if part.layer == api}
    names |= {"node"} if api == "mpi" else set()
    return _program_of(installation, api, names, say, source)


def described_probe(installation: Installation, api: str) -> Probe | None:
    """Return the probe without building; None where only a build says what it measures."""
    if _has_catalogue(installation, api):
        return Probe(description=catalogue(api).description)
    spec = _whole_spec(installation, api, source_folder())
    path, description = _files(spec, api)
    return _find_built((str(path),), description)


def _require(installation: Installation, api: str) -> None:
    if api not in installation.apis:
        what = {"mpi": "MPI launcher and compiler wrapper", "shmem": "OpenSHMEM (oshcc and oshrun)"}
        raise UserError(
            f"{installation.name} has no {what.get(api, f'{api} API')}: choose an "
            "installation that has it from `leadline mpi`"
        )


def _has_catalogue(installation: Installation, api: str) -> bool:
    if api != "mpi":
        return api == "fake"
    return bool(abi_of(installation) or (installation.library and installation.headers))


def _program_of(
    installation: Installation, api: str, names: Collection[str], say: Say, source: Path
) -> tuple[str, ...]:
    """Return the words that start a probe of these parts, built where they have to be."""
    known = parts(source)
    ordered = in_order(names, known)

    def of(layer: str) -> tuple[str, ...]:
        return tuple(each for each in ordered if known[each].layer == layer)

    # The layer of what has no MPI beside what all have in common.
    common = (*of("base"), *of("fake"))
    base = build(base_spec(source, (LOADER, *common)), say)
    folders = dict.fromkeys(common, base)
    loaded = []
    if api == "mpi":
        abi = abi_for(installation, say, source)
        if abi is None:
            raise UserError(f"{installation.name} has no mpi.h and no MPI library")
        folders.update(dict.fromkeys(of("mpi"), build(abi.spec(source, of("mpi")), say)))
        loaded = [str(installation.library)]
    files = [*loaded, *(str(folders[each] / f"{each}.so") for each in ordered)]
    return (str(base / LOADER), "--load", ":".join(files))


def _whole_spec(installation: Installation, api: str, source: Path) -> BuildSpec:
    wrapper = installation.oshcxx if api == "shmem" else installation.mpicc
    return BuildSpec(
        what=f"the {api} probe for {installation.name}",
        folder=paths.probes() / installation.name / api,
        source=source,
        parts=PROBE,
        made_for=_name(installation),
        definitions=tuple(cmake.configuration(installation, api)),
        programs={"wrapper": wrapper, "launcher": installation.mpiexec},
        variables=installation.environment,
        files=(f"leadline-probe-{api}",),
    )


def _name(installation: Installation) -> str:
    return f"{installation.family} {installation.version} {installation.prefix}"


def _files(spec: BuildSpec, api: str) -> tuple[Path, Path]:
    """Return where a whole probe lies, and what it says of itself."""
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


def _find_built(words: tuple[str, ...], file: Path) -> Probe | None:
    """Return the probe that was built before, with what it said then."""
    if not Path(words[0]).is_file():
        return None
    try:
        return Probe(
            words=words, description=msgspec.json.decode(file.read_bytes(), type=Description)
        )
    except (OSError, msgspec.DecodeError):
        return None


def _described(
    words: tuple[str, ...], file: Path, spec: BuildSpec, installation: Installation
) -> Probe:
    complaint = f"the probe {words[0]} does not describe itself"
    text = answer(_alone_command(installation, words, "--describe"), complaint, spec.environment)
    try:
        description = msgspec.json.decode(text, type=Description)
    except msgspec.DecodeError as error:
        raise UserError(f"{complaint}: {error}") from None
    file.write_bytes(text)
    return Probe(words=words, description=description)


def _alone_command(
    installation: Installation, words: tuple[str, ...], *arguments: str
) -> list[str]:
    """Return the command by which a probe answers `arguments`.

    A simulated probe gets a machine of one host, which is written beside it.
    """
    if not installation.simulates:
        return [*words, *arguments]
    path = Path(words[0])
    platform, hosts = path.with_name("alone.xml"), path.with_name("alone.txt")
    platform.write_text(_PLATFORM)
    hosts.write_text("alone\n")
    return [
        *(str(installation.mpiexec), "-np", "1", "--log=root.thres:critical"),
        *("-platform", str(platform), "-hostfile", str(hosts), str(path), *arguments),
    ]


def controls(installation: Installation, say: Say) -> list[Setting]:
    """Return the MPI_T variables of `installation` in this environment; a simulator has none.

    The probe is built where it has to be. Raises `UserError` where it does not answer.
    """
    if installation.simulates:
        return []
    probe = probe_for(installation, "mpi", say)
    words = program(installation, "mpi", probe, (), say)

    def ask(environment: Mapping[str, str]) -> bytes:
        whole = {**environment, **installation.environment}
        complaint = f"the probe {words[0]} does not list its controls"
        return answer([*words, "--controls"], complaint, whole)

    clean = clean_environment(os.environ)
    before = [ask(clean) for _ in range(2)]
    return listed(ask(os.environ), before, installation, dict(os.environ))
