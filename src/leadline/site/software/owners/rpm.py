"""Packages of Red Hat, SUSE and their kin."""

from collections.abc import Sequence
from pathlib import Path

from leadline.site.software.host import Host
from leadline.site.software.owner import Package

_FORM = "leadline %{NAME} %{VERSION}-%{RELEASE}\\n"


class Rpm:
    """`rpm` answers one line for each file, in their order."""

    order = 50

    def find(self, files: Sequence[Path], here: Host) -> dict[Path, Package]:
        """Return the packages of the files."""
        program = here.which("rpm")
        if not program:
            return {}
        found = {}
        for file in files:
            said = here.ask(str(program), "-qf", "--qf", _FORM, str(file)).splitlines()
            words = said[0].split() if said else []
            if len(words) == 3 and words[0] == "leadline":
                found[file] = Package(words[1], words[2], "rpm")
        return found


OWNER = Rpm()
