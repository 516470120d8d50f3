"""The hardware that makes nodes alike, by files that any node can send.

Only what stays the same when a part works badly: a link that came up at a lower speed makes no
other kind of node.
"""

from collections import Counter
from typing import NamedTuple

from leadline.site.hardware.files import Files, parse_cpus
from leadline.site.hardware.inventory import meminfo_bytes
from leadline.site.hardware.processors import CPU, model

_BOARDS = "/sys/class/infiniband"
_INTERFACES = "/sys/class/net"
FILES = (
    "/proc/cpuinfo",
    "/proc/meminfo",
    f"{CPU}/present",
    f"{_BOARDS}/*/board_id",
    f"{_INTERFACES}/*/device/device",
)


class Hardware(NamedTuple):
    """What a node is made of: `adapters` are boards and devices of its network, sorted."""

    processor: str
    processors: int
    memory_bytes: int
    adapters: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return it in words.

        >>> print(Hardware("Xeon 8480", 224, 512 * 2**30, ("MT_1", "MT_1")))
        Xeon 8480, 224 processors, 512 GiB, 2 MT_1
        """
        parts = [self.processor, f"{self.processors} processors"]
        if self.memory_bytes:
            parts.append(f"{self.memory_bytes / 2**30:.3g} GiB")
        parts += [f"{number} {name}" for name, number in Counter(self.adapters).items()]
        return ", ".join(parts)


def hardware(files: Files) -> Hardware:
    """Return what the node is made of, as far as its files say."""
    found = [
        files.text(path)
        for folder, rest in ((_BOARDS, "board_id"), (_INTERFACES, "device/device"))
        for path in (f"{folder}/{name}/{rest}" for name in files.names(folder))
    ]
    return Hardware(
        model(files) or "unknown processor",
        len(parse_cpus(files.text(f"{CPU}/present") or "")),
        meminfo_bytes(files).get("MemTotal", 0),
        tuple(sorted(text for text in found if text)),
    )
