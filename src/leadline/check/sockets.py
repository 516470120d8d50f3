"""TCP connections of processes, and what they carried, as the kernel has them.

Sources: proc_net(5) for addresses; sock_diag(7) and tcp_info of linux/tcp.h for bytes.
"""

import ipaddress
import socket
import struct
from collections.abc import Iterator
from typing import NamedTuple

from leadline.site.hardware.files import Files

_ESTABLISHED = "01"
_SOCK_DIAG_BY_FAMILY = 20
_REQUEST_DUMP = 0x301
_DONE, _ERROR = 3, 2
_INFO = 2
_MESSAGE = struct.Struct("=IHHII")
# inet_diag_msg is 72 bytes, its inode the last 4; attributes follow.
_DIAG_BYTES, _INODE = 72, struct.Struct("=I")
_BYTES_ACKED, _BYTES = 120, struct.Struct("=QQ")


class Socket(NamedTuple):
    """An established connection: number, and both ends as address and port."""

    inode: int
    local: tuple[str, int]
    remote: tuple[str, int]


def sockets_of(files: Files, pid: int) -> list[Socket]:
    """Return the TCP connections that a process has open."""
    own = set(_inodes(files, pid))
    if not own:
        return []
    table = (each for name in ("tcp", "tcp6") for each in _table(files, f"/proc/{pid}/net/{name}"))
    return [each for each in table if each.inode in own]


def moved_bytes() -> dict[int, int]:
    """Return how many bytes each TCP connection has carried, both ways, by its number.

    Of the connections in leadline's own network namespace; empty where the kernel does not tell.
    """
    found: dict[int, int] = {}
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            found |= dict(_ask(family))
        except OSError:
            continue
    return found


def _inodes(files: Files, pid: int) -> Iterator[int]:
    folder = f"/proc/{pid}/fd"
    for name in files.names(folder):
        target = files.link(f"{folder}/{name}")
        if target.startswith("socket:["):
            yield int(target[8:-1])


def _table(files: Files, path: str) -> Iterator[Socket]:
    for line in (files.text(path) or "").splitlines()[1:]:
        words = line.split()
        if len(words) > 9 and words[3] == _ESTABLISHED:
            yield Socket(int(words[9]), _end(words[1]), _end(words[2]))


def _end(text: str) -> tuple[str, int]:
    """Return address and port of the kernel's hexadecimal words.

    >>> _end("0100007F:1F90"), _end("0000000000000000FFFF00000100007F:0050")
    (('127.0.0.1', 8080), ('127.0.0.1', 80))
    """
    address, _, port = text.partition(":")
    words = [int(address[at : at + 8], 16) for at in range(0, len(address), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    found = ipaddress.ip_address(packed)
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found), int(port, 16)


def _ask(family: int) -> Iterator[tuple[int, int]]:
    request = struct.pack("=BBBBI48x", family, socket.IPPROTO_TCP, 1 << (_INFO - 1), 0, 1 << 1)
    header = _MESSAGE.pack(_MESSAGE.size + len(request), _SOCK_DIAG_BY_FAMILY, _REQUEST_DUMP, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) as asked:
        asked.settimeout(1.0)
        asked.send(header + request)
        while True:
            answer = asked.recv(1 << 20)
            at = 0
            while at + _MESSAGE.size <= len(answer):
                size, kind, *_ = _MESSAGE.unpack_from(answer, at)
                if kind in (_DONE, _ERROR) or size < _MESSAGE.size:
                    return
                if found := _carried(answer[at + _MESSAGE.size : at + size]):
                    yield found
                at += (size + 3) & ~3


def _carried(message: bytes) -> tuple[int, int] | None:
    (inode,) = _INODE.unpack_from(message, _DIAG_BYTES - _INODE.size)
    at = _DIAG_BYTES
    while at + 4 <= len(message):
        size, kind = struct.unpack_from("=HH", message, at)
        if kind == _INFO and size >= 4 + _BYTES_ACKED + _BYTES.size:
            return inode, sum(_BYTES.unpack_from(message, at + 4 + _BYTES_ACKED))
        if size < 4:
            return None
        at += (size + 3) & ~3
    return None
