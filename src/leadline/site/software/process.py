"""What a process has loaded, from /proc."""

import os
from pathlib import Path

import msgspec

from leadline.core.errors import UserError


class Mapped(msgspec.Struct, frozen=True, kw_only=True):
    """A file that the process has mapped to run code of it, as the process names it."""

    path: str
    is_deleted: bool = False


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """A process: its program and libraries by its own paths, its first variables, its folder.

    `root` is where its files begin as this process sees them, `/` where both see the same;
    `program_file` is the program that really runs, even if another has its name by now.
    """

    program: Path
    program_file: Path
    libraries: tuple[Mapped, ...]
    environment: dict[str, str]
    cwd: Path
    root: Path

    @property
    def is_elsewhere(self) -> bool:
        """Whether it lives in another file system, as in a container."""
        return self.root != Path("/")


def read(pid: int) -> Process:
    """Return the process. Raises `UserError` where there is none, or it may not be looked at."""
    folder = Path(f"/proc/{pid}")
    try:
        program = Path(str((folder / "exe").readlink()).removesuffix(" (deleted)"))
        maps = (folder / "maps").read_text(errors="replace")
        variables = (folder / "environ").read_bytes().decode(errors="replace").split("\0")
        same = os.path.samestat(Path("/").stat(), (folder / "root/.").stat())
    except PermissionError:
        raise UserError(f"process {pid} is another user's: ask as that user, or as root") from None
    except OSError:
        raise UserError(
            f"there is no process {pid} with a program: name one that `ps` lists"
        ) from None
    libraries = {each.path: each for each in _parse_maps(maps) if each.path != str(program)}
    return Process(
        program=program,
        program_file=folder / "exe",
        libraries=tuple(libraries.values()),
        environment=dict(text.split("=", 1) for text in variables if "=" in text),
        cwd=folder / "cwd",
        root=Path("/") if same else folder / "root",
    )


def _parse_maps(maps: str) -> list[Mapped]:
    """Return the files of /proc/PID/maps that may run, as `proc(5)` writes its lines."""
    found = []
    for line in maps.splitlines():
        words = line.split(maxsplit=5)
        if len(words) < 6 or "x" not in words[1]:
            continue
        path = words[5].removesuffix(" (deleted)")
        if path.startswith("/") and not path.startswith(("/dev/", "/memfd:")):
            found.append(Mapped(path=path, is_deleted=path != words[5]))
    return found
