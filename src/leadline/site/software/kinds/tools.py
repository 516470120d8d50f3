"""What builds programs: CMake, make, Ninja, linkers, Python, and compilers for accelerators."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from leadline.model.software import Item
from leadline.site.software.host import Host, executable, real_path


class _Tool(NamedTuple):
    """Programs of these names, and of those `also` in use, say their version as `version` has it.

    The default is told of `programs`.
    """

    name: str
    programs: tuple[str, ...]
    also: tuple[str, ...] = ()
    version: str = r"(\d+(?:\.\d+)+)"


_TOOLS = (
    _Tool("CMake", ("cmake",), ("cmake3",)),
    _Tool("make", ("make",), ("gmake",)),
    _Tool("Ninja", ("ninja",), ("ninja-build",)),
    _Tool("binutils", ("ld",), ("ld.bfd",), r"^GNU ld .* (\d+(?:\.\d+)+)"),
    _Tool("LLD", ("ld.lld",)),
    _Tool("Python", ("python3", "python"), version=r"^Python (\S+)"),
    _Tool("pkg-config", ("pkg-config",), ("pkgconf",)),
    _Tool("CUDA", ("nvcc",), version=r"release [\d.]+, V(\d+(?:\.\d+)+)"),
    _Tool("HIP", ("hipcc",), version=r"HIP version: (\d+(?:\.\d+)+)"),
)


class Tools:
    """Each in every folder of the PATH; names for one in the same folder are one."""

    name = "tool"
    order = 60

    def find(self, here: Host) -> Iterator[Item]:
        """Yield the tools; the one that a shell starts is the default for its name."""
        there = list(_programs(here))
        here.ask_all([str(path), "--version"] for tool, path in there)
        items: dict[tuple[str, str, Path], Item] = {}
        for tool, path in there:
            match = re.search(tool.version, here.ask(str(path), "--version"), re.MULTILINE)
            if not match:
                continue
            key = (tool.name, match[1], real_path(path).parent)
            found = items.get(key) or Item(
                kind=self.name, name=tool.name, version=match[1], path=str(path)
            )
            first = here.which(path.name) == path and path.name in tool.programs
            default = {path.name: here.why(path)} if first else {}
            items[key] = msgspec.structs.replace(
                found, default_for={**found.default_for, **default}
            )
        yield from items.values()


def _programs(here: Host) -> Iterator[tuple[_Tool, Path]]:
    for tool in _TOOLS:
        for folder in here.folders():
            for name in (*tool.programs, *tool.also):
                if executable(folder / name):
                    yield tool, folder / name


KIND = Tools()
