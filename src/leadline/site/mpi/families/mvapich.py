"""MVAPICH, derived from MPICH."""

import re

from leadline.site.mpi.candidate import Candidate
from leadline.site.mpi.families.mpich import Mpich


class Mvapich(Mpich):
    """MVAPICH 2 and its successors, which keep MPICH's macros beside their own."""

    name = "mvapich"
    order = 10
    wheels = ()
    symbol = ""

    def version(self, candidate: Candidate, macros: dict[str, str]) -> str | None:
        """Return what MVAPICH's header says, under either of the names that it has used."""
        return macros.get("MVAPICH2_VERSION") or macros.get("MVAPICH_VERSION")

    def library(self, version: str) -> str:
        """Return the version alone: the words around it have changed over the years."""
        return re.escape(version)


FAMILY = Mvapich()
