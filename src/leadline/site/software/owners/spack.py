"""Spack's packages: the prefix of each holds its specification."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from leadline.site.software.host import Host
from leadline.site.software.owner import Package


class _Node(msgspec.Struct):
    name: str
    version: str
    hash: str = ""


class _Nodes(msgspec.Struct):
    nodes: list[_Node]


class _Specification(msgspec.Struct):
    spec: _Nodes


class Spack:
    """The version is told with the first letters of the hash, which says how it was built."""

    order = 10

    def find(self, files: Sequence[Path], here: Host) -> dict[Path, Package]:
        """Return the packages of the files."""
        found = {}
        for file in files:
            for folder in file.parents:
                with suppress(OSError, msgspec.MsgspecError):
                    text = (folder / ".spack/spec.json").read_bytes()
                    own = msgspec.json.decode(text, type=_Specification).spec.nodes[:1]
                    for node in own:
                        version = f"{node.version} {node.hash[:7]}".strip()
                        found[file] = Package(node.name, version, "spack")
                    break
        return found


OWNER = Spack()
