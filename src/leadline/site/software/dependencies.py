"""The dependencies of a program, or of a process: what it would load or has loaded, as software."""

import os
import platform
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from leadline import __version__
from leadline.core.errors import UserError
from leadline.model.software import Item, Software
from leadline.site.software import elf, process
from leadline.site.software.host import Host, real_path
from leadline.site.software.inventory import now
from leadline.site.software.kinds import MPI
from leadline.site.software.loader import Loaded, resolve
from leadline.site.software.mpi_dependencies import find_mpis
from leadline.site.software.owners import Package, packages

KIND = "library"
_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD")
REPLACED = "replaced since"


def of_program(name: str, here: Host | None = None) -> Software:
    """Return the libraries that the loader would load for a program or library, without running it.

    A `name` without a slash that is no file here is looked for on PATH. Raises `UserError` that
    says why it cannot be told.
    """
    there = here or Host()
    path = Path(name)
    if "/" not in name and not path.exists():
        path = there.which(name) or path
    if not path.is_file():
        raise UserError(f"{name!r} is no file: name a program, by its path or as on PATH")
    path = path.absolute()
    if _runs_as_another(path):
        there = there.without("LD_LIBRARY_PATH", "LD_PRELOAD")
        there.remark(f"{path} starts with rights of its own: LD_LIBRARY_PATH is not heeded then")
    loaded = resolve(path, there)
    if not loaded:
        there.remark(f"{path} is linked statically: it loads no library")
    _tell_variables(path, loaded, there)
    return _software(str(path), path, path, loaded, there)


def started_mpi(command: Sequence[str], here: Host | None = None) -> tuple[str, str]:
    """Return the first program in a command that loads an MPI, and that installation's name.

    Both are empty where no word is such a program, or its MPI is none of the installations here.
    """
    there = here or Host()
    for word in command:
        path = Path(word) if "/" in word else there.which(word)
        if path and path.is_file() and (name := _loaded_mpi(path.absolute(), there)):
            return word, name
    return "", ""


def _loaded_mpi(program: Path, here: Host) -> str:
    try:
        loaded = resolve(program, here)
        found = {
            each.detail.get("called", "") for each in find_mpis(program, program, loaded, here)
        }
    except UserError:
        return ""
    return found.pop() if len(found) == 1 else ""


def of_process(pid: int) -> Software:
    """Return the libraries that the process has loaded until now, those it loaded itself included.

    Raises `UserError` where there is no such process, or it may not be looked at.
    """
    seen = process.read(pid)
    here = Host(seen.environment, cwd=seen.cwd)
    if seen.is_elsewhere:
        here.remark(f"process {pid} sees other files (a container): what led to each is not known")
        at_start = []
    else:
        at_start = _at_start(seen.program, here)
    loaded = list(_as_loaded(seen.libraries, at_start, here))
    of = f"process {pid}, {seen.program}"
    return _software(of, seen.program, seen.program_file, loaded, here, seen.root)


def _at_start(program: Path, here: Host) -> list[Loaded]:
    try:
        loaded = resolve(program, here)
        _tell_variables(program, loaded, here)
        return loaded
    except UserError as error:
        here.remark(f"what led to each library is not known: {error}")
        return []


def _as_loaded(
    mapped: Sequence[process.Mapped], at_start: Sequence[Loaded], here: Host
) -> Iterator[Loaded]:
    """Yield the mapped libraries, with the loader's reasons for those it loads at the start."""
    by_path = {str(real_path(each.path)): each for each in at_start if each.path}
    by_name = {each.name: each for each in at_start if each.path}
    for each in mapped:
        name = Path(each.path).name
        if each.is_deleted:
            here.remark(f"{each.path} was replaced or removed since the process loaded it")
            yield Loaded(name=name, path=each.path, because=REPLACED)
        elif each.path in by_path:
            yield msgspec.structs.replace(by_path[each.path], path=each.path)
        elif not at_start:
            yield Loaded(name=name, path=each.path)
        elif now_other := by_name.get(name):
            because = f"loaded at the start; a new process would take {now_other.path}"
            yield Loaded(name=name, path=each.path, because=because)
        else:
            yield Loaded(name=name, path=each.path, because="loaded while it ran (dlopen)")


