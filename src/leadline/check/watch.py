"""Starting the user's command and looking at its ranks while it runs."""

import contextlib
import os
import platform
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import msgspec

from leadline.check import look
from leadline.check.crowding import waits_for_others
from leadline.check.look import moved_bytes, sockets_of
from leadline.check.observation import Connection, Machine, Observation, Rank, Thread
from leadline.check.ranks import Finder, Found
from leadline.core.processes import Followed, Requests, start, stop_requests
from leadline.site.doctor.system import error_of_reading_a_neighbour
from leadline.site.hardware.files import Files, parse_cpus
from leadline.site.hardware.inventory import infiniband
from leadline.site.hardware.processors import CPU, online, read_allowed, throttled_s
from leadline.site.interference.preflight import BusyLook, OtherProgram
from leadline.site.processes import TAG

_TICK_S = 0.1
# Until the ranks are there: what is started wrongly may end at once.
_FIRST_TICK_S = 0.02
_LOOK_AGAIN_S = 0.7
# A program without a known MPI is looked at all the same, once it has had time to load one.
_WITHOUT_MPI_S = 1.5
# Ranks that have found each other are done with MPI_Init; those of the wrong launcher never are.
_UNTIL_CONNECTED_S = 1.0
_KEPT_OUTPUT = 64 * 1024
_PATIENCE_S = 5.0


