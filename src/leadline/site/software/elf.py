"""What a program or a library says of itself: its dynamic section, read and never run."""

from itertools import islice
from pathlib import Path

import msgspec

from leadline.core.errors import UserError

_MAGIC = b"\x7fELF"
_MOST_SYMBOLS = 500_000
_PAGE = 4096


class Elf(msgspec.Struct, frozen=True, kw_only=True):
    """An ELF file, as `ld.so` and `readelf -d` have it.

    `interpreter` is the loader that it asks for, `audit` what it wants the loader to run before
    it, `build_id` a number of its own that each build gets; all empty for none. `paths` are the
    entries of its RPATH and RUNPATH with `$ORIGIN` filled in.
    """

    machine: str
    interpreter: str
    needed: tuple[str, ...]
    paths: tuple[str, ...]
    audit: tuple[str, ...]
    soname: str
    build_id: str
    is_dynamic: bool


def read(path: Path) -> Elf:
    """Return what the file says. Raises `UserError` that names it where it is not ELF."""
    from elftools.elf.elffile import ELFFile

    try:
        with path.open("rb") as stream:
            if stream.read(4) != _MAGIC:
                raise UserError(f"{path} is no program or library (ELF): {_what(path)}")
            return _describe(ELFFile(stream), path)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    except UserError:
        raise
    # The reader raises whatever a damaged file makes it stumble over.
    except Exception:
        raise UserError(f"{path} is a damaged program or library: copy it again") from None


def symbols(path: Path, *, defined: bool) -> frozenset[str]:
    """Return the names that the file defines for others, or that it wants from them.

    Empty where it cannot be read.
    """
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    try:
        with path.open("rb") as stream:
            section = ELFFile(stream).get_section_by_name(".dynsym")
            if not isinstance(section, SymbolTableSection):
                return frozenset()
            listed = islice(section.iter_symbols(), _MOST_SYMBOLS)
            return frozenset(
                symbol.name for symbol in listed if (symbol["st_shndx"] != "SHN_UNDEF") == defined
            )
    except Exception:
        return frozenset()


def _describe(elf, path: Path) -> Elf:  # type: ignore[no-untyped-def]
    from elftools.elf.dynamic import DynamicSegment
    from elftools.elf.segments import InterpSegment, NoteSegment

    segments = list(islice(elf.iter_segments(), 1000))
    tags: dict[str, list[str]] = {}
    dynamic = [each for each in segments if isinstance(each, DynamicSegment)]
    if not all(_is_what_is_mapped(each, segments) for each in dynamic):
        raise ValueError
    for tag in (tag for each in dynamic for tag in each.iter_tags()):
        for name in ("needed", "rpath", "runpath", "soname"):
            if hasattr(tag, name):
                tags.setdefault(name, []).append(str(getattr(tag, name)))
        if tag.entry.d_tag in ("DT_AUDIT", "DT_DEPAUDIT"):
            tags.setdefault("audit", []).append(str(tag.entry.d_val))
    notes = (
        note for each in segments if isinstance(each, NoteSegment) for note in each.iter_notes()
    )
    ids = (str(note["n_desc"]) for note in notes if note["n_type"] == "NT_GNU_BUILD_ID")
    interpreters = [each.get_interp_name() for each in segments if isinstance(each, InterpSegment)]
    origin = str(path.resolve().parent)
    found = [*tags.get("rpath", ()), *tags.get("runpath", ())]
    return Elf(
        machine=elf.get_machine_arch(),
        interpreter=interpreters[0] if interpreters else "",
        needed=tuple(tags.get("needed", ())),
        paths=tuple(
            entry.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)
            for text in found
            for entry in text.split(":")
        ),
        audit=tuple(tags.get("audit", ())),
        soname="".join(tags.get("soname", ())[:1]),
        build_id=next(ids, ""),
        is_dynamic=bool(dynamic),
    )


def _is_what_is_mapped(dynamic, segments) -> bool:  # type: ignore[no-untyped-def]
    """Tell whether the loader will see in memory the entries that are read here from the file.

    It goes by addresses and not by offsets: a file made on purpose could show it others.
    """
    begin, offset = dynamic["p_vaddr"], dynamic["p_offset"]
    end = begin + dynamic.num_tags() * dynamic._tagsize
    covers = False
    for load in (each for each in segments if each["p_type"] == "PT_LOAD"):
        first, last = load["p_vaddr"], load["p_vaddr"] + load["p_memsz"]
        if first - _PAGE < end and begin < last + _PAGE:
            inside = first <= begin and end <= first + load["p_filesz"]
            if inside and begin - first != offset - load["p_offset"]:
                return False
            if not inside and first // _PAGE * _PAGE < end and begin < -(-last // _PAGE) * _PAGE:
                return False
            covers = covers or inside
    return covers


def _what(path: Path) -> str:
    with path.open("rb") as stream:
        first = stream.read(200).split(b"\n")[0].decode(errors="replace")
    if first.startswith("#!"):
        return f"it is a script of {first[2:].strip()}; name that program"
    return "name a compiled program or a shared library"
