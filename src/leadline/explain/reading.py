"""Reads a recording: what the preloaded library wrote of each rank, one file a node.

The files are read as they lie, also of a program that runs or was killed: what a rank did last is
then the newest stamp of its node.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from leadline.core.errors import UserError
from leadline.explain.between_nodes import with_waits_between_nodes
from leadline.explain.ending import read_end
from leadline.explain.places import Lines, find_lines, read_lines, write_lines
from leadline.explain.recording import (
    Cost,
    Function,
    Marks,
    Peer,
    Rank,
    Recording,
    Region,
    Row,
    Site,
    Threads,
    Unfinished,
    Visits,
)

PATTERN = "*.explain"
_MAGIC = b"LLEXPL02"


def _layout(*lines: str, size: int | None = None) -> np.dtype[Any]:
    """Return the layout of a struct of the library; each line has names and their type."""
    names, formats = [], []
    for line in lines:
        *of_type, kind = line.split()
        names += of_type
        formats += [f"<{kind}"] * len(of_type)
    layout: Any = {"names": names, "formats": formats}
    if size is not None:
        layout["itemsize"] = size
    found: np.dtype[Any] = np.dtype(layout)
    return found


_HEADER = _layout(
    "magic S8",
    "header_bytes functions ranks_here ranks_total u4",
    "block_bytes functions_offset blocks_offset u8",
    "rows sites peers node u4",
    "library S128",
    "host S64",
    "also S32",
    "visits marks u4",
    "marks_offset u8",
    "regions costs mark_bytes u4",
)
_FUNCTION = _layout("name S40", "kind u1", size=48)
_BLOCK = _layout(
    "rank pid u4",
    "start_ticks end_ticks start_ns end_ns u8",
    "seconds_per_tick f8",
    "mpi_ticks waiting_ticks io_ticks other_threads_ticks u8",
    "calls lost_rows lost_sites lost_requests lost_stamps u8",
    "rows_used sites_used u4",
    "core i4",
    "state visits_used visits_halved u4",
    "first_ticks last_ticks queued_ns u8",
    "queued_known regions_used u4",
    "marks_used slice_ticks u8",
)
_CURRENT_OFFSET = 192
_CURRENT = _layout("function site u4", "since_ticks u8", size=64)
_ROWS_OFFSET = 256
_ROW = _layout(
    "function site size_class comm_ranks nodes flags u4",
    "calls bytes ticks waiting_ticks slowest_ticks late_sender_ticks late_receiver_ticks u8",
)
_SITE = _layout("text S160", "object S216", "address u8")
_PEER = _layout("messages bytes waited_ticks waited_calls u8")
_AWAITING_BYTES = 32 * 32
_VISIT = _layout(
    "group call begun_ticks ended_ticks waited_ticks u8", "row u4", "rank root i4", "shape u4"
)
_MARK = _layout("mpi_ticks waiting_ticks queued_ns throttled_us probe_ticks stolen_us u8")
_MARK_WITHOUT_SIZE = _layout("mpi_ticks waiting_ticks queued_ns throttled_us probe_ticks u8")
_REGION = _layout("site u4", "level i4", "times ticks mpi_ticks waiting_ticks io_ticks calls u8")
_THREADS = _layout("workers cores u4", "wanted_ns u8")
_COST = _layout("own_ticks u8", "one_in u4", size=16)
_VARIANCE = np.dtype("<f8")  # of each row's waiting, in ticks squared
_NO_RANK = 0xFFFFFFFF
# A rank's state: it has not ended MPI, and it was killed, as its node's watcher saw.
_RUNNING, _GONE = 1, 5
# Flags of a row: its waiting is a lower bound; of some calls it is an estimate.
AT_LEAST, ESTIMATED = 1, 2
_LARGEST_COUNT = 1 << 24


class _Node(NamedTuple):
    """A node's file, and what its ranks have in common.

    `newest` is the last stamp of all, `usual` the seconds of a tick, and `epoch` the ticks when
    the first rank began. `lines` tell more of the places of all nodes.
    """

    header: dict[str, Any]
    functions: list[Function]
    newest: int = 0
    usual: float = 0.0
    epoch: int = 0
    lines: Lines = MappingProxyType({})

    @property
    def starts(self) -> tuple[int, int, int, int]:
        """Where in a rank's block its sites, peers and visits begin, and where it ends."""
        sites = _ROWS_OFFSET + self.header["rows"] * _ROW.itemsize
        peers = sites + self.header["sites"] * _SITE.itemsize
        end = peers + self.header["peers"] * _PEER.itemsize
        visits = end + _AWAITING_BYTES
        if self.header["visits"]:
            end = visits + self.header["visits"] * _VISIT.itemsize
        if self.header["marks"]:
            end = self.threads + _THREADS.itemsize
        if self.header["costs"]:
            end = self.cost + _COST.itemsize + self.header["rows"] * _VARIANCE.itemsize
        return sites, peers, visits, end

    @property
    def regions(self) -> int:
        """Where in a rank's block its regions begin."""
        return int(self.header["marks_offset"] + self.header["marks"] * self.mark.itemsize)

    @property
    def mark(self) -> np.dtype[Any]:
        """The layout of a mark."""
        return _MARK if self.header["mark_bytes"] else _MARK_WITHOUT_SIZE

    @property
    def threads(self) -> int:
        """Where behind these it says what other threads did."""
        return int(self.regions + self.header["regions"] * _REGION.itemsize)

    @property
    def cost(self) -> int:
        """Where behind these it says what observing has cost."""
        return self.threads + _THREADS.itemsize


