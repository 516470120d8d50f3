"""Cray MPICH (HPE), derived from MPICH."""

import re

from leadline.site.mpi.candidate import Candidate
from leadline.site.mpi.families.mpich import Mpich


class Cray(Mpich):
    """Cray MPICH: an MPICH header in Cray's folders; the module's variable has the version."""

    name = "cray-mpich"
    order = 10
    wheels = ()
    symbol = ""

    def version(self, candidate: Candidate, macros: dict[str, str]) -> str | None:
        """Return the product's version, or that of the MPICH in it where no module is loaded."""
        if "MPICH_VERSION" not in macros or "cray" not in candidate.prefix.parts:
            return None
        return candidate.variable("CRAY_MPICH_VERSION") or macros["MPICH_VERSION"]

    def library(self, version: str) -> str:
        """Return the version alone, which stands in Cray's own line or in MPICH's."""
        return re.escape(version)


FAMILY = Cray()
