"""Which MPI a program loads, and whether it is the one that it was built with."""

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from leadline.errors import UserError
from leadline.model.installation import Installation
from leadline.model.software import Item
from leadline.mpi.family import families
from leadline.software import elf
from leadline.software.here import Here
from leadline.software.kinds.mpi import Mpi
from leadline.software.loader import Loaded

# The libraries of C's functions; wrappers link those of other languages beside them.
_LIBRARY = re.compile(r"lib(mpi|mpich|mpi_\w+|smpi|simgrid)\.so[\d.]*")
_SCRIPT = re.compile(rb"^(?:INPUT|GROUP) ?\( ?([^ )]+)")
_SYSTEM_PREFIXES = ("/usr", "/usr/local")


class _Known(msgspec.Struct, frozen=True):
    """An installation with the real files of the libraries that its wrapper links, by soname."""

    installation: Installation
    libraries: dict[str, Path]

    @property
    def folders(self) -> set[Path]:
        return {path.parent for path in self.libraries.values()}


def find_mpi(program: elf.Elf, path: Path, loaded: Sequence[Loaded], here: Here) -> Item | None:
    """Return the MPI that the program itself asks for, or one of its libraries; None for none."""
    candidates = [each for each in loaded if _LIBRARY.fullmatch(each.name)]
    candidates.sort(key=lambda each: each.name not in program.needed)
    for library in candidates:
        real = Path(library.path).resolve() if library.path else None
        exported = elf.symbols(real, defined=True) if real else frozenset()
        family = _family(exported)
        if real and not family and "MPI_Init" not in exported:
            continue
        known = _known(here)
        owner = next((each for each in known if real and _has(each, real)), None)
        built, because = _built_with(program, path, library.name, known, owner)
        return Item(
            kind=Mpi.name,
            name=owner.installation.family if owner else family or "unknown",
            version=owner.installation.version if owner else "" if real else "not found",
            path=str(real or ""),
            detail={
                "library": library.name,
                **({"called": owner.installation.name} if owner else {}),
                "built with": ", ".join(each.installation.name for each in built) or "unknown",
                "same": _same(owner, built),
                "because": because,
            },
        )
    return None


def _same(owner: _Known | None, built: Sequence[_Known]) -> str:
    """Return `yes`, `no`, or `unknown` where the program does not tell several apart."""
    if not built:
        return "unknown"
    if owner not in built:
        return "no"
    return "yes" if len(built) == 1 else "unknown"


def _built_with(
    program: elf.Elf, path: Path, soname: str, known: Sequence[_Known], owner: _Known | None
) -> tuple[list[_Known], str]:
    """Return the installations with which the program may have been built, and what tells so.

    A wrapper leaves in the program the name of its library and often the folder too; compiled
    code wants symbols that only its own header names.
    """
    # A program that is no PIE defines a copy of the library's data itself.
    wanted = elf.symbols(path, defined=False) | elf.symbols(path, defined=True)
    alike = [each for each in known if soname in each.libraries or each is owner]
    folders = {Path(entry).resolve() for entry in program.paths if entry.startswith("/")}
    if by_path := [each for each in alike if each.folders & folders]:
        return by_path, "its RPATH leads there"
    for family in families():
        if family.symbol and family.symbol in wanted:
            of = [each for each in known if each.installation.family == family.name]
            return [
                each for each in of if each in alike
            ] or of, f"it asks for {soname} and {family.symbol}"
    return alike, f"it asks for {soname}"


def _family(exported: Iterable[str]) -> str:
    """Return the family whose symbol the library defines; derived ones are asked first."""
    names = frozenset(exported)
    return next((each.name for each in families() if each.symbol in names), "")


def _has(known: _Known, real: Path) -> bool:
    """Tell whether a library belongs to an installation: linked by it, or below its prefix."""
    if real in known.libraries.values():
        return True
    prefix = known.installation.prefix
    return prefix not in _SYSTEM_PREFIXES and real.is_relative_to(Path(prefix).resolve())


def _known(here: Here) -> list[_Known]:
    installations = here.installations
    here.ask_all([each.mpicc, "-show"] for each in installations if each.mpicc)
    return [_Known(each, _libraries(each, here)) for each in installations]


def _libraries(installation: Installation, here: Here) -> dict[str, Path]:
    """Return the MPI libraries that the wrapper links, by soname, as real files."""
    try:
        words = shlex.split(here.ask(installation.mpicc or "", "-show"))
    except ValueError:
        words = []
    folders = [Path(word[2:]) for word in words if word.startswith("-L")]
    prefix = Path(installation.prefix)
    folders += [prefix / "lib", prefix / "lib64", prefix / "lib/release"]
    names = [f"lib{word[2:]}.so" for word in words if word.startswith("-l")]
    found: dict[str, Path] = {}
    for name in names or ["libmpi.so", "libmpich.so"]:
        file = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if not file:
            continue
        real = _linked(file)
        try:
            soname = elf.read(real).soname or real.name
        except UserError:
            continue
        if _LIBRARY.fullmatch(soname):
            found[soname] = real
    return found


def _linked(file: Path) -> Path:
    """Return the library behind links, or behind the linker script that wheels have for a link."""
    try:
        with file.open("rb") as stream:
            script = _SCRIPT.search(stream.read(200))
    except OSError:
        script = None
    return (file.parent / script[1].decode(errors="replace") if script else file).resolve()