def has_recording(folder: Path) -> bool:
    """Tell whether files of a recording lie in the folder."""
    return folder.is_dir() and any(folder.glob(PATTERN))


def keep_lines(folder: Path) -> None:
    """Note in the recording the lines of its places, as long as the program is the one that ran."""
    with suppress(UserError):
        write_lines(folder, find_lines(_all_sites(map(_open_node, folder.glob(PATTERN)))))


def read_recording(folder: Path) -> Recording | None:
    """Return the recording in `folder`, None where no process of it began one.

    Raises `UserError` for a folder without a recording, and for files that are none or are cut.
    """
    files = sorted(folder.glob(PATTERN))
    if not files:
        raise UserError(f"{folder} holds no recording: `leadline explain -- COMMAND` makes one")
    nodes = [_open_node(file) for file in files]
    lines = read_lines(folder)
    if lines is None:
        lines = find_lines(_all_sites(nodes), before_s=min(file.stat().st_mtime for file in files))
    ranks = {
        rank.rank: rank
        for node in nodes
        for rank in _read_node(node, lines, read_end(folder, _text(node.header["host"])))
    }
    if not ranks:
        return None
    found = Recording(
        ranks=tuple(ranks[number] for number in sorted(ranks)),
        ranks_total=max(node.header["ranks_total"] for node in nodes),
        library=next((text for node in nodes if (text := _text(node.header["library"]))), ""),
        also=next((text for node in nodes if (text := _text(node.header["also"]))), ""),
        cost=_cost(nodes),
    )
    return with_waits_between_nodes(found)


def _cost(files: Iterable[_File]) -> Cost | None:
    own_s, one_in = 0.0, 1
    for file in files:
        if not file.header["costs"]:
            return None
        at = _Node(file.header, []).cost
        for block in file.blocks:
            own_ticks, most = _record(block, at, _COST).values()
            own_s += own_ticks * _record(block, 0, _BLOCK)["seconds_per_tick"]
            one_in = max(one_in, most)
    return Cost(own_s, one_in)


class _File(NamedTuple):
    """A node's file: all its bytes, its header, and its block of each rank."""

    data: Any
    header: dict[str, Any]
    blocks: list[Any]


def _open_node(path: Path) -> _File:
    data = _bytes_of(path)
    if len(data) < _HEADER.itemsize or bytes(data[:8]) != _MAGIC:
        raise UserError(
            f"{path} is no recording, or one of another version of leadline: "
            "`leadline explain -- COMMAND` makes one"
        )
    header = _record(data, 0, _HEADER)
    counts = ("functions", "ranks_here", "rows", "sites", "peers", "visits", "marks", "regions")
    size, ranks = header["block_bytes"], header["ranks_here"]
    if max(header[name] for name in counts) > _LARGEST_COUNT or size < _Node(header, []).starts[-1]:
        raise UserError(f"{path} is damaged: its header fits no recording; record it again")
    whole = max(
        header["blocks_offset"] + ranks * size,
        header["functions_offset"] + header["functions"] * _FUNCTION.itemsize,
    )
    if len(data) < whole:
        raise UserError(f"{path} is cut: it has {len(data)} of {whole} bytes; copy it again")
    first = header["blocks_offset"]
    blocks = [data[first + at * size : first + (at + 1) * size] for at in range(ranks)]
    return _File(data, header, blocks)


