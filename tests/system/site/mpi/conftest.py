"""A made-up machine: prefixes whose scripts answer as the real programs do."""

from pathlib import Path

import pytest

from leadline.site.mpi.sources import Places

MPICHVERSION = """MPICH Version:      {version}
MPICH Release date: Thu Apr  7 12:34:45 CDT 2022
MPICH Device:       ch4:ucx
MPICH configure:    --with-device=ch4:ucx --enable-fortran=all
MPICH CC:           gcc  -g -O2
MPICH CXX:          g++  -g -O2
"""
OMPI_INFO = """package:Debian OpenMPI
ompi:version:full:{version}
ident:{version}
config:cli: '--prefix=/usr' '--with-ucx'
compiler:c:command:gcc
compiler:c:version:12.2.0
mca:mtl:ofi:version:"mca:2.1.0"
mca:pml:ob1:version:"mca:2.1.0"
mca:pml:ucx:version:"mca:2.1.0"
"""


class Machine:
    """Folders under `root`, and the places of a process that sees nothing else."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def program(self, path: str, prints: str = "", log: str = "") -> Path:
        """Write a script that prints a text, and notes each call in the file `log`."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        note = f"echo called >> {self.root / log}\n" if log else ""
        file.write_text(f"#!/bin/sh\n{note}cat <<'END'\n{prints}\nEND\n")
        file.chmod(0o755)
        return file

    def link(self, path: str, target: str) -> None:
        """Make a link as `ln -s` does."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to(target)

    def header(self, folder: str, text: str) -> str:
        """Write an `mpi.h` and return the folder's full path."""
        file = self.root / folder / "mpi.h"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return str(file.parent)

    def mpich(self, prefix: str, version: str, *, suffix: str = "", include: str = "") -> None:
        """Put an MPICH there, its header where only `-show` tells."""
        text = f'#define MPI_VERSION 4\n#define MPICH_VERSION "{version}"\n'
        folder = self.header(include or f"{prefix}/hidden", text)
        self.program(f"{prefix}/bin/mpicc{suffix}", f"gcc -I{folder} -lmpi")
        for name in ("mpicxx", "mpiexec"):
            self.program(f"{prefix}/bin/{name}{suffix}")
        self.program(f"{prefix}/bin/mpichversion", MPICHVERSION.format(version=version))

    def openmpi(self, prefix: str, version: str) -> None:
        """Put an Open MPI there, with OpenSHMEM."""
        names = ("MAJOR", "MINOR", "RELEASE")
        text = "".join(
            f"#define OMPI_{name}_VERSION {part}\n"
            for name, part in zip(names, version.split("."), strict=True)
        )
        folder = self.header(f"{prefix}/include", text)
        self.program(f"{prefix}/bin/mpicc", f"gcc -I{folder} -lmpi")
        for name in ("mpicxx", "mpiexec", "oshcc", "oshc++", "oshrun"):
            self.program(f"{prefix}/bin/{name}")
        self.program(f"{prefix}/bin/ompi_info", OMPI_INFO.format(version=version))

    def places(self, path: str = "", **environment: str) -> Places:
        """Return the places of a process with these folders (below the root) in its PATH."""
        folders = [str(self.root / item) for item in path.split(":") if item]
        return Places(
            environment={"PATH": ":".join(folders), **environment},
            root=self.root,
            own=self.root / "own",
            installed=self.root / "home/mpi",
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)