def _software(
    of: str,
    called: Path,
    program: Path,
    loaded: Sequence[Loaded],
    here: Host,
    root: Path = Path("/"),
) -> Software:
    real = {each.path: _real(each.path, root) for each in loaded if each.path}
    owned = packages(list(dict.fromkeys(real.values())), here) if root == Path("/") else {}
    items = [_item(each, real, owned) for each in loaded]
    for each in loaded:
        if not each.path:
            here.remark(f"{each.name} is not found: the program does not start like this")
    mpis = [_add_version(each, owned) for each in find_mpis(program, called, loaded, here)]
    if len(mpis) > 1:
        here.remark(f"{len(mpis)} MPIs are loaded at once: their functions have the same names")
    return Software(
        leadline=__version__,
        host=platform.node(),
        time=now(),
        of=of,
        kinds=(MPI, KIND),
        items=(*mpis, *sorted(items, key=lambda item: item.name)),
        remarks=tuple(here.remarks),
    )


def _add_version(mpi: Item, owned: dict[Path, Package]) -> Item:
    if mpi.version:
        return mpi
    package = owned.get(Path(mpi.path))
    version = package.version if package else _version(Path(mpi.path))
    return msgspec.structs.replace(mpi, version=version)


def _real(path: str, root: Path) -> Path:
    inside = root / path.lstrip("/")
    # Of a process that only changed its root the kernel tells paths from ours.
    if root != Path("/") and inside.exists():
        return inside
    return Path(os.path.realpath(path))


def _item(each: Loaded, real: dict[str, Path], owned: dict[Path, Package]) -> Item:
    """Return the library; its version is its package's, else that in its file's name."""
    if not each.path:
        detail = {"because": each.because, "needed by": each.needed_by}
        return Item(kind=KIND, name=each.name, version="not found", detail=_drop_empty(detail))
    if each.because == REPLACED:
        # The file that has its name now is not the one that runs.
        return Item(kind=KIND, name=each.name, version=REPLACED, path=each.path)
    file = real[each.path]
    package = owned.get(file)
    build = _build_id(file)
    version = (package.version if package else _version(file)) or (
        f"build {build[:8]}" * bool(build)
    )
    detail = {
        "asked": each.path if each.path != str(file) else "",
        "package": f"{package.name} ({package.manager})" if package else "",
        "because": each.because,
        "needed by": each.needed_by,
        "build": build,
    }
    return Item(
        kind=KIND, name=each.name, version=version, path=str(file), detail=_drop_empty(detail)
    )


def _drop_empty(detail: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in detail.items() if text}


def _version(file: Path) -> str:
    """Return the version that the file's name tells.

    >>> _version(Path("libmpi.so.40.30.4")), _version(Path("libopenblasp-r0.3.21.so"))
    ('40.30.4', '0.3.21')
    >>> _version(Path("libc.so.6"))
    ''
    """
    match = re.search(r"\.so\.(\d+(?:\.\d+)+)$|-r?v?(\d+(?:\.\d+)+)\.so", file.name)
    return (match[1] or match[2]) if match else ""


def _build_id(file: Path) -> str:
    try:
        return elf.read(file).build_id
    except UserError:
        return ""


def _tell_variables(program: Path, loaded: Sequence[Loaded], here: Host) -> None:
    """Remark on the variables that lead the loader elsewhere: what it would load without each."""
    for name in (name for name in _VARIABLES if here.environment.get(name)):
        without = {each.name: each for each in resolve(program, here.without(name))}
        words = [_without(each, without.get(each.name)) for each in loaded]
        changes = "; ".join(filter(None, words)) or "nothing would change"
        here.remark(f"{name}={here.environment[name]} is set; without it {changes}")


def _runs_as_another(program: Path) -> bool:
    """Tell whether the kernel gives the program rights that its user lacks.

    The loader then ignores variables (AT_SECURE, see ld.so(8)).
    """
    status = program.stat()
    if os.statvfs(program).f_flag & os.ST_NOSUID:
        return False
    user = status.st_mode & stat.S_ISUID and status.st_uid != os.getuid()
    group = status.st_mode & stat.S_ISGID and status.st_gid != os.getgid()
    try:
        capable = os.getuid() != 0 and bool(os.getxattr(program, "security.capability"))
    except OSError:
        capable = False
    return bool(user or group or capable)


def _without(each: Loaded, other: Loaded | None) -> str:
    if other is None:
        return f"{each.name} would not be loaded"
    if real_path(other.path) == real_path(each.path):
        return ""
    return f"{each.name} would be {other.path or 'not found'}"