def _read_node(file: _File, lines: Lines, ended_ns: int | None) -> list[Rank]:
    data, header, blocks = file
    names = _table(data, header["functions_offset"], header["functions"], _FUNCTION)
    heads = [
        _record(block, 0, _BLOCK) | {"current": _record(block, _CURRENT_OFFSET, _CURRENT)}
        for block in blocks
    ]
    begun = [head["start_ticks"] for head in heads]
    seen = [max(head["end_ticks"], head["current"]["since_ticks"]) for head in heads]
    speeds = [head["seconds_per_tick"] for head in heads]
    usual = next((speed for speed in speeds if speed > 0), 0.0)
    if usual and ended_ns is not None:
        seen += [
            head["start_ticks"] + round((ended_ns - head["start_ns"]) * 1e-9 / usual)
            for head in heads
            if head["state"] == _RUNNING and 0 < head["start_ns"] < ended_ns
        ]
    node = _Node(
        header,
        [Function(_text(name), kind) for name, kind in names.tolist()],
        newest=max([*begun, *seen], default=0),
        usual=usual,
        # All ranks of a node have one clock: by ticks of one length, counted from one moment.
        epoch=min(filter(None, begun), default=0),
        lines=lines,
    )
    return [
        _rank(block, head, node)
        for block, head in zip(blocks, heads, strict=True)
        if head["rank"] != _NO_RANK and head["state"] > 0
    ]


def _sites(block: Any, used: int, node: _Node) -> list[Site]:
    sites = _table(block, node.starts[0], min(used, node.header["sites"]), _SITE)
    return [
        Site(_text(text), file := _text(path), address, node.lines.get((file, address), ""))
        for text, path, address in sites.tolist()
    ]


def _all_sites(files: Iterable[_File]) -> set[Site]:
    return {
        site
        for file in files
        for block in file.blocks
        for site in _sites(block, _record(block, 0, _BLOCK)["sites_used"], _Node(file.header, []))
    }


def _bytes_of(path: Path) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return the file's bytes, mapped: most of it was never written."""
    try:
        if path.stat().st_size == 0:
            return np.zeros(0, dtype=np.uint8)
        return np.memmap(path, dtype=np.uint8, mode="r")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from error


def _table(data: Any, begin: int, count: int, layout: np.dtype[Any]) -> Any:
    return data[begin : begin + count * layout.itemsize].view(layout)


def _record(data: Any, begin: int, layout: np.dtype[Any]) -> dict[str, Any]:
    """Return the one record of a layout that begins there, by name."""
    return _named(_table(data, begin, 1, layout)[0].tolist(), layout)


def _named(values: tuple[Any, ...], layout: np.dtype[Any]) -> dict[str, Any]:
    return dict(zip(layout.names or (), values, strict=True))


def _rank(block: Any, head: dict[str, Any], node: _Node) -> Rank:
    header, (_, peers_at, visits_at, _) = node.header, node.starts
    per_tick = head["seconds_per_tick"] or node.usual
    end = head["end_ticks"] or node.newest
    rows = _table(block, _ROWS_OFFSET, min(head["rows_used"], header["rows"]), _ROW)
    variances = _variances(block, node, len(rows))
    kept = (rows["calls"] > 0) & (rows["function"] > 0)
    kept &= rows["function"] < len(node.functions)
    places = _sites(block, head["sites_used"], node)
    visits = None
    if header["visits"]:
        there = min(head["visits_used"], header["visits"])
        numbers = np.where(kept, np.cumsum(kept) - 1, -1)
        visits = _visits(_table(block, visits_at, there, _VISIT), numbers, node)
    return Rank(
        rank=head["rank"],
        node=header["node"],
        host=_text(header["host"]),
        state=head["state"],
        seconds=max(end - head["start_ticks"], 0) * per_tick,
        mpi_s=head["mpi_ticks"] * per_tick,
        waiting_s=head["waiting_ticks"] * per_tick,
        files_s=head["io_ticks"] * per_tick,
        other_threads_s=head["other_threads_ticks"] * per_tick,
        queued_s=head["queued_ns"] * 1e-9 if head["queued_known"] else None,
        before_s=_between(head["start_ticks"], head["first_ticks"]) * per_tick,
        after_s=_between(head["last_ticks"], end) * per_tick,
        calls=head["calls"],
        rows=tuple(
            _row(_named(values, _ROW), node.functions, places, per_tick, variance)
            for values, variance in zip(rows[kept].tolist(), variances[kept].tolist(), strict=True)
        ),
        peers=_peers(_table(block, peers_at, header["peers"], _PEER), per_tick),
        lost={
            what: lost
            for what in ("rows", "sites", "requests", "stamps")
            if (lost := head[f"lost_{what}"])
        },
        unfinished=_unfinished(head, node, places, per_tick),
        visits=visits,
        marks=_marks(block, head, node, per_tick),
        regions=_regions(block, head, node, places, per_tick),
        threads=_threads(block, node),
    )


