"""Recordings of where ranks are, written as the library under `leadline explain` writes them, and a
/proc that goes with them.
"""

import platform
import struct

import msgspec
from recordings import NAMES, node_head

from leadline.site.hardware.files import Files
from leadline.stuck.current import SITE
from leadline.stuck.report import report
from leadline.stuck.watch import watch

WORLD, UNKNOWN = 0, 2**64 - 1
_ROWS, _SITES, _PEERS = 8, 4, 4
_SITES_AT = 256 + 80 * _ROWS
_PEERS_AT = _SITES_AT + SITE.size * _SITES
_AWAITING_AT = _PEERS_AT + 32 * _PEERS
BLOCK = _AWAITING_AT + 32 * 32
# A tick that is no nanosecond, so that nobody takes one for the other.
_TICK_S = 0.5e-9
_CODES = {"S": "202", "R": "running"}


class At(msgspec.Struct, kw_only=True):
    """Where a rank is, and what its process does; as long as `for_s` with `calls` before."""

    call: str = ""
    for_s: float = 30.0
    calls: int = 1000
    ran_s: float = 5.0
    # Where it has called nothing yet, no call tells since when it is there.
    has_called: bool = True
    # Of these in MPI.
    mpi_s: float = 0.0
    state: int = 1
    comm: int = WORLD
    number: int = 7
    peer: int = -2
    tag: int = -1
    root: int = -2
    bytes: int = 8
    place: str = "solve"
    # Requests: peer, tag, what (1 sends, 2 receives, 4 is a collective, 8 has begun, 16 `number`
    # counts the messages that the sender had sent).
    awaiting: list[tuple[int, int, int]] = []
    # Messages that it has sent to each rank.
    sent: int = 0
    # Rows: function and bytes, with how often.
    called: dict[tuple[str, int], int] = {}
    process: str = "R"
    syscall: str = ""
    # How often its first thread, and each other one, wakes up between two looks.
    wakes: int = 0
    threads_wake: int = 0
    # Of a running process: how much of the time it has a processor.
    share: float = 1.0
    # Files that it has open to read, and those that a child of a child of it may write to, or read.
    fds: dict[int, str] = {}
    writes: dict[int, str] = {}
    child_writes: dict[int, str] = {}
    child_reads: dict[int, str] = {}
    # State and system call of its other threads, and ` in PLACE` of the kernel.
    threads: list[tuple[str, str]] = []
    tracer: int = 0


