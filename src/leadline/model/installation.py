"""An MPI or SHMEM installation as discovery hands it to build and launch."""

import msgspec


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """One MPI installation.

    Paths are absolute, or None where the installation lacks that program. `environment` holds
    the variables without which its programs do not run (never secrets of the user's own
    environment). `headers` is the folder of `mpi.h`, `library` the MPI library that programs load
    and `standard` the version of MPI that the header states. `name` is unique among the
    installations found and stable between calls.
    """

    name: str
    family: str
    version: str
    prefix: str
    source: str
    mpicc: str | None = None
    mpicxx: str | None = None
    mpiexec: str | None = None
    oshcc: str | None = None
    oshcxx: str | None = None
    oshrun: str | None = None
    headers: str | None = None
    library: str | None = None
    standard: str = ""
    built: dict[str, str] = {}
    environment: dict[str, str] = {}

    @property
    def simulates(self) -> bool:
        """Whether its programs run on a simulated machine."""
        return self.family == "simgrid"

    @property
    def apis(self) -> tuple[str, ...]:
        """The kinds of probe that can be built with this installation."""
        if self.family == "fake":
            return ("fake",)
        return (("mpi",) if self.mpicc and self.mpiexec else ()) + (
            ("shmem",) if self.oshcc and self.oshrun else ()
        )
