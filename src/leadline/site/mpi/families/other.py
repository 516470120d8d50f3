"""An MPI that no other family knows."""

from leadline.model.installation import Installation
from leadline.site.mpi.candidate import Candidate


class Other:
    """Anything whose `mpi.h` states the version of the MPI standard."""

    name = "mpi"
    order = 90
    wheels = ()
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


FAMILY = Other()
