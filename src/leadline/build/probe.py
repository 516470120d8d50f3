"""The probe of an installation and a transport."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from leadline import paths
from leadline.build import cmake, sources, tools
from leadline.errors import UserError
from leadline.model.description import Description
from leadline.model.installation import Installation
from leadline.mpi.family import is_library_of

_DESCRIBE_PATIENCE_S = 60


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A probe that is built, and what it says of itself."""

    path: Path
    description: Description


class Stamp(msgspec.Struct, frozen=True, kw_only=True):
    """What a probe was built from: written beside it when the build is done.

    `made_with` names the installation, the compilers and CMake's definitions; `by_time` and
    `by_content` are the signatures of the sources.
    """

    made_with: dict[str, str]
    by_time: str
    by_content: str


def probe_for(
    installation: Installation,
    transport: str,
    say: Callable[[str], None],
    source: Path | None = None,
) -> Probe:
    """Return the probe of `transport` for `installation`, built now where it has to be.

    It is built anew when a source, a compiler or the installation has changed. A probe that was
    built with another MPI is therefore never returned: each installation has a folder of its
    own, and the stamp in it must state this very installation. `say` is told before a build;
    `source` replaces the folder of the probes' sources.

    Raises `UserError` where the installation has no such transport, where a compiler is
    missing, and where the build fails.
    """
    if transport not in installation.transports:
        raise UserError(_lacking(installation, transport))
    source = source or sources.source_folder()
    folder = paths.probes() / installation.name / transport
    made_with = _made_with(installation, transport)
    if probe := _built(folder, transport, source, made_with):
        return probe
    with _alone(folder, say):
        if probe := _built(folder, transport, source, made_with):
            return probe
        say(f"building the {transport} probe for {installation.name}")
        return _build(installation, transport, source, folder, made_with)


def check_library(installation: Installation, library: str) -> None:
    """Raise `UserError` where a probe reports an MPI library that is not the installation's.

    `library` is what MPI_Get_library_version says. The loader can be led to another library of
    the same file name, as by LD_LIBRARY_PATH; figures would then carry the wrong name.
    """
    if not is_library_of(installation, library):
        said = " ".join(library.split())[:60]
        raise UserError(
            f"the probe built for {installation.name} runs on another library ({said}): "
            "LD_LIBRARY_PATH or LD_PRELOAD leads to it, unset it"
        )


def _lacking(installation: Installation, transport: str) -> str:
    what = {"mpi": "MPI launcher and compiler wrapper", "shmem": "OpenSHMEM (oshcc and oshrun)"}
    return (
        f"{installation.name} has no {what.get(transport, f'{transport} transport')}: choose an "
        "installation that has it from `leadline mpi`"
    )


def _made_with(installation: Installation, transport: str) -> dict[str, str]:
    """Return what a probe depends on beside its sources.

    Programs stand with size and modification time: an upgrade in place keeps their names. A
    compiler that is not there is left out: a node without one can use what another has built.
    """
    wrappers = {"mpi": installation.mpicc, "shmem": installation.oshcxx}
    programs = {
        "wrapper": wrappers.get(transport),
        "launcher": installation.mpiexec,
        **tools.compilers(_environment(installation)),
    }
    return {
        "installation": f"{installation.family} {installation.version} {installation.prefix}",
        "definitions": " ".join(cmake.configuration(installation, transport)),
        "flags": " ".join(os.environ.get(name, "") for name in ("CXXFLAGS", "LDFLAGS")),
        **{name: _fingerprint(Path(path)) for name, path in programs.items() if path},
    }


def _fingerprint(program: Path) -> str:
    try:
        stat = program.stat()
    except OSError:
        raise UserError(f"{program} is gone: search again with `leadline mpi --fresh`") from None
    return f"{program} {stat.st_size} {stat.st_mtime_ns}"


def _built(folder: Path, transport: str, source: Path, made_with: dict[str, str]) -> Probe | None:
    """Return the probe in `folder` if it is what would be built now."""
    stamp = _read_stamp(folder)
    path = _executable(folder, transport)
    if stamp is None or not made_with.items() <= stamp.made_with.items() or not path.is_file():
        return None
    by_time = sources.signature_by_time(source)
    if by_time != stamp.by_time:
        if stamp.by_content != sources.signature_by_content(source):
            return None
        _write_stamp(folder, msgspec.structs.replace(stamp, by_time=by_time))
    try:
        text = _description_file(folder).read_bytes()
        return Probe(path=path, description=msgspec.json.decode(text, type=Description))
    except (OSError, msgspec.DecodeError):
        return None


def _build(
    installation: Installation,
    transport: str,
    source: Path,
    folder: Path,
    made_with: dict[str, str],
) -> Probe:
    """Build the probe; signatures are taken first, so that an edit meanwhile is not missed."""
    environment = _environment(installation)
    tools.require_compilers(environment)
    by_time = sources.signature_by_time(source)
    by_content = sources.signature_by_content(source)
    former = _read_stamp(folder)
    if former is None or former.made_with != made_with:
        shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    _stamp_file(folder).unlink(missing_ok=True)
    definitions = cmake.configuration(installation, transport)
    cmake.build(source, folder, folder / "build.log", definitions, environment)
    path = _executable(folder, transport)
    description = _describe(path, _description_file(folder), environment)
    stamp = Stamp(made_with=made_with, by_time=by_time, by_content=by_content)
    _write_stamp(folder, stamp)
    return Probe(path=path, description=description)


def _describe(path: Path, file: Path, environment: dict[str, str]) -> Description:
    try:
        answer = subprocess.run(
            [path, "--describe"],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_DESCRIBE_PATIENCE_S,
            check=False,
        )
        description = msgspec.json.decode(answer.stdout, type=Description)
    except (OSError, subprocess.TimeoutExpired, msgspec.DecodeError) as error:
        raise UserError(f"the probe {path} does not describe itself: {error}") from None
    file.write_bytes(answer.stdout)
    return description


def _environment(installation: Installation) -> dict[str, str]:
    return {**os.environ, **installation.environment}


def _executable(folder: Path, transport: str) -> Path:
    return folder / f"leadline-probe-{transport}"


def _description_file(folder: Path) -> Path:
    return folder / "describe.json"


def _stamp_file(folder: Path) -> Path:
    return folder / "stamp.json"


def _read_stamp(folder: Path) -> Stamp | None:
    try:
        return msgspec.json.decode(_stamp_file(folder).read_bytes(), type=Stamp)
    except (OSError, msgspec.DecodeError):
        return None


def _write_stamp(folder: Path, stamp: Stamp) -> None:
    partial = _stamp_file(folder).with_suffix(f".{os.getpid()}")
    partial.write_bytes(msgspec.json.encode(stamp))
    partial.replace(_stamp_file(folder))


@contextmanager
def _alone(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of this build; the lock lies beside the folder, which may be removed."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        file = folder.with_name(f".{folder.name}.lock").open("w")
    except OSError as error:
        raise UserError(
            f"cannot write to {folder.parent}: {error.strerror}; set LEADLINE_HOME to a folder "
            "that can be written"
        ) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say(f"waiting for another leadline that builds in {folder}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
