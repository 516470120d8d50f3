"""What is built once, and again when anything that it is made of has changed."""

import errno
import fcntl
import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from leadline.core import paths, steps
from leadline.core.errors import HomeError, UserError
from leadline.core.shipped import built_folder, source_folder
from leadline.measure.build import cmake

T = TypeVar("T")

# What CMake reads of the environment; a compiler may have options behind its name.
_VARIABLES = ("CC", "CXX", "CXXFLAGS", "LDFLAGS")
_LOCK_PAUSE_S = 0.2
_ANSWER_S = 60
# Characters that CMake or ccache would not take as part of a path.
_SPECIAL = '";$`\\'
_NAMES = {" ": "a blank", ":": "a colon"}
_FULL = (errno.ENOSPC, errno.EDQUOT)
# What each is made of.
PROBE = ("CMakeLists.txt", "probes", "algorithms")
ENGINE = ("CMakeLists.txt", "runtime", "algorithms")
OBSERVER = (
    "CMakeLists.txt",
    "runtime/CMakeLists.txt",
    "runtime/explain",
    "runtime/shared",
    "algorithms/CMakeLists.txt",
    "algorithms/node/file_size_limit.hpp",
)
SCHEDULES = ("CMakeLists.txt", "schedules", "algorithms", "probes")


class BuildSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What is built of which `parts` of the folder `source`, where, and how.

    `folder` is removed where what it holds was made with something else. `made_for` says what it
    serves, and `programs` are the files that the build depends on beside compilers, by what they
    are for. `targets` are built of all that can be; without any, all. The `files` of the folder are
    what is used of it.
    """

    what: str
    folder: Path
    source: Path
    parts: tuple[str, ...]
    made_for: str
    definitions: tuple[str, ...]
    programs: dict[str, str | None] = {}
    variables: dict[str, str] = {}
    targets: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def environment(self) -> dict[str, str]:
        """The variables that the build sees."""
        return {**os.environ, **self.variables}


class Stamp(msgspec.Struct, frozen=True, kw_only=True):
    """What was built from what (`made_with`), the signatures of the sources, and which targets.

    `files` has what is used of it, each with its size in bytes: a copy has other times.
    """

    made_with: dict[str, str]
    by_time: str
    by_content: str
    targets: tuple[str, ...] = ()
    files: dict[str, int] = {}


def build_once(
    spec: BuildSpec,
    read: Callable[[], T | None],
    finish: Callable[[], T],
    say: Callable[[str], None],
) -> T:
    """Return what `spec` makes, built now where sources, a compiler or the installation changed.

    `read` returns what was built before, None where that is damaged; `finish` what CMake has just
    built. `say` is told before a build. Raises `UserError` where it fails or a program is missing.
    """
    made_with = _describe_inputs(spec)
    if _is_current(spec, made_with) and (built := read()) is not None:
        return built
    require_plain(_SPECIAL)
    with _alone(spec.folder, say):
        if _is_current(spec, made_with) and (built := read()) is not None:
            return built
        with steps.step(spec.what, say), can_be_written(spec.folder):
            return _build(spec, finish, made_with)


def require_plain(special: str) -> None:
    """Raise `UserError` where the path of leadline's home has one of these characters."""
    found = [each for each in special if each in str(paths.home())]
    if found:
        raise HomeError(
            f"{paths.home()}: {_NAMES.get(found[0], found[0])} in the name of a folder would "
            "change paths of libraries: set LEADLINE_HOME to a folder without it"
        )


def ready(spec: BuildSpec) -> Path | None:
    """Return the folder of the files of `spec`, as the wheel has them; None where it has not.

    They are copied into leadline's home, which all hosts of a run see; the wheel may lie on a disk
    of this host.
    """
    built = built_folder()
    if built is None or spec.source != source_folder():
        return None
    place = spec.folder.relative_to(paths.home())
    if not all((built / place / name).is_file() for name in spec.files):
        return None
    folder = paths.home() / "ready" / place
    try:
        for name in spec.files:
            copy(built / place / name, folder / name)
    except OSError:
        return built / place
    return folder


def copy(built: Path, library: Path) -> None:
    """Make `library` a copy of what was built, at once, where it is none."""
    with suppress(OSError):
        there, wanted = library.stat(), built.stat()
        if (there.st_size, there.st_mtime_ns) == (wanted.st_size, wanted.st_mtime_ns):
            return
    library.parent.mkdir(parents=True, exist_ok=True)
    partial = library.with_suffix(f".{os.getpid()}")
    shutil.copy2(built, partial)
    partial.replace(library)


def _describe_inputs(spec: BuildSpec) -> dict[str, str]:
    """Return what a build depends on beside its sources.

    Programs stand with size and modification time: an upgrade in place keeps their names. A
    compiler that is not there is left out: a node without one can use what another has built.
    """
    programs = {**spec.programs, **cmake.compilers(spec.environment)}
    return {
        "made for": spec.made_for,
        "definitions": " ".join(spec.definitions),
        "flags": " ".join(os.environ.get(name, "") for name in _VARIABLES),
        **{name: _fingerprint(Path(path)) for name, path in programs.items() if path},
    }


