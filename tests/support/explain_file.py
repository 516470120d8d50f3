"""What the observer's library writes, read in a few lines."""

import struct
from dataclasses import dataclass, field, replace
from pathlib import Path

_HEADER = struct.Struct("<8s4I3Q4I128s64s")
_BLOCK = struct.Struct("<2I4Qd9Q2IiI")
_CURRENT = struct.Struct("<2I3Q3iIQ")
_ROW = struct.Struct("<6I7Q")
_FIRST_ROW = 256


@dataclass
class Row:
    function: str
    kind: int
    site: str
    size_class: int
    ranks: int
    nodes: int
    flags: int
    calls: int
    bytes: int
    seconds: float
    waiting_s: float
    slowest_s: float
    late_sender_s: float
    late_receiver_s: float


@dataclass
class Rank:
    rank: int
    seconds: float
    mpi_s: float
    waiting_s: float
    io_s: float
    other_threads_s: float
    calls: int
    lost: tuple[int, ...]
    state: int
    function: str  # in which it is
    rows: list[Row] = field(default_factory=list)
    peers: list[tuple[int, int, float, int]] = field(default_factory=list)

    def row(self, function: str) -> Row:
        """Return the sum of the function's rows."""
        rows = [row for row in self.rows if row.function == function]
        summed = ("calls", "bytes", "seconds", "waiting_s", "late_sender_s", "late_receiver_s")
        return replace(
            rows[0], **{name: sum(getattr(row, name) for row in rows) for name in summed}
        )


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode()


def read_node(path: Path) -> list[Rank]:
    """Return the ranks of a node's file, by their rank."""
    data = path.read_bytes()
    header = _HEADER.unpack_from(data)
    magic, _, functions, here, _, size, names_at, blocks_at = header[:8]
    rows, sites, peers, _ = header[8:12]
    assert magic == b"LLEXPL02"
    names = [
        (_text(data[at : at + 40]), data[at + 40])
        for at in range(names_at, names_at + 48 * functions, 48)
    ]
    sites_at = _FIRST_ROW + _ROW.size * rows
    peers_at = sites_at + 384 * sites
    found = []
    for start in range(blocks_at, blocks_at + here * size, size):
        block = _BLOCK.unpack_from(data, start)
        rank, _, begin, end, _, _, tick, mpi, waiting, io, other, calls = block[:12]
        lost, (used, _, _, state) = block[12:16], block[16:20]
        current = _CURRENT.unpack_from(data, start + 192)
        one = Rank(
            rank, (end - begin) * tick if end else 0.0, mpi * tick, waiting * tick, io * tick,
            other * tick, calls, lost, state, names[current[0]][0],
        )  # fmt: skip
        for index in range(used):
            row = _ROW.unpack_from(data, start + _FIRST_ROW + index * _ROW.size)
            site = start + sites_at + row[1] * 384
            one.rows.append(
                Row(
                    *names[row[0]], _text(data[site : site + 160]), *row[2:8],
                    *(ticks * tick for ticks in row[8:]),
                )
            )  # fmt: skip
        for index in range(peers):
            messages, size_, waited, times = struct.unpack_from(
                "<4Q", data, start + peers_at + 32 * index
            )
            one.peers.append((messages, size_, waited * tick, times))
        found.append(one)
    return sorted(found, key=lambda rank: rank.rank)
