"""Reading the small files in which Linux describes a machine."""

import contextlib
import gzip
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from leadline.core.errors import UserError


@dataclass(frozen=True)
class Files:
    """The file tree below `root`, which is `/` for the machine itself.

    What is missing or may not be read is None: kernels, containers and processors differ in the
    files that they show.
    """

    root: Path = Path("/")

    def text(self, path: str) -> str | None:
        """Return the stripped content of the file, also of a compressed one, or None."""
        try:
            if path.endswith(".gz"):
                return gzip.decompress(self._at(path).read_bytes()).decode(errors="replace").strip()
            return self._at(path).read_text(errors="replace").strip()
        except (OSError, EOFError, zlib.error):
            return None

    def number(self, path: str) -> int | None:
        """Return the whole number that the file holds, or None."""
        with contextlib.suppress(ValueError):
            return int(self.text(path) or "")
        return None

    def choice(self, path: str) -> str | None:
        """Return the chosen word of a file such as `always [madvise] never`, or None."""
        words = (self.text(path) or "").split()
        return next((word.strip("[]") for word in words if word.startswith("[")), None)

    def table(self, path: str) -> dict[str, str]:
        """Return the first `KEY: VALUE` line of each key, empty where there is no such file."""
        pairs = (line.partition(":") for line in (self.text(path) or "").splitlines())
        table: dict[str, str] = {}
        for key, _, value in pairs:
            table.setdefault(key.strip(), value.strip())
        return table

    def names(self, folder: str) -> list[str]:
        """Return the sorted names in the folder, none where there is no such folder."""
        try:
            return sorted(entry.name for entry in self._at(folder).iterdir())
        except OSError:
            return []

    def link(self, path: str) -> str:
        """Return where the link leads as it is written, empty where there is no such link."""
        try:
            return str(self._at(path).readlink())
        except OSError:
            return ""

    def owner(self, path: str) -> int | None:
        """Return the number of the user to whom the file or folder belongs, or None."""
        with contextlib.suppress(OSError):
            return self._at(path).stat().st_uid
        return None

    def exists(self, path: str) -> bool:
        """Tell whether the file or folder can be seen."""
        try:
            return self._at(path).exists()
        except OSError:
            return False

    def _at(self, path: str) -> Path:
        return self.root / path.lstrip("/")


def parse_cpus(text: str) -> list[int]:
    """Return the processors of a kernel list.

    >>> parse_cpus("0-2,8")
    [0, 1, 2, 8]
    """
    cpus: list[int] = []
    for item in filter(None, text.strip().split(",")):
        first, _, last = item.partition("-")
        if not first.isdigit() or not (last or "0").isdigit():
            raise UserError(f"processor list {text!r} is not numbers and ranges such as 0-2,8")
        cpus.extend(range(int(first), int(last or first) + 1))
    return cpus


def format_cpus(cpus: Iterable[int]) -> str:
    """Return the kernel's list for the processors.

    >>> format_cpus([0, 1, 2, 8])
    '0-2,8'
    """
    ranges: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if ranges and cpu == ranges[-1][1] + 1:
            ranges[-1][1] = cpu
        else:
            ranges.append([cpu, cpu])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
