"""Reads a recording: what the preloaded library wrote of each rank, one file a node.

The files are read as they lie, also of a program that runs or was killed: what a rank did last is
then the newest stamp of its node.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from leadline.core.errors import UserError
from leadline.explain.between_nodes import with_waits_between_nodes
from leadline.explain.recording import Function, Peer, Rank, Recording, Row, Site, Unfinished
from leadline.explain.visits import DTYPE, Visits, visits_of

PATTERN = "*.explain"
_MAGIC = b"LLEXPL01"
_HEADER = np.dtype(
    [
        ("magic", "S8"),
        ("header_bytes", "<u4"),
        ("functions", "<u4"),
        ("ranks_here", "<u4"),
        ("ranks_total", "<u4"),
        ("block_bytes", "<u8"),
        ("functions_offset", "<u8"),
        ("blocks_offset", "<u8"),
        ("rows", "<u4"),
        ("sites", "<u4"),
        ("peers", "<u4"),
        ("node", "<u4"),
        ("library", "S128"),
        ("host", "S64"),
        ("also", "S32"),
        ("visits", "<u4"),
    ]
)
_FUNCTION = np.dtype([("name", "S40"), ("kind", "u1"), ("reserved", "V7")])
_BLOCK = np.dtype(
    [
        ("rank", "<u4"),
        ("pid", "<u4"),
        ("start_ticks", "<u8"),
        ("end_ticks", "<u8"),
        ("start_ns", "<u8"),
        ("end_ns", "<u8"),
        ("seconds_per_tick", "<f8"),
        ("mpi_ticks", "<u8"),
        ("waiting_ticks", "<u8"),
        ("io_ticks", "<u8"),
        ("other_threads_ticks", "<u8"),
        ("calls", "<u8"),
        ("lost_rows", "<u8"),
        ("lost_sites", "<u8"),
        ("lost_requests", "<u8"),
        ("lost_stamps", "<u8"),
        ("rows_used", "<u4"),
        ("sites_used", "<u4"),
        ("core", "<i4"),
        ("state", "<u4"),
        ("visits_used", "<u4"),
    ]
)
_CURRENT_OFFSET = 192
_CURRENT = np.dtype(
    {
        "names": [
            "function", "site", "since_ticks", "comm", "comm_call",
            "peer", "tag", "root", "pad", "bytes",
        ],
        "formats": ["<u4", "<u4", "<u8", "<u8", "<u8", "<i4", "<i4", "<i4", "<u4", "<u8"],
        "itemsize": 64,
    }
)  # fmt: skip
_ROWS_OFFSET = 256
_ROW = np.dtype(
    [
        ("function", "<u4"),
        ("site", "<u4"),
        ("size_class", "<u4"),
        ("comm_ranks", "<u4"),
        ("nodes", "<u4"),
        ("flags", "<u4"),
        ("calls", "<u8"),
        ("bytes", "<u8"),
        ("ticks", "<u8"),
        ("waiting_ticks", "<u8"),
        ("slowest_ticks", "<u8"),
        ("late_sender_ticks", "<u8"),
        ("late_receiver_ticks", "<u8"),
    ]
)
_SITE = np.dtype(
    {
        "names": ["text", "object", "address"],
        "formats": ["S160", "S72", "<u8"],
        "offsets": [0, 160, 232],
        "itemsize": 256,
    }
)
_PEER = np.dtype(
    [("messages", "<u8"), ("bytes", "<u8"), ("waited_ticks", "<u8"), ("waited_calls", "<u8")]
)
_AWAITING_BYTES = 32 * 32
_NO_RANK = 0xFFFFFFFF
_AT_LEAST = 1  # of a row's flags: its waiting is a lower bound
_LARGEST_COUNT = 1 << 24


def has_recording(folder: Path) -> bool:
    """Tell whether files of a recording lie in the folder."""
    return folder.is_dir() and any(folder.glob(PATTERN))


def read_recording(folder: Path) -> Recording | None:
    """Return the recording in `folder`, None where no process of it began one.

    Raises `UserError` for a folder without a recording, and for files that are none or are cut.
    """
    files = sorted(folder.glob(PATTERN))
    if not files:
        raise UserError(f"{folder} holds no recording: `leadline explain -- COMMAND` makes one")
    headers: list[Any] = []
    ranks: dict[int, Rank] = {}
    for file in files:
        header, of_node = _read_node(file)
        headers.append(header)
        ranks |= {rank.rank: rank for rank in of_node}
    if not ranks:
        return None
    first = headers[0]
    found = Recording(
        ranks=tuple(ranks[number] for number in sorted(ranks)),
        ranks_total=max(int(header["ranks_total"]) for header in headers),
        library=next((text for each in headers if (text := _text(each["library"]))), ""),
        peers_known=bool(first["peers"]),
        also=next((text for each in headers if (text := _text(each["also"]))), ""),
    )
    return with_waits_between_nodes(found)


def _read_node(path: Path) -> tuple[Any, list[Rank]]:
    data = _bytes_of(path)
    if len(data) < _HEADER.itemsize or bytes(data[:8]) != _MAGIC:
        raise UserError(f"{path} is no recording: `leadline explain -- COMMAND` makes one")
    header = data[: _HEADER.itemsize].view(_HEADER)[0]
    peers_offset = _peers_offset(header)
    needed = peers_offset + int(header["peers"]) * _PEER.itemsize
    if header["visits"]:
        needed += _AWAITING_BYTES + int(header["visits"]) * DTYPE.itemsize
    counts = (
        int(header[name])
        for name in ("functions", "ranks_here", "rows", "sites", "peers", "visits")
    )
    if max(counts) > _LARGEST_COUNT or int(header["block_bytes"]) < needed:
        raise UserError(f"{path} is damaged: its header fits no recording; record it again")
    whole = int(header["blocks_offset"]) + int(header["ranks_here"]) * int(header["block_bytes"])
    table = int(header["functions_offset"]) + int(header["functions"]) * _FUNCTION.itemsize
    if len(data) < max(whole, table):
        raise UserError(
            f"{path} is cut: it has {len(data)} of {max(whole, table)} bytes; copy it again"
        )
    functions = _functions(data, header)
    blocks = [_block(data, header, place) for place in range(int(header["ranks_here"]))]
    heads = [block[: _BLOCK.itemsize].view(_BLOCK)[0] for block in blocks]
    newest = max((_newest(*each) for each in zip(blocks, heads, strict=True)), default=0)
    speeds = [float(head["seconds_per_tick"]) for head in heads]
    usual = next((speed for speed in speeds if speed > 0), 0.0)
    # All ranks of a node have one clock: by ticks of one length, counted from one moment.
    epoch = min((int(head["start_ticks"]) for head in heads if head["start_ticks"]), default=0)
    found = [
        msgspec.structs.replace(
            _rank(block, head, header, functions, newest, usual),
            visits=_visits(block, head, header, epoch, usual),
        )
        for block, head in zip(blocks, heads, strict=True)
        if int(head["rank"]) != _NO_RANK and int(head["state"]) > 0
    ]
    return header, found


def _bytes_of(path: Path) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the file's bytes, mapped: most of it was never written."""
    try:
        if path.stat().st_size == 0:
            return np.zeros(0, dtype=np.uint8)
        return np.memmap(path, dtype=np.uint8, mode="r")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error


