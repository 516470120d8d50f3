"""The calls in which ranks are now, read from the files that they write while they run.

A file holds a header, a table of functions, and a block for each rank of one node. Only what says
where a rank is now is read here: heads of blocks, the current call, which functions were called.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from leadline.core.errors import UserError

MAGIC = b"LLEXPL01"
NO_RANK = 0xFFFFFFFF
NO_COMMUNICATOR = 0xFFFFFFFFFFFFFFFF
HEADER = struct.Struct("<8s4I3Q4I128s64s")
FUNCTION = struct.Struct("<40sB7x")
# Up to `state`; the current call follows at the next multiple of 64 bytes.
HEAD = struct.Struct("<2I4Qd5Q4Q2IiI")
CURRENT = struct.Struct("<IIQQQiiiIQ8x")
CURRENT_AT = 192
AWAITING = struct.Struct("<iiI4xQQ")
MOST_AWAITED = 32
_SENDS, _RECEIVES, _COLLECTIVE, _HAS_BEGUN, _COUNTED = 1, 2, 4, 8, 16
PEER = struct.Struct("<Q24x")
ROW = struct.Struct("<6I7Q")
SITE_BYTES = 256
_SITE_TEXT = 160
# A call that is written while it is read shows two states; a few readings find it at rest.
_READINGS = 8


class Function(NamedTuple):
    """A function of MPI and its kind: 1 to 4 collectives, 5 send, 6 receive, 7 both, and so on."""

    name: str
    kind: int


class Awaiting(NamedTuple):
    """A request for which a call waits, in numbers as a `Standing` has them.

    `has_begun` tells whether its other side had called when the wait began. `number` is that of a
    collective on its communicator; `sent` how many messages the sender had sent to this rank by
    then, None where that is not known.
    """

    peer: int
    tag: int
    sends: bool
    receives: bool
    is_collective: bool
    has_begun: bool
    communicator: int | None
    number: int
    sent: int | None


class Standing(NamedTuple):
    """Where a rank stands. `rank` is None before MPI_Init; `since_s` is of CLOCK_MONOTONIC.

    `function` is "" in the program's own code, `since_ticks` when it came there.
    `calls` counts all calls until now, `called` those of each function by the number of bits of
    their bytes. `awaiting` are the first requests of a call that waits for some. `at` is where the
    file has this rank, `mpi_s` its time in MPI until now.
    """

    rank: int | None
    pid: int
    state: int
    started_s: float
    calls: int
    function: str
    kind: int
    place: str
    since_ticks: int
    since_s: float | None
    communicator: int | None
    number: int
    peer: int
    tag: int
    root: int
    bytes: int
    called: dict[tuple[str, int], int]
    awaiting: tuple[Awaiting, ...] = ()
    at: int = 0
    mpi_s: float = 0.0


class NodeFile:
    """The file of one node. Raises `UserError` where it is no recording, or of another version."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = os.open(path, os.O_RDONLY)
        except OSError as error:
            raise UserError(f"cannot read {path}: {error.strerror}") from None
        head = os.pread(self._file, HEADER.size, 0)
        if len(head) < HEADER.size or head[:8] != MAGIC:
            self.close()
            raise UserError(f"{path} is no recording of `leadline explain`, or of another version")
        (_, _, functions, self.ranks_here, self.ranks_total, self._block_bytes, functions_at,
         self._blocks_at, self._rows, self._sites, peers, self.node, library, host,
         ) = HEADER.unpack(head)  # fmt: skip
        self.library, self.host = _text(library), _text(host)
        rows_end = CURRENT_AT + CURRENT.size + self._rows * ROW.size
        self._peers = peers
        self._peers_at = rows_end + self._sites * SITE_BYTES
        self._awaiting_at = self._peers_at + peers * PEER.size
        table = os.pread(self._file, functions * FUNCTION.size, functions_at)
        whole = len(table) // FUNCTION.size * FUNCTION.size
        self.functions = [
            Function(_text(name), kind) for name, kind in FUNCTION.iter_unpack(table[:whole])
        ]

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._file)

    def standings(self) -> Iterator[Standing]:
        """Yield where each rank stands that has begun."""
        for place in range(self.ranks_here):
            at = self._blocks_at + place * self._block_bytes
            head = os.pread(self._file, HEAD.size, at)
            if len(head) < HEAD.size:
                return
            (rank, pid, start_ticks, _, start_ns, _, tick_s, mpi_ticks, _, _, _, calls, _, _, _, _,
             rows, _, _, state) = HEAD.unpack(head)  # fmt: skip
            if not pid:
                continue
            (function, site, since, comm, number, peer, tag, root, awaited, size,
             ) = self._current(at)  # fmt: skip
            known = self._function(function)
            started_s = start_ns * 1e-9
            yield Standing(
                rank=None if rank == NO_RANK else rank,
                pid=pid,
                state=state,
                started_s=started_s,
                calls=calls,
                function=known.name,
                kind=known.kind,
                place=self._site(at, site) if known.name else "",
                since_ticks=since,
                since_s=started_s + (since - start_ticks) * tick_s if tick_s > 0 else None,
                communicator=None if comm == NO_COMMUNICATOR else comm,
                number=number,
                peer=peer,
                tag=tag,
                root=root,
                bytes=size,
                called=self._called(at, rows),
                awaiting=self._awaiting(at, awaited) if known.name else (),
                at=at,
                mpi_s=mpi_ticks * tick_s,
            )

    def messages(self, sender: Standing, receiver: int) -> int | None:
        """Return how many messages a rank has sent to another one, None where that is unknown."""
        if not 0 <= receiver < self._peers:
            return None
        data = os.pread(self._file, PEER.size, sender.at + self._peers_at + receiver * PEER.size)
        return int(PEER.unpack(data)[0]) if len(data) == PEER.size else None

    def _current(self, at: int) -> tuple[int, ...]:
        before = b""
        for _ in range(_READINGS):
            now = os.pread(self._file, CURRENT.size, at + CURRENT_AT)
            if now == before:
                break
            before = now
        return CURRENT.unpack(now.ljust(CURRENT.size, b"\0"))

    def _function(self, number: int) -> Function:
        if not number:
            return Function("", 0)
        return (
            self.functions[number]
            if number < len(self.functions)
            else Function(f"call {number}", 15)
        )

    def _called(self, at: int, rows: int) -> dict[tuple[str, int], int]:
        size = min(rows, self._rows) * ROW.size
        data = os.pread(self._file, size, at + CURRENT_AT + CURRENT.size)
        called: dict[tuple[str, int], int] = {}
        for row in ROW.iter_unpack(data[: len(data) // ROW.size * ROW.size]):
            key = (self._function(row[0]).name, row[2])
            called[key] = called.get(key, 0) + row[6]
        return called

    def _awaiting(self, at: int, count: int) -> tuple[Awaiting, ...]:
        size = min(count, MOST_AWAITED) * AWAITING.size
        data = os.pread(self._file, size, at + self._awaiting_at)
        whole = data[: len(data) // AWAITING.size * AWAITING.size]
        return tuple(
            Awaiting(
                peer=peer,
                tag=tag,
                sends=bool(what & _SENDS),
                receives=bool(what & _RECEIVES),
                is_collective=bool(what & _COLLECTIVE),
                has_begun=bool(what & _HAS_BEGUN),
                communicator=None if comm == NO_COMMUNICATOR else comm,
                number=0 if what & _COUNTED else number,
                sent=number if what & _COUNTED else None,
            )
            for peer, tag, what, comm, number in AWAITING.iter_unpack(whole)
        )

    def _site(self, at: int, site: int) -> str:
        if site >= self._sites:
            return ""
        offset = at + CURRENT_AT + CURRENT.size + self._rows * ROW.size + site * SITE_BYTES
        return _text(os.pread(self._file, _SITE_TEXT, offset))


def node_files(folder: Path) -> list[NodeFile]:
    """Return the files of a recording, opened. Raises `UserError` where there are none."""
    paths = sorted(folder.glob("*.explain"))
    if not paths:
        raise UserError(f"{folder} holds no recording: give the folder of a `leadline explain`")
    return [NodeFile(path) for path in paths]


def _text(data: bytes) -> str:
    return data.partition(b"\0")[0].decode(errors="replace")
