"""Recordings as the preloaded library writes them, made of declared times.

The bytes are written here by the contract of the files, and not by the reader's own types.
"""

import struct
from pathlib import Path

KINDS = {
    "": 0, "MPI_Barrier": 1, "MPI_Allreduce": 1, "MPI_Allgather": 1, "MPI_Alltoall": 1,
    "MPI_Alltoallw": 1, "MPI_Bcast": 2, "MPI_Scatter": 2, "MPI_Reduce": 3, "MPI_Gather": 3,
    "MPI_Scan": 4, "MPI_Send": 5, "MPI_Ssend": 5, "MPI_Recv": 6, "MPI_Probe": 6,
    "MPI_Sendrecv": 7, "MPI_Isend": 8, "MPI_Irecv": 8, "MPI_Iallreduce": 8, "MPI_Start": 8,
    "MPI_Wait": 9, "MPI_Waitall": 9, "MPI_Test": 10, "MPI_Iprobe": 10, "MPI_Put": 11,
    "MPI_Win_fence": 12, "MPI_Win_lock": 12, "MPI_File_write": 13, "MPI_File_write_all": 13,
    "MPI_Init": 14, "MPI_Finalize": 14, "MPI_Comm_split": 14, "MPI_Error_string": 15,
    "shmem_init": 14, "shmem_calloc": 14, "shmem_barrier_all": 1, "shmem_double_sum_to_all": 1,
    "shmem_putmem": 11, "shmem_long_wait_until": 16, "shmem_long_test": 10,
}  # fmt: skip
NAMES = list(KINDS)
PER_SECOND = 2_000_000_000
RUNNING, FINALISED, EXITED, ABORTED = 1, 2, 3, 4
ROWS, SITES = 16, 8


def ticks(seconds):
    return round(seconds * PER_SECOND)


def row(call, *, calls=1, size=0, seconds=0.0, waiting=0.0, site=1, ranks=2, nodes=1, flags=0,
        late_sender=0.0, late_receiver=0.0):  # fmt: skip
    """Return a row: `calls` of `size` bytes each, that took `seconds` together."""
    return struct.pack(
        "<6I7Q",
        NAMES.index(call), site, size.bit_length(), ranks, nodes, flags,
        calls, calls * size, ticks(seconds), ticks(waiting), ticks(seconds / calls),
        ticks(late_sender), ticks(late_receiver),
    )  # fmt: skip


def rank(number, *, seconds=10.0, mpi=0.0, waiting=0.0, files=0.0, rows=(), waited=None, sent=None,
         state=FINALISED, current=None, lost=(0, 0, 0, 0), other_threads=0.0,
         sites=("", "main", "solve"), begin=1000.0, first=0.0, last=0.0,
         queued=None):  # fmt: skip
    """Return what is known of a rank.

    MPI had begun after `first` seconds, and its end was called after `last`; 0: not known.

    `waited` and `sent` are by rank: seconds and calls, messages and bytes. `current` is a call, and
    the second in which it was entered, counted from the beginning.
    """
    return {
        "number": number, "seconds": seconds, "mpi": mpi, "waiting": waiting, "files": files,
        "rows": rows, "waited": waited or {}, "sent": sent or {}, "state": state,
        "current": current, "lost": lost, "other_threads": other_threads, "sites": sites,
        "begin": begin, "first": first, "last": last, "queued": queued,
    }  # fmt: skip


def _block(one, size, peers):
    begin = ticks(one["begin"])
    ended = one["state"] != RUNNING
    end = begin + ticks(one["seconds"]) if ended else 0
    nanoseconds = round(one["begin"] * 1e9)
    head = struct.pack(
        "<2I4Qd9Q2IiI2I3QI",
        one["number"], 4000 + one["number"], begin, end,
        nanoseconds, nanoseconds + round(one["seconds"] * 1e9) if ended else 0, 1 / PER_SECOND,
        ticks(one["mpi"]), ticks(one["waiting"]), ticks(one["files"]), ticks(one["other_threads"]),
        sum(struct.unpack_from("<Q", each, 24)[0] for each in one["rows"]), *one["lost"],
        len(one["rows"]), len(one["sites"]), one["number"], one["state"], 0, 0,
        *(begin + ticks(one[when]) if one[when] else 0 for when in ("first", "last")),
        round(1e9 * (one["queued"] or 0)), one["queued"] is not None,
    )  # fmt: skip
    call, entered = one["current"] or ("", one["seconds"])
    current = struct.pack(
        "<2I3Q3iIQ", NAMES.index(call), 1, begin + ticks(entered), 0, 7, -2, 0, -2, 0, 8
    )
    rows = b"".join(one["rows"]).ljust(80 * ROWS, b"\0")
    sites = b"".join(
        struct.pack("<160s216sQ", text.encode(), b"app", 0x1000) for text in one["sites"]
    ).ljust(384 * SITES, b"\0")
    table = b"".join(
        struct.pack(
            "<4Q", *one["sent"].get(peer, (0, 0)),
            ticks(one["waited"].get(peer, (0.0, 0))[0]), one["waited"].get(peer, (0.0, 0))[1],
        )
        for peer in range(peers)
    )  # fmt: skip
    block = head.ljust(192, b"\0") + current.ljust(64, b"\0") + rows + sites + table
    assert len(block) <= size
    return block.ljust(size, b"\0")