def _fingerprint(program: Path) -> str:
    try:
        stat = program.stat()
    except OSError:
        raise UserError(f"{program} is gone: search again with `leadline mpi --fresh`") from None
    return f"{program} {stat.st_size} {stat.st_mtime_ns}"


def _is_current(spec: BuildSpec, made_with: dict[str, str]) -> bool:
    """Tell whether the folder holds what would be built now, with all its targets."""
    stamp = _read_stamp(spec.folder)
    if stamp is None or not set(spec.targets) <= set(stamp.targets):
        return False
    if any(_size(spec.folder / name) != stamp.files.get(name, -1) for name in spec.files):
        return False
    return _is_of_sources(spec, made_with, stamp)


def _is_of_sources(spec: BuildSpec, made_with: dict[str, str], stamp: Stamp) -> bool:
    """Tell whether what the folder holds was built from the sources and programs of now."""
    if not made_with.items() <= stamp.made_with.items():
        return False
    by_time = signature_by_time(spec.source, spec.parts)
    if by_time != stamp.by_time:
        if stamp.by_content != signature_by_content(spec.source, spec.parts):
            return False
        # Where that cannot be written, contents are compared again.
        with suppress(OSError):
            _write_stamp(spec.folder, msgspec.structs.replace(stamp, by_time=by_time))
    return True


def _build(spec: BuildSpec, finish: Callable[[], T], made_with: dict[str, str]) -> T:
    """Build; signatures are taken first, so that an edit meanwhile is not missed."""
    environment = spec.environment
    cmake.require_compilers(environment)
    by_time = signature_by_time(spec.source, spec.parts)
    by_content = signature_by_content(spec.source, spec.parts)
    folder = spec.folder
    former = _read_stamp(folder)
    if former is None or former.made_with != made_with:
        shutil.rmtree(folder, ignore_errors=True)
    kept = former.targets if former and _is_of_sources(spec, made_with, former) else ()
    folder.mkdir(parents=True, exist_ok=True)
    _stamp_file(folder).unlink(missing_ok=True)
    known = former.files if former else {}
    for name in {*known, *spec.files}:
        # To Ninja what somebody has damaged is newer than its sources.
        if _size(folder / name) != known.get(name):
            (folder / name).unlink(missing_ok=True)
    log = folder / "build.log"
    cmake.build(spec.what, spec.source, folder, log, spec.definitions, environment, spec.targets)
    made = finish()
    sizes = {name: _size(folder / name) for name in {*known, *spec.files}}
    stamp = Stamp(
        made_with=made_with,
        by_time=by_time,
        by_content=by_content,
        targets=tuple(sorted({*kept, *spec.targets})),
        files={name: size for name, size in sorted(sizes.items()) if size is not None},
    )
    _write_stamp(folder, stamp)
    return made


def _size(file: Path) -> int | None:
    try:
        return file.stat().st_size
    except OSError:
        return None


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
def can_be_written(folder: Path) -> Iterator[None]:
    """Make `folder`; turn an error of that, and of what the block opens there, into `UserError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise HomeError(cmake.no_space(folder)) from None
        raise HomeError(
            f"cannot write to {folder}: {error.strerror}; set LEADLINE_HOME to a folder that can "
            "be written"
        ) from None


@contextmanager
def _alone(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of this build; the lock lies beside the folder, which may be removed."""
    with can_be_written(folder.parent):
        file = folder.with_name(f".{folder.name}.lock").open("w")
    with file:
        waits = False
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if not waits:
                    say(f"waiting for another leadline that builds in {folder}")
                waits = True
                time.sleep(_LOCK_PAUSE_S)
            except OSError as error:
                # Some network file systems have no locks.
                say(f"no lock on {folder.parent} ({error.strerror}): build one at a time there")
                break
        yield


def answer(
    argv: Sequence[str], complaint: str, environment: Mapping[str, str] | None = None
) -> bytes:
    """Return what a program that was built says of itself.

    Raises `UserError` that begins with the complaint where it says nothing.
    """
    try:
        return subprocess.run(
            argv,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_S,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise UserError(f"{complaint}: {error}") from None


def signature_by_time(root: Path, parts: Sequence[str]) -> str:
    """Return a digest of the names, sizes and modification times of these `parts` of `root`.

    It takes a fraction of a millisecond and is equal only where nothing was touched.
    """
    files = [(path.relative_to(root), path.stat()) for path in _files(root, parts)]
    lines = [f"{path} {stat.st_size} {stat.st_mtime_ns}" for path, stat in files]
    return _digest("\n".join([str(root), *lines]).encode())


def signature_by_content(root: Path, parts: Sequence[str]) -> str:
    """Return a digest of the names and contents of the sources in these `parts` of `root`."""
    files = _files(root, parts)
    lines = [f"{path.relative_to(root)} {_digest(path.read_bytes())}" for path in files]
    return _digest("\n".join(lines).encode())


def _files(root: Path, parts: Sequence[str]) -> Iterator[Path]:
    for part in parts:
        path = root / part
        if path.is_file():
            yield path
        else:
            yield from sorted(file for file in path.rglob("*") if file.is_file())


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
