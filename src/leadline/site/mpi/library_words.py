"""What an MPI library says of itself, where no `mpi.h` says it: nodes have libraries alone."""

import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from leadline.core.processes import ask

_PATIENCE_S = 20
# Both functions may be called before MPI_Init. A library may end the process that loads it.
_PROGRAM = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
major, minor, length = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
text = ctypes.create_string_buffer(1 << 14)
library.MPI_Get_version(ctypes.byref(major), ctypes.byref(minor))
library.MPI_Get_library_version(text, ctypes.byref(length))
print(major.value, minor.value, text.value.decode(errors="replace"))
"""
_OPEN_MPI = ("OMPI_MAJOR_VERSION", "OMPI_MINOR_VERSION", "OMPI_RELEASE_VERSION")
# What each family's header defines, and where the library says it.
_WORDS = {
    ("I_MPI_VERSION",): r"Intel\(R\) MPI Library (\d[\w.]*)",
    ("MVAPICH2_VERSION",): r"MVAPICH2? Version\s*:\s*(\d[\w.]*)",
    ("MPICH_VERSION",): r"MPICH Version\s*:\s*(\d[\w.]*)",
    _OPEN_MPI: r"Open MPI v(\d+)\.(\d+)\.(\d+)",
}


def macros_of_library(library: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the macros that the `mpi.h` of a library has, as far as it says them itself.

    None where it does not answer.
    """
    answer = ask((sys.executable, "-I", "-c", _PROGRAM, str(library)), _PATIENCE_S, environment)
    return {} if answer.status else dict(said_macros(answer.output))


def said_macros(text: str) -> Iterator[tuple[str, str]]:
    """Yield macros from the version of MPI, and what `MPI_Get_library_version` says.

    >>> dict(said_macros("4 0 MPICH Version:      4.0.2"))
    {'MPI_VERSION': '4', 'MPI_SUBVERSION': '0', 'MPICH_VERSION': '4.0.2'}
    """
    if numbers := re.match(r"(\d+) (\d+) ", text):
        yield from zip(("MPI_VERSION", "MPI_SUBVERSION"), numbers.groups(), strict=True)
    for names, pattern in _WORDS.items():
        if found := re.search(pattern, text):
            yield from zip(names, found.groups(), strict=True)
