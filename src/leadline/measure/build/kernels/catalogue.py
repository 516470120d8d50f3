"""What there is of a kernel here: its variants, and the compilers and libraries for them."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from leadline.model.description import COMPILER, NO_FLAGS, READY, VARIANT
from leadline.site.software.compiler import FoundCompiler, Language, find_compilers, kinds
from leadline.site.software.library import Library, find_libraries

_LANGUAGES: dict[str, Language] = {".c": "c", ".cpp": "c++", ".f90": "fortran"}


class Kernel(msgspec.Struct, frozen=True):
    """One variant with the compiler and the flags that it is built with, as on the axes."""

    variant: str
    compiler: str
    flags: str


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """The kernel in `folder`: its sources and ready libraries by variant, and the compilers."""

    folder: Path
    sources: dict[str, Path]
    libraries: dict[str, Library]
    compilers: dict[str, FoundCompiler]

    def choices(self, axis: str) -> tuple[str, ...]:
        """Return the values that an axis can have here; none where anything may be tried."""
        if axis == VARIANT:
            return (*self.sources, *self.libraries)
        if axis == COMPILER:
            return (*self.compilers, *([READY] if self.libraries else []))
        return ()

    def shim(self, library: Library) -> Path:
        """Return the source that calls a library."""
        return self.folder / READY / f"{library.shim}.c"


def catalogue(name: str, kernels: Path, environment: Mapping[str, str] | None = None) -> Catalogue:
    """Return what there is of the kernel `name`, a folder in the folder `kernels`."""
    folder = kernels / name
    sources = sorted(file for file in folder.iterdir() if file.suffix in _LANGUAGES)
    shims = [file.stem for file in sorted((folder / READY).glob("*.c"))]
    return Catalogue(
        folder=folder,
        sources={file.name: file for file in sources},
        libraries=find_libraries(shims) if shims else {},
        compilers=find_compilers(environment),
    )


def fits(kernel: Kernel) -> bool:
    """Tell whether a variant can have this compiler and these flags at all.

    >>> fits(Kernel("plain.c", "gcc-12.2.0", "-O2")), fits(Kernel("plain.f90", "gcc-12.2.0", "-O2"))
    (True, False)
    >>> fits(Kernel("blis-0.9.0", "ready", "none")), fits(Kernel("blis-0.9.0", "ready", "-O2"))
    (True, False)
    """
    language = language_of(kernel.variant)
    if language is None:
        return (kernel.compiler, kernel.flags) == (READY, NO_FLAGS)
    kind = kinds().get(kernel.compiler.rpartition("-")[0])
    return kind is not None and language in kind.programs and kernel.flags != NO_FLAGS


def language_of(variant: str) -> Language | None:
    """Return the language of a variant's source, None for a library."""
    return _LANGUAGES.get(Path(variant).suffix)
