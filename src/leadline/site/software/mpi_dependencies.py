"""The MPI that a program loads, and whether it is the one that it was built with."""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.model.software import Item
from leadline.site.mpi.candidate import shell_words
from leadline.site.mpi.families import FAMILIES
from leadline.site.software import elf
from leadline.site.software.host import Host, real_path
from leadline.site.software.kinds import MPI
from leadline.site.software.loader import Loaded

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


def find_mpis(program: Path, called: Path, loaded: Sequence[Loaded], here: Host) -> Iterator[Item]:
    """Yield each MPI among the libraries that a program loads, usually one or none.

    Each is judged for the file that needs it: the program, one of its libraries, or an extension
    that a process loaded. `called` is the path of `program` in the results.
    """
    files = [program, *(real_path(each.path) for each in loaded if each.path)]
    seen: set[Path | None] = set()
    for library in (each for each in loaded if _LIBRARY.fullmatch(each.name)):
        real = real_path(library.path) if library.path else None
        exported = elf.symbols(real, defined=True) if real else frozenset()
        family = _family(exported)
        if real in seen or (real and "MPI_Init" not in exported):
            continue
        seen.add(real)
        asking = next((file for file in files if library.name in _read_needed(file)), None)
        found = _item(library.name, real, family, asking, here)
        requester = {"asked by": str(called)} if asking == program else {}
        yield msgspec.structs.replace(found, detail={**found.detail, **requester})


def _item(name: str, real: Path | None, family: str, asking: Path | None, here: Host) -> Item:
    known = _find_known(here)
    owner = next((each for each in known if real and _has(each, real)), None)
    built, because = _find_built_with(asking, name, known, owner)
    return Item(
        kind=MPI,
        name=owner.installation.family if owner else family or "unknown",
        version=owner.installation.version if owner else "" if real else "not found",
        path=str(real or ""),
        detail={
            "library": name,
            **({"called": owner.installation.name} if owner else {}),
            "asked by": str(asking or ""),
            "built with": ", ".join(each.installation.name for each in built) or "unknown",
            "same": _same(owner, built),
            "because": because,
        },
    )


def _read_needed(file: Path) -> tuple[str, ...]:
    try:
        return elf.read(file).needed
    except UserError:
        return ()


def _same(owner: _Known | None, built: Sequence[_Known]) -> str:
    """Return `yes`, `no`, or `unknown` where the program does not tell several apart."""
    if not built:
        return "unknown"
    if owner not in built:
        return "no"
    return "yes" if len(built) == 1 else "unknown"


def _find_built_with(
    asking: Path | None, soname: str, known: Sequence[_Known], owner: _Known | None
) -> tuple[list[_Known], str]:
    """Return the installations with which a file may have been built, and what tells so.

    A wrapper leaves in it the name of its library and often the folder too; compiled code wants
    symbols that only its own header names.
    """
    if not asking:
        return [], f"nothing that is loaded asks for {soname}: it was loaded by its name"
    # A program that is no PIE defines a copy of the library's data itself.
    wanted = elf.symbols(asking, defined=False) | elf.symbols(asking, defined=True)
    alike = [each for each in known if soname in each.libraries or each is owner]
    folders = {real_path(entry) for entry in elf.read(asking).paths if entry.startswith("/")}
    if by_path := [each for each in alike if each.folders & folders]:
        return by_path, "its RPATH leads there"
    for family in FAMILIES:
        if family.symbol and family.symbol in wanted:
            of = [each for each in known if each.installation.family == family.name]
            return [
                each for each in of if each in alike
            ] or of, f"it names {soname} and {family.symbol}"
    return alike, f"it names {soname}"


def _family(exported: Iterable[str]) -> str:
    names = frozenset(exported)
    return next((each.name for each in FAMILIES if each.symbol in names), "")


def _has(known: _Known, real: Path) -> bool:
    if real in known.libraries.values():
        return True
    prefix = known.installation.prefix
    return prefix not in _SYSTEM_PREFIXES and real.is_relative_to(real_path(prefix))


def _find_known(here: Host) -> list[_Known]:
    installations = here.installations
    here.ask_all([each.mpicc, "-show"] for each in installations if each.mpicc)
    return [_Known(each, _libraries(each, here)) for each in installations]


def _libraries(installation: Installation, here: Host) -> dict[str, Path]:
    words = shell_words(here.ask(installation.mpicc or "", "-show"))
    folders = [Path(word[2:]) for word in words if word.startswith("-L")]
    prefix = Path(installation.prefix)
    folders += [prefix / "lib", prefix / "lib64", prefix / "lib/release"]
    names = [f"lib{word[2:]}.so" for word in words if word.startswith("-l")]
    found: dict[str, Path] = {}
    for name in names or ["libmpi.so", "libmpich.so"]:
        file = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if not file:
            continue
        real = _follow_links(file)
        try:
            soname = elf.read(real).soname or real.name
        except UserError:
            continue
        if _LIBRARY.fullmatch(soname):
            found[soname] = real
    return found


def _follow_links(file: Path) -> Path:
    """Return the library behind links, or behind the linker script that wheels have for a link."""
    try:
        with file.open("rb") as stream:
            script = _SCRIPT.search(stream.read(200))
    except OSError:
        script = None
    return (file.parent / script[1].decode(errors="replace") if script else file).resolve()
