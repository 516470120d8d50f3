"""Debian's packages."""

from collections.abc import Sequence
from pathlib import Path

from leadline.site.software.host import Host
from leadline.site.software.owner import Package


class Debian:
    """`dpkg` knows files by the path that their package gave, with /usr before it or without."""

    order = 40

    def find(self, files: Sequence[Path], here: Host) -> dict[Path, Package]:
        """Return the packages of the files."""
        program = here.which("dpkg-query")
        if not program:
            return {}
        known_as = {str(path): file for file in files for path in (file, _without_usr(file))}
        said = here.ask(str(program), "-S", *known_as, failing=True)
        names: dict[Path, str] = {}
        for line in said.splitlines():
            # What several packages have is of the first.
            package, _, path = line.rpartition(": ")
            if path in known_as and not line.startswith("diversion "):
                names[known_as[path]] = package.split(", ")[0]
        form = "${binary:Package} ${Version}\n${Package} ${Version}\n"
        listed = here.ask(str(program), "-W", "-f", form, *dict.fromkeys(names.values()))
        versions = dict(line.split(" ", 1) for line in listed.splitlines() if " " in line)
        return {
            file: Package(name.partition(":")[0], versions.get(name, ""), "dpkg")
            for file, name in names.items()
        }


def _without_usr(file: Path) -> Path:
    return Path("/", *file.parts[2:]) if file.parts[:2] == ("/", "usr") else file


OWNER = Debian()