def node_head(blocks, total, size, rooms, node=0, library="MPICH Version: 4.0.2", host="", also=""):
    """Return a node's file up to its first block: `blocks` of `size`, with rooms for tables."""
    blocks_at = 4096 + -(-48 * len(NAMES) // 4096) * 4096
    header = struct.pack(
        "<8s4I3Q4I128s64s32s",
        b"LLEXPL02", 4096, len(NAMES), blocks, total, size, 4096, blocks_at, *rooms, node,
        library.encode(), host.encode(), also.encode(),
    )  # fmt: skip
    names = b"".join(struct.pack("<40sB7x", name.encode(), KINDS[name]) for name in NAMES)
    return header.ljust(4096, b"\0") + names.ljust(blocks_at - 4096, b"\0")


def with_marks(path, marks, slice_s, *, tells_size):
    """Give the only rank of a node's file `marks` of whole numbers, one each `slice_s`."""
    data = path.read_bytes()
    size, _, begin = struct.unpack_from("<3Q", data, 24)
    whole = struct.pack(
        f"<{len(marks) * len(marks[0])}Q", *(each for mark in marks for each in mark)
    )
    bytes_of_each = 8 * len(marks[0])
    block = bytearray(data[begin:] + whole + bytes(16))
    struct.pack_into("<2Q", block, 176, len(marks), ticks(slice_s))
    head = bytearray(data[:begin])
    struct.pack_into("<Q", head, 24, len(block))
    struct.pack_into("<2IQ3I", head, 288, 0, len(marks), size, 0, 0, bytes_of_each * tells_size)
    path.write_bytes(head + block)


def write_node(folder, ranks, *, node=0, total=None, library="MPICH Version: 9.9.9", host="node7",
               unused=0, also=""):  # fmt: skip
    """Write `node-K.explain` into the folder and return its path; `unused` blocks have no rank."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    peers = total if total is not None else len(ranks)
    size = -(-(256 + 80 * ROWS + 384 * SITES + 32 * peers) // 4096) * 4096
    head = node_head(
        len(ranks) + unused, peers, size, (ROWS, SITES, peers), node, library, host, also
    )
    empty = struct.pack("<I", 0xFFFFFFFF).ljust(size, b"\0")
    path = folder / f"node-{node}.explain"
    path.write_bytes(head + b"".join(_block(one, size, peers) for one in ranks) + empty * unused)
    return path


def late_rank(late=3, size=4, seconds=10.0, delay=2.0, calls=1000):
    """Return ranks of which one computes longer, so that all others wait for it in Allreduce."""
    own = 0.5
    return [
        rank(
            each,
            seconds=seconds,
            mpi=own + (0.0 if each == late else delay),
            waiting=0.0 if each == late else delay,
            rows=[
                row("MPI_Allreduce", calls=calls, size=8, ranks=size,
                    seconds=own + (0.0 if each == late else delay),
                    waiting=0.0 if each == late else delay)
            ],
            waited={} if each == late else {late: (delay, calls)},
        )
        for each in range(size)
    ]  # fmt: skip


def uneven_turns(
    size=4, seconds=10.0, delay=1.5, calls=900, queued=None, call="MPI_Barrier"
):  # fmt: skip
    """Return ranks of which another one is late each time: all compute and wait alike."""
    return [
        rank(
            each,
            seconds=seconds,
            mpi=delay,
            waiting=delay,
            rows=[row(call, calls=calls, ranks=size, seconds=delay, waiting=delay)],
            waited={
                other: (delay / (size - 1), calls // (size - 1))
                for other in range(size)
                if other != each
            },
            queued=queued,
        )
        for each in range(size)
    ]


def late_in_turn(whom, late=2, seconds=10.0, delay=2.0, calls=25, call="MPI_Recv"):
    """Return ranks of which one computes longer and each other one waits for that of `whom`."""
    return [
        rank(
            each,
            seconds=seconds,
            mpi=0.0 if each == late else delay,
            waiting=0.0 if each == late else delay,
            rows=[] if each == late else [row(call, calls=calls, seconds=delay, waiting=delay)],
            waited={} if each == late else {other: (delay, calls)},
        )
        for each, other in enumerate(whom)
    ]


def turns(size=4, seconds=10.0):
    """Return ranks that compute one after the other: each waits for the last one, that for all."""
    share = seconds / size
    return uneven_turns(size, seconds, seconds - share, call="MPI_Recv")