def _peers_offset(header: Any) -> int:
    rows = int(header["rows"]) * _ROW.itemsize
    return _ROWS_OFFSET + rows + int(header["sites"]) * _SITE.itemsize


def _block(data: Any, header: Any, place: int) -> Any:
    begin = int(header["blocks_offset"]) + place * int(header["block_bytes"])
    return data[begin : begin + int(header["block_bytes"])]


def _functions(data: Any, header: Any) -> list[Function]:
    begin = int(header["functions_offset"])
    table = data[begin : begin + int(header["functions"]) * _FUNCTION.itemsize].view(_FUNCTION)
    return [Function(_text(each["name"]), int(each["kind"])) for each in table]


def _newest(block: Any, head: Any) -> int:
    """Return the newest stamp of a rank: its end, or when it last entered or left a call."""
    current = _current(block)
    return max(int(head["start_ticks"]), int(head["end_ticks"]), int(current["since_ticks"]))


def _current(block: Any) -> Any:
    return block[_CURRENT_OFFSET : _CURRENT_OFFSET + _CURRENT.itemsize].view(_CURRENT)[0]


def _rank(
    block: Any, head: Any, header: Any, functions: list[Function], newest: int, usual: float
) -> Rank:
    per_tick = float(head["seconds_per_tick"]) or usual
    begin, end = int(head["start_ticks"]), int(head["end_ticks"]) or newest
    return Rank(
        rank=int(head["rank"]),
        node=int(header["node"]),
        host=_text(header["host"]),
        pid=int(head["pid"]),
        core=int(head["core"]),
        state=int(head["state"]),
        seconds=max(end - begin, 0) * per_tick,
        mpi_s=int(head["mpi_ticks"]) * per_tick,
        waiting_s=int(head["waiting_ticks"]) * per_tick,
        files_s=int(head["io_ticks"]) * per_tick,
        other_threads_s=int(head["other_threads_ticks"]) * per_tick,
        calls=int(head["calls"]),
        rows=tuple(_rows(block, head, header, functions, per_tick)),
        peers=_peers(block, header, per_tick),
        lost={
            what: lost
            for what in ("rows", "sites", "requests", "stamps")
            if (lost := int(head[f"lost_{what}"]))
        },
        unfinished=_unfinished(block, head, functions, newest, per_tick),
    )