def _marks(block: Any, head: dict[str, Any], node: _Node, per_tick: float) -> Marks | None:
    """Return a rank's marks, None where it made none, and where it is just changing them."""
    used = min(head["marks_used"], node.header["marks"])
    if not used or not head["slice_ticks"]:
        return None
    table = _table(block, node.header["marks_offset"], used, node.mark)
    sums = {name: table[name].astype(float) for name in node.mark.names or ()}
    if any((np.diff(sums[name]) < 0).any() for name in ("mpi_ticks", "waiting_ticks")):
        return None
    return Marks(
        at_s=np.arange(1, used + 1) * float(head["slice_ticks"]) * per_tick,
        mpi_s=sums["mpi_ticks"] * per_tick,
        queued_s=sums["queued_ns"] * 1e-9,
        throttled_s=sums["throttled_us"] * 1e-6,
        probe_s=sums["probe_ticks"] * per_tick,
        waiting_s=sums["waiting_ticks"] * per_tick,
        stolen_s=sums["stolen_us"] * 1e-6 if "stolen_us" in sums else None,
    )


def _regions(
    block: Any, head: dict[str, Any], node: _Node, places: list[Site], per_tick: float
) -> tuple[Region, ...]:
    used = min(head["regions_used"], node.header["regions"])
    table = _table(block, node.regions, used, _REGION) if used else ()
    return tuple(
        Region(
            site=places[each["site"]] if each["site"] < len(places) else Site(),
            level=int(each["level"]),
            times=int(each["times"]),
            calls=int(each["calls"]),
            seconds=float(each["ticks"]) * per_tick,
            mpi_s=float(each["mpi_ticks"]) * per_tick,
            waiting_s=float(min(each["waiting_ticks"], each["mpi_ticks"])) * per_tick,
            files_s=float(each["io_ticks"]) * per_tick,
        )
        for each in table
        if each["times"]
    )


def _threads(block: Any, node: _Node) -> Threads | None:
    if not node.header["marks"]:
        return None
    workers, cores, wanted_ns = _record(block, node.threads, _THREADS).values()
    return Threads(workers, cores, wanted_ns * 1e-9) if workers else None


def _variances(block: Any, node: _Node, used: int) -> Any:
    """Return those of as many rows' waiting, in ticks squared."""
    if not node.header["costs"]:
        return np.zeros(used)
    return _table(block, node.cost + _COST.itemsize, used, _VARIANCE)


def _between(begin: int, end: int) -> int:
    """Return the ticks between two stamps, 0 where one was never made."""
    return max(end - begin, 0) if begin and end else 0


def _unfinished(
    head: dict[str, Any], node: _Node, places: list[Site], per_tick: float
) -> Unfinished | None:
    function = head["current"]["function"]
    if head["state"] not in (_RUNNING, _GONE) or not 0 < function < len(node.functions):
        return None
    since = max((head["end_ticks"] or node.newest) - head["current"]["since_ticks"], 0)
    at = head["current"]["site"]
    return Unfinished(
        node.functions[function],
        since * per_tick,
        places[at].where if at < len(places) else "",
    )


def _row(
    row: dict[str, Any],
    functions: list[Function],
    places: list[Site],
    per_tick: float,
    variance: float,
) -> Row:
    return Row(
        function=functions[row["function"]],
        site=places[row["site"]] if row["site"] < len(places) else Site(),
        size_class=row["size_class"],
        comm_ranks=row["comm_ranks"],
        nodes=row["nodes"],
        calls=row["calls"],
        bytes=row["bytes"],
        seconds=row["ticks"] * per_tick,
        waiting_s=min(row["waiting_ticks"], row["ticks"]) * per_tick,
        slowest_s=row["slowest_ticks"] * per_tick,
        late_sender_s=row["late_sender_ticks"] * per_tick,
        late_receiver_s=row["late_receiver_ticks"] * per_tick,
        at_least=bool(row["flags"] & AT_LEAST),
        estimated=bool(row["flags"] & ESTIMATED),
        error_s=math.sqrt(max(variance, 0.0)) * per_tick,
    )


def _visits(data: Any, numbers: Any, node: _Node) -> Visits:
    """Return a rank's visits; `numbers` has the index of each row of the file, -1 for none."""
    begun_s, ended_s = (
        (data[name].astype(np.int64) - node.epoch) * node.usual
        for name in ("begun_ticks", "ended_ticks")
    )
    return Visits(
        data["group"].astype(np.uint64),
        data["call"].astype(np.uint64),
        begun_s,
        ended_s,
        data["waited_ticks"] * node.usual,
        np.append(numbers, -1)[np.minimum(data["row"], len(numbers))],
        *(data[name].astype(np.int64) for name in ("root", "shape")),
    )


def _peers(table: Any, per_tick: float) -> dict[int, Peer]:
    there = np.flatnonzero((table["messages"] > 0) | (table["waited_ticks"] > 0))
    return {
        int(rank): Peer(messages, size, waited * per_tick, calls)
        for rank in there
        for messages, size, waited, calls in [table[rank].tolist()]
    }


def _text(value: bytes) -> str:
    return value.split(b"\0")[0].decode(errors="replace").strip()
