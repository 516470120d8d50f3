"""SimGrid's SMPI, which runs the ranks of a program on a simulated machine."""

import re

from leadline.model.installation import Installation
from leadline.site.mpi.candidate import Candidate

_VERSION = re.compile(r"SimGrid version (\d[\w.]*)")


class SimGrid:
    """SMPI by its wrapper `smpicc`: its header names neither SimGrid nor a version."""

    name = "simgrid"
    order = 1
    wheels = ()
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


FAMILY = SimGrid()