class Watched(Followed):
    """A running command. `seen` is what was seen of it; `wait` lets it go on, `end` ends it."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", output: "Tee", requests: Requests
    ) -> None:
        super().__init__(process, requests)
        self._output = output
        self.seen: Observation | None = None

    def wait(self) -> int:
        """Return the exit status of the command when it has ended."""
        status = super().wait()
        self._output.close()
        return status

    def end(self) -> int:
        """End the command, kindly first, and return its status."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.process.poll() is None:
                self.process.send_signal(number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(_PATIENCE_S)
        self._output.close()
        return self.process.returncode


class Tee(threading.Thread):
    """Passes on what a command writes to standard error, and keeps the last of it."""

    def __init__(self, source: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._source = source
        self._kept = bytearray()
        self.start()

    def run(self) -> None:
        """Copy until the last writer has closed its end."""
        while data := os.read(self._source.fileno(), 65536):
            with contextlib.suppress(OSError):
                os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, data)
            self._kept += data
            del self._kept[:-_KEPT_OUTPUT]

    @property
    def text(self) -> str:
        """The last of what was written."""
        return bytes(self._kept).decode(errors="replace")

    def close(self) -> None:
        """Wait for what is left; not for ever, since processes left behind may hold the pipe."""
        self.join(0.5)


@contextlib.contextmanager
def watching(
    command: Sequence[str], seconds: float, output_to_errors: bool = False
) -> Iterator[Watched]:
    """Start `command`, look at its ranks for some seconds, and give what was seen.

    The look begins with the first rank that has loaded an MPI, and ends with the command at the
    latest. Standard input and output are the command's own (`output_to_errors`: its output goes to
    standard error). Raises `UserError` where the command cannot be started.
    """
    tag = f"check-{secrets.token_hex(6)}"
    with stop_requests() as requests:
        environment = {**os.environ, TAG: tag}
        process = start(command, environment, output_to_errors, subprocess.PIPE)
        assert process.stderr
        output = Tee(process.stderr)
        watched = Watched(process, output, requests)
        try:
            watched.seen = _look(watched, tuple(command), seconds, tag, output)
            yield watched
        except BaseException:
            watched.end()
            raise


def _look(
    watched: Watched, command: tuple[str, ...], seconds: float, tag: str, output: Tee
) -> Observation:
    files = Files()
    finder = Finder(files, watched.process.pid, tag)
    sight = Sight(files)
    began = seen_first = refreshed = 0.0
    while watched.running() and not watched.interrupted:
        now = time.monotonic()
        if not began or now - refreshed > _LOOK_AGAIN_S:
            found = finder.find()
            refreshed = now
            seen_first = seen_first or (now if found else 0.0)
            sight.look(found)
            waited = now - seen_first if seen_first else 0.0
            known = any(each.has_mpi for each in found)
            ready = known and (sight.is_connected or waited > _UNTIL_CONNECTED_S)
            if not began and (ready or waited > _WITHOUT_MPI_S):
                began = now
            if began:
                sight.connect()
        sight.sample()
        if began and time.monotonic() - began >= seconds:
            break
        time.sleep(_TICK_S if began else _FIRST_TICK_S)
    if watched.running():
        sight.look(finder.find())
        sight.connect()
        sight.sample()
    elapsed = time.monotonic() - began if began else 0.0
    status = None if watched.running() else watched.process.returncode
    if status is not None:
        output.close()
    return sight.observation(command, elapsed, _machine(files), output.text, status)


@dataclass
class _Times:
    """What a thread has had at its first and its last look, and where it may be and was."""

    first: tuple[float, look.Ticks]
    last: tuple[float, look.Ticks]
    cores: tuple[int, ...] = ()
    places: set[int] = field(default_factory=set)


class Sight:
    """What has been seen until now, of each rank the latest."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._found: dict[int, Found] = {}
        self._ranks: dict[int, Rank] = {}
        # By process and thread.
        self._times: dict[int, dict[int, _Times]] = {}
        self._moved = moved_bytes()
        self._connections: dict[tuple[int, int | None, str], Connection] = {}
        self._throttled: dict[int, float] = {}
        self._programs: dict[int, str] = {}

    @property
    def is_connected(self) -> bool:
        """Whether some ranks share memory already, or the job has one only."""
        segments = [segment for rank in self._ranks.values() for segment in rank.segments]
        alone = all(found.size == 1 for found in self._found.values())
        return alone or len(set(segments)) < len(segments)

    def look(self, found: Sequence[Found]) -> None:
        """Look at the ranks as they are now; those that have ended keep what was seen."""
        for one in found:
            if self._is_what_started(one):
                continue
            rank = look.rank_of(self._files, one.pid, one.rank, one.environment, one.parents)
            if rank is None or (one.rank in self._ranks and not rank.namespaces):  # just ended
                continue
            if self._programs.get(one.pid) not in (None, rank.executable):
                # The process has become another program.
                self._times.pop(one.pid, None)
            self._programs[one.pid] = rank.executable
            stopped = throttled_s(self._files, str(one.pid))
            begun = self._throttled.setdefault(one.pid, stopped)
            self._found[one.rank] = one
            self._ranks[one.rank] = msgspec.structs.replace(
                rank, host=platform.node(), throttled_s=stopped - begun
            )

    def _is_what_started(self, one: Found) -> bool:
        seen = self._found.get(one.rank)
        return bool(seen and seen.pid != one.pid and seen.has_mpi and not one.has_mpi)

    def sample(self) -> None:
        """Note where each thread is, and what it has had."""
        for rank in self._ranks.values():
            now = time.monotonic()
            for thread, ticks in look.threads_of(self._files, rank.pid).items():
                times = self._times.setdefault(rank.pid, {})
                seen = times.setdefault(thread, _Times((now, ticks), (now, ticks)))
                seen.last = (now, ticks)
                seen.places.add(ticks.core)
                seen.cores = look.allowed(self._files, rank.pid, thread) or seen.cores

    def observation(
        self,
        command: tuple[str, ...],
        seconds: float,
        machine: Machine,
        output: str,
        status: int | None,
    ) -> Observation:
        """Return all that was seen."""
        ranks = tuple(
            msgspec.structs.replace(rank, threads=tuple(self._threads(rank.pid)))
            for _, rank in sorted(self._ranks.items())
        )
        first = next(iter(self._found.values()), None)
        seen = Observation(
            command=command,
            seconds=seconds,
            launcher=first.launcher.name if first else "",
            size=max((each.size for each in self._found.values()), default=0),
            ranks=ranks,
            connections=tuple(self._connections.values()),
            machine=msgspec.structs.replace(machine, others=_others(ranks, machine)),
            output=output,
            status=status,
        )
        return msgspec.structs.replace(
            seen, mpiexec=_matching_launcher(seen), library_folder=_folder_of_missing(seen)
        )

    def _threads(self, pid: int) -> Iterator[Thread]:
        for thread, times in sorted(self._times.get(pid, {}).items()):
            (began, first), (ended, last) = times.first, times.last
            elapsed = max(ended - began, 1e-3) * 1e9
            ran, waited = last.ran_ns - first.ran_ns, last.waited_ns - first.waited_ns
            yield Thread(
                thread=thread,
                name=last.name,
                cores=times.cores,
                seen_on=tuple(sorted(times.places)),
                wanted=round(min((ran + waited) / elapsed, 1.0), 3),
                ran=round(min(ran / elapsed, 1.0), 3),
                policy=last.policy,
                nice=last.nice,
            )

    def connect(self) -> None:
        """Note the connections of the ranks, with what each has moved since the first look."""
        open_now = {rank: sockets_of(self._files, each.pid) for rank, each in self._ranks.items()}
        ends = {(one.local, one.remote): rank for rank, all_ in open_now.items() for one in all_}
        moved = moved_bytes() if ends else {}
        totals: dict[tuple[int, int | None, str], int] = {}
        for rank, each in open_now.items():
            for one in each:
                other = ends.get((one.remote, one.local))
                if other is None and _is_here(one.local[0], one.remote[0]):
                    continue
                if other is not None and other < rank:
                    continue
                key = (rank, other, one.remote[0])
                since = moved.get(one.inode, 0) - self._moved.get(one.inode, 0)
                totals[key] = totals.get(key, 0) + since
        for (rank, other, address), since in totals.items():
            self._connections[rank, other, address] = Connection(
                rank=rank, other=other, address=address, moved_bytes=since if moved else None
            )


def _is_here(local: str, remote: str) -> bool:
    """Tell whether both ends of a connection are on this host: then it leads to a launcher."""
    return local == remote or remote.startswith("127.") or remote == "::1"


def _machine(files: Files) -> Machine:
    cpus = online(files)
    folder = "/sys/devices/system/node"
    nodes = [name for name in files.names(folder) if re.fullmatch(r"node\d+", name)]
    try:
        reading_error = error_of_reading_a_neighbour()
    except (OSError, subprocess.SubprocessError):
        reading_error = 0
    return Machine(
        host=platform.node(),
        online=tuple(cpus),
        allowed=tuple(read_allowed(files)),
        core_of={
            cpu: files.text(f"{CPU}/cpu{cpu}/topology/thread_siblings_list") or str(cpu)
            for cpu in cpus
        },
        node_of={
            cpu: int(name.removeprefix("node"))
            for name in nodes
            for cpu in parse_cpus(files.text(f"{folder}/{name}/cpulist") or "")
        },
        rdma=tuple(sorted({port["device"] for port in infiniband(files)})),
        ptrace_scope=files.number("/proc/sys/kernel/yama/ptrace_scope"),
        reading_error=reading_error,
        lock_limit_bytes=look.lock_limits(files, "self")[0],
        seccomp=int(files.table("/proc/self/status").get("Seccomp") or 0),
        namespaces=look.namespaces(files, "self"),
        is_root=os.geteuid() == 0,
    )


def _others(ranks: Sequence[Rank], machine: Machine) -> tuple[OtherProgram, ...]:
    if not waits_for_others(ranks):
        return ()
    rank_pids = {rank.pid for rank in ranks}
    return tuple(each for each in BusyLook().end() if each.pid not in rank_pids)


def _matching_launcher(seen: Observation) -> str:
    failed = not seen.ranks and seen.status
    if not (seen.apart or failed or (seen.ranks and seen.status)):
        return ""
    from leadline.site.mpi.discovery import find_installations
    from leadline.site.software.dependencies import started_mpi

    executable = seen.ranks[0].executable if seen.ranks else ""
    words = [executable] if executable and Path(executable).is_file() else seen.command[1:]
    _, name = started_mpi(words)
    there = (each for each in find_installations() if each.name == name)
    return next((each.mpiexec for each in there if each.mpiexec), "")


def _folder_of_missing(seen: Observation) -> str:
    from leadline.check.faults.library import missing_library
    from leadline.site.mpi.discovery import find_installations

    name = missing_library(seen.output)
    if not name:
        return ""
    launcher = Path(shutil.which(seen.command[0]) or seen.command[0]).resolve()
    # First the launcher's own: several may have a library of that name.
    prefixes = sorted(
        (Path(each.prefix) for each in find_installations()),
        key=lambda prefix: not launcher.is_relative_to(prefix.resolve()),
    )
    folders = (
        folder
        for prefix in prefixes
        for folder in (prefix / "lib", prefix / "lib64", *prefix.glob("lib/*-linux-gnu"))
    )
    return next((str(folder) for folder in folders if (folder / name).is_file()), "")
