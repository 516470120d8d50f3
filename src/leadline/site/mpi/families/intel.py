"""Intel MPI: oneAPI's, and the wheels of PyPI."""

import re
from pathlib import Path

from leadline.model.installation import Installation
from leadline.site.mpi.candidate import Candidate

_LIBRARY_FOLDERS = ("libfabric/lib", "opt/mpi/libfabric/lib", "lib/release", "lib")


class Intel:
    """Intel MPI, derived from MPICH, with wrappers for each compiler.

    `mpicc` of the wheels wants Intel's compiler, so GNU's wrappers `mpigcc` and `mpigxx` are
    taken where they are. They find their own folder through I_MPI_ROOT only.

    The library's RUNPATH does not reach the libfabric that it loads: without LD_LIBRARY_PATH a
    libfabric of the system would be taken instead of Intel's own, and be measured.
    """

    name = "intel"
    order = 10
    wheels = ("impi-rt", "impi-devel")
    symbol = "I_MPI_Check_image_status"

    def version(self, candidate: Candidate, macros: dict[str, str]) -> str | None:
        """Return what Intel's header says."""
        return macros.get("I_MPI_VERSION")

    def installation(self, candidate: Candidate, version: str) -> Installation:
        """Return the installation with the environment that `vars.sh` of oneAPI would set."""
        prefix = candidate.prefix
        libraries = [prefix / folder for folder in _LIBRARY_FOLDERS if (prefix / folder).is_dir()]
        providers = [folder / "prov" for folder in libraries if (folder / "prov").is_dir()]
        environment = {
            "I_MPI_ROOT": str(prefix),
            "LD_LIBRARY_PATH": _before(libraries, candidate.variable("LD_LIBRARY_PATH")),
            "PATH": _before([candidate.wrapper.parent], candidate.variable("PATH")),
        }
        if providers:
            environment["FI_PROVIDER_PATH"] = _before(providers, "")
        mpiexec = candidate.program("mpiexec.hydra", "mpiexec", "mpirun")
        said = candidate.ask(mpiexec, "--version") if mpiexec else ""
        release = re.search(r"Version (.*)", said)
        fabric = any(folder.glob("libfabric.so*") for folder in libraries)
        return candidate.installation(
            self.name,
            version,
            built={
                "release": release[1].strip() if release else "",
                "network": "ofi" if fabric else "",
            },
            environment=environment,
            mpicc=candidate.program("mpigcc", "mpicc"),
            mpicxx=candidate.program("mpigxx", "mpicxx"),
            mpiexec=mpiexec,
        )

    def library(self, version: str) -> str:
        """Return Intel's own words with the year: releases have been counted in several ways."""
        return rf"Intel\(R\) MPI Library {version.partition('.')[0]}\b"


def _before(folders: list[Path], path: str) -> str:
    own = [str(folder) for folder in folders]
    return ":".join(own + [folder for folder in path.split(":") if folder and folder not in own])


FAMILY = Intel()
