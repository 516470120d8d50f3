"""MPICH, and the shape of the families derived from it."""

import re

from leadline.model.installation import Installation
from leadline.site.mpi.candidate import Candidate

_LINE = re.compile(r"^MPICH ([\w ]+?):[ \t]*(.*?)[ \t]*$", re.MULTILINE)


class Mpich:
    """MPICH as its own header and `mpichversion` describe it."""

    name = "mpich"
    order = 20
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


FAMILY = Mpich()