class Recorded:
    """A job that is looked at: `ranks` may be changed between two looks.

    `node` is the number of their node, `first` that of the first of them.
    """

    def __init__(self, folder, ranks, host=None, size=None, stacks=None, node=0, first=0):
        self.folder = folder / "recording"
        self.node, self.first = node, first
        self.folder.mkdir()
        self.root = folder / "root"
        self.ranks = ranks
        self.host = host or platform.node()
        self.size = size or len(ranks)
        self.stacks = stacks or {}
        self.now = self.born = 1000.0
        self.ran_ns = dict.fromkeys(range(len(ranks)), 10**9)
        self.slept = dict.fromkeys(range(len(ranks)), 7)
        self.threads_slept = dict.fromkeys(range(len(ranks)), 7)
        self.write()

    def pid(self, rank):
        return 4000 + rank

    def write(self):
        """Write the recording and the processes as the ranks are now."""
        rooms = (_ROWS, _SITES, _PEERS)
        head = node_head(len(self.ranks), self.size, BLOCK, rooms, self.node, host=self.host)
        blocks = (self._block(rank, at) for rank, at in enumerate(self.ranks))
        (self.folder / f"node-{self.node}.explain").write_bytes(head + b"".join(blocks))
        for rank, at in enumerate(self.ranks):
            self._process(rank, at)

    def look(self, *changes):
        """Return what is found when each change is made between two of the looks."""
        left = list(changes)

        def sleep(duration):
            if left:
                left.pop(0)()
            for rank, at in enumerate(self.ranks):
                self.slept[rank] += at.wakes
                self.threads_slept[rank] += at.threads_wake
                if at.process == "R":
                    self.ran_ns[rank] += int(duration * 1e9 * at.share)
            self.write()
            self.now += duration

        def ask(pids, python):
            asked = list(pids)
            return {pid: stack for pid, stack in self.stacks.items() if pid in asked}

        return watch(
            str(self.folder), Files(self.root), sleep=sleep, ask=ask, clock=lambda: self.now
        )

    def answer(self, *changes):
        return report(self.look(*changes))

    def _block(self, rank, at):
        start_ns = int((self.born - at.for_s - at.ran_s) * 1e9)
        start = 5_000_000
        since = start + int(at.ran_s / _TICK_S) if at.has_called else 0
        rows = list(at.called.items())
        number = 0xFFFFFFFF if at.state == 0 else self.first + rank
        head = struct.pack(
            "<2I4Qd5Q4Q2IiI", number, self.pid(rank), start, 0, start_ns, 0, _TICK_S,
            int(at.mpi_s / _TICK_S), 0, 0, 0, at.calls, 0, 0, 0, 0, len(rows), 1, 0, at.state,
        )  # fmt: skip
        current = struct.pack(
            "<IIQQQiiiIQ", NAMES.index(at.call), 1, since, at.comm, at.number, at.peer, at.tag,
            at.root, len(at.awaiting), at.bytes,
        )  # fmt: skip
        data = head.ljust(192, b"\0") + current.ljust(64, b"\0")
        for (function, size), count in rows:
            data += struct.pack(
                "<6I7Q", NAMES.index(function), 1, size.bit_length(), len(self.ranks), 1, 0,
                count, size * count, 0, 0, 0, 0, 0,
            )  # fmt: skip
        data = data.ljust(_SITES_AT, b"\0") + bytes(SITE.size) + at.place.encode()
        data = data.ljust(_PEERS_AT, b"\0") + struct.pack("<Q24x", at.sent) * _PEERS
        for peer, tag, what in at.awaiting:
            data += struct.pack("<iiI4xQQ", peer, tag, what, at.comm, at.number)
        return data.ljust(BLOCK, b"\0")

    def _process(self, rank, at):
        folder = self.root / "proc" / str(self.pid(rank))
        if not at.process:
            if folder.exists():
                (folder / "status").unlink()
            return
        task = folder / "task" / str(self.pid(rank))
        task.mkdir(parents=True, exist_ok=True)
        _open(folder, at.fds, at.writes)
        if at.child_writes or at.child_reads:
            self._descend(rank, at)
        (folder / "status").write_text(
            f"Name:\ta\nState:\t{at.process} (x)\nTracerPid:\t{at.tracer}\n"
            f"voluntary_ctxt_switches:\t{self.slept[rank]}\n"
        )
        environment = {"LEADLINE_EXPLAIN": str(self.folder), "PMI_RANK": str(rank),
                       "PMI_SIZE": str(self.size)}  # fmt: skip
        (folder / "environ").write_text("".join(f"{k}={v}\0" for k, v in environment.items()))
        stat = f"{self.pid(rank)} (a) {at.process} 1 1 1 " + "0 " * 46
        (folder / "stat").write_text(stat)
        (task / "stat").write_text(stat)
        for each in (folder, task):
            (each / "syscall").write_text(at.syscall or _CODES.get(at.process, "running"))
        (task / "schedstat").write_text(f"{self.ran_ns[rank]} 0 1")
        for thread, (state, syscall) in enumerate(at.threads, 7000):
            task = folder / "task" / str(thread)
            task.mkdir(exist_ok=True)
            (task / "stat").write_text(stat.replace(f" {at.process} ", f" {state} ", 1))
            number, _, place = syscall.partition(" in ")
            (task / "syscall").write_text(number)
            (task / "wchan").write_text(place)
            (task / "schedstat").write_text("1 0 1")
            (task / "status").write_text(f"voluntary_ctxt_switches:\t{self.threads_slept[rank]}\n")

    def _descend(self, rank, at):
        """Write a shell that a rank has started, and what that has started."""
        shell, child = 5000 + rank, 6000 + rank
        for pid, parent in ((shell, self.pid(rank)), (child, shell)):
            folder = self.root / "proc" / str(pid)
            folder.mkdir(exist_ok=True)
            (folder / "stat").write_text(f"{pid} (sh) S {parent} 1 1 " + "0 " * 46)
        _open(folder, at.child_reads, at.child_writes)


def _open(process, reads, writes):
    """Write the files that a process has open."""
    for name in ("fd", "fdinfo"):
        (process / name).mkdir(exist_ok=True)
    for targets, flags in ((reads, "0100000"), (writes, "0100001")):
        for number, target in targets.items():
            link = process / "fd" / str(number)
            if not link.is_symlink():
                link.symlink_to(target)
            (process / "fdinfo" / str(number)).write_text(f"pos:\t0\nflags:\t{flags}\n")
