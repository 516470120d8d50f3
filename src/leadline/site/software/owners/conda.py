"""conda's packages: an environment lists in `conda-meta` what each brought."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from leadline.site.software.host import Host
from leadline.site.software.owner import Package


class _Record(msgspec.Struct):
    name: str
    version: str
    build: str = ""
    files: list[str] = []


class Conda:
    """The version is told with the build, which names the variant."""

    order = 20

    def find(self, files: Sequence[Path], here: Host) -> dict[Path, Package]:
        """Return the packages of the files."""
        places = {file: _environment(file) for file in files}
        found = {}
        for environment in dict.fromkeys(filter(None, places.values())):
            inside = {
                str(file.relative_to(environment)): file
                for file, place in places.items()
                if place == environment
            }
            for record in _records(environment):
                version = f"{record.version} {record.build}".strip()
                for name in inside.keys() & set(record.files):
                    found[inside[name]] = Package(record.name, version, "conda")
        return found


def _environment(file: Path) -> Path | None:
    return next((folder for folder in file.parents if (folder / "conda-meta").is_dir()), None)


def _records(environment: Path) -> list[_Record]:
    records = []
    for path in sorted((environment / "conda-meta").glob("*.json")):
        with suppress(OSError, msgspec.MsgspecError):
            records.append(msgspec.json.decode(path.read_bytes(), type=_Record))
    return records


OWNER = Conda()
