"""The calls in which ranks are now, read from the files that they write while they run.

A file holds a header, a table of functions, and a block for each rank of one node. Only what says
where a rank is now is read here: heads of blocks, the current call, which functions were called.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from leadline.core.errors import UserError
from leadline.stuck.job import OTHER, Call, Request

MAGIC = b"LLEXPL02"
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
SITE = struct.Struct("<160s216sQ")
# A call that is written while it is read shows two states; a few readings find it at rest.
_READINGS = 8


class Function(NamedTuple):
    """A function of MPI and its kind: 1 to 4 collectives, 5 send, 6 receive, 7 both, and so on."""

    name: str
    kind: int


class Standing(NamedTuple):
    """Where a rank stands. `rank` is None before MPI_Init; `since_s` is of CLOCK_MONOTONIC.

    `call` is empty in the program's own code, `since_ticks` when the rank came there. `calls`
    counts all calls until now, `called` those of each function by the number of bits of their
    bytes. `at` is where the file has this rank, `mpi_s` its time in MPI until now.
    """

    rank: int | None
    pid: int
    state: int
    started_s: float
    calls: int
    call: Call
    since_ticks: int
    since_s: float | None
    called: dict[tuple[str, int], int]
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
        self._peers_at = rows_end + self._sites * SITE.size
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
            call, since = self._current(at)
            # Before its first call a rank has been there since it began.
            since = since or start_ticks
            started_s = start_ns * 1e-9
            yield Standing(
                rank=None if rank == NO_RANK else rank,
                pid=pid,
                state=state,
                started_s=started_s,
                calls=calls,
                call=call,
                since_ticks=since,
                since_s=started_s + (since - start_ticks) * tick_s if tick_s > 0 else None,
                called=self._called(at, rows),
                at=at,
                mpi_s=mpi_ticks * tick_s,
            )

    def messages(self, sender: Standing, receiver: int) -> int | None:
        """Return how many messages a rank has sent to another one, None where that is unknown."""
        if not 0 <= receiver < self._peers:
            return None
        data = os.pread(self._file, PEER.size, sender.at + self._peers_at + receiver * PEER.size)
        return int(PEER.unpack(data)[0]) if len(data) == PEER.size else None

    def _current(self, at: int) -> tuple[Call, int]:
        """Return the call in which a rank is, and the ticks at which it came there."""
        before = b""
        for _ in range(_READINGS):
            now = os.pread(self._file, CURRENT.size, at + CURRENT_AT)
            if now == before:
                break
            before = now
        (function, site, since, comm, number, peer, tag, root, awaited, size,
         ) = CURRENT.unpack(now.ljust(CURRENT.size, b"\0"))  # fmt: skip
        known = self._function(function)
        call = Call(
            function=known.name,
            kind=known.kind,
            **(self._site(at, site) if known.name else {}),
            communicator=_communicator(comm) if known.name else None,
            number=number,
            peer=peer,
            tag=tag,
            root=root,
            bytes=size,
            awaiting=self._awaiting(at, awaited) if known.name else (),
        )
        return call, since

    def _function(self, number: int) -> Function:
        if not number:
            return Function("", 0)
        known = number < len(self.functions)
        return self.functions[number] if known else Function(f"call {number}", OTHER)

    def _called(self, at: int, rows: int) -> dict[tuple[str, int], int]:
        size = min(rows, self._rows) * ROW.size
        data = os.pread(self._file, size, at + CURRENT_AT + CURRENT.size)
        called: dict[tuple[str, int], int] = {}
        for row in ROW.iter_unpack(data[: len(data) // ROW.size * ROW.size]):
            key = (self._function(row[0]).name, row[2])
            called[key] = called.get(key, 0) + row[6]
        return called

    def _awaiting(self, at: int, count: int) -> tuple[Request, ...]:
        size = min(count, MOST_AWAITED) * AWAITING.size
        data = os.pread(self._file, size, at + self._awaiting_at)
        whole = data[: len(data) // AWAITING.size * AWAITING.size]
        return tuple(
            Request(
                peer=peer,
                tag=tag,
                sends=bool(what & _SENDS),
                receives=bool(what & _RECEIVES),
                is_collective=bool(what & _COLLECTIVE),
                has_begun=bool(what & _HAS_BEGUN),
                communicator=_communicator(comm),
                number=0 if what & _COUNTED else number,
                sent=number if what & _COUNTED else None,
            )
            for peer, tag, what, comm, number in AWAITING.iter_unpack(whole)
        )

    def _site(self, at: int, site: int) -> dict[str, Any]:
        """Return the fields of a call that tell its place, none where that is not known."""
        offset = at + CURRENT_AT + CURRENT.size + self._rows * ROW.size + site * SITE.size
        data = os.pread(self._file, SITE.size, offset) if site < self._sites else b""
        if len(data) < SITE.size:
            return {}
        text, file, address = SITE.unpack(data)
        return {"place": _text(text), "file": _text(file), "address": address}


def node_files(folder: Path) -> list[NodeFile]:
    """Return the files of a recording, opened. Raises `UserError` where there are none."""
    paths = sorted(folder.glob("*.explain"))
    if not paths:
        raise UserError(f"{folder} holds no recording: give the folder of a `leadline explain`")
    return [NodeFile(path) for path in paths]


def _communicator(number: int) -> int | None:
    return None if number == NO_COMMUNICATOR else number


def _text(data: bytes) -> str:
    return data.partition(b"\0")[0].decode(errors="replace")