def _unfinished(
    block: Any, head: Any, functions: list[Function], newest: int, per_tick: float
) -> Unfinished | None:
    current = _current(block)
    function = int(current["function"])
    if int(head["end_ticks"]) or not 0 < function < len(functions):
        return None
    since = max(newest - int(current["since_ticks"]), 0)
    return Unfinished(functions[function], since * per_tick)


def _rows(
    block: Any, head: Any, header: Any, functions: list[Function], per_tick: float
) -> Iterator[Row]:
    used = min(int(head["rows_used"]), int(header["rows"]))
    rows = block[_ROWS_OFFSET : _ROWS_OFFSET + used * _ROW.itemsize].view(_ROW)
    sites = _sites(block, head, header)
    for row in rows.tolist():
        values = dict(zip(_ROW.names or (), row, strict=True))
        if not values["calls"] or not 0 < values["function"] < len(functions):
            continue
        yield Row(
            function=functions[values["function"]],
            site=sites[values["site"]] if values["site"] < len(sites) else Site(),
            size_class=values["size_class"],
            comm_ranks=values["comm_ranks"],
            nodes=values["nodes"],
            calls=values["calls"],
            bytes=values["bytes"],
            seconds=values["ticks"] * per_tick,
            waiting_s=min(values["waiting_ticks"], values["ticks"]) * per_tick,
            slowest_s=values["slowest_ticks"] * per_tick,
            late_sender_s=values["late_sender_ticks"] * per_tick,
            late_receiver_s=values["late_receiver_ticks"] * per_tick,
            at_least=bool(values["flags"] & _AT_LEAST),
        )


def _visits(block: Any, head: Any, header: Any, epoch: int, per_tick: float) -> Visits | None:
    if not int(header["visits"]):
        return None
    used = min(int(head["rows_used"]), int(header["rows"]))
    rows = block[_ROWS_OFFSET : _ROWS_OFFSET + used * _ROW.itemsize].view(_ROW)
    left_out = (rows["calls"] == 0) | (rows["function"] == 0)
    left_out |= rows["function"] >= int(header["functions"])
    numbers = np.where(left_out, -1, np.cumsum(~left_out) - 1)
    begin = _peers_offset(header) + int(header["peers"]) * _PEER.itemsize + _AWAITING_BYTES
    there = min(int(head["visits_used"]), int(header["visits"]))
    data = block[begin : begin + there * DTYPE.itemsize].view(DTYPE)
    return visits_of(data, numbers, epoch, per_tick)


def _sites(block: Any, head: Any, header: Any) -> list[Site]:
    used = min(int(head["sites_used"]), int(header["sites"]))
    begin = _ROWS_OFFSET + int(header["rows"]) * _ROW.itemsize
    sites = block[begin : begin + used * _SITE.itemsize].view(_SITE)
    return [Site(_text(one["text"]), _text(one["object"]), int(one["address"])) for one in sites]


def _peers(block: Any, header: Any, per_tick: float) -> dict[int, Peer]:
    begin = _peers_offset(header)
    peers = block[begin : begin + int(header["peers"]) * _PEER.itemsize].view(_PEER)
    there = np.flatnonzero((peers["messages"] > 0) | (peers["waited_ticks"] > 0))
    return {
        int(place): Peer(
            messages=int(peers["messages"][place]),
            bytes=int(peers["bytes"][place]),
            waited_s=int(peers["waited_ticks"][place]) * per_tick,
            waited_calls=int(peers["waited_calls"][place]),
        )
        for place in there
    }


def _text(value: Any) -> str:
    return bytes(value).split(b"\0")[0].decode(errors="replace").strip()
