"""What the processes of ranks do, as the kernel shows it in /proc, without touching them."""

import os
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from leadline.check import look
from leadline.site.hardware.files import Files
from leadline.site.processes import ProcessStat, descendants, processes
from leadline.stuck.job import Process

# Numbers of the two architectures on which clusters run (linux/arch/*/entry/syscalls).
_X86 = {
    0: "read", 1: "write", 7: "poll", 19: "readv", 20: "writev", 23: "select", 34: "pause",
    35: "nanosleep", 42: "connect", 43: "accept", 45: "recvfrom", 47: "recvmsg", 61: "wait4",
    72: "fcntl", 73: "flock", 74: "fsync", 75: "fdatasync", 202: "futex", 230: "clock_nanosleep",
    232: "epoll_wait", 247: "waitid", 257: "openat", 270: "pselect6", 271: "ppoll", 288: "accept4",
    281: "epoll_pwait", 299: "recvmmsg", 17: "pread64", 18: "pwrite64", 130: "rt_sigsuspend",
    219: "restart_syscall",
}  # fmt: skip
_ARM = {
    63: "read", 64: "write", 73: "ppoll", 65: "readv", 66: "writev", 72: "pselect6",
    101: "nanosleep", 203: "connect", 202: "accept", 207: "recvfrom", 212: "recvmsg", 260: "wait4",
    25: "fcntl", 32: "flock", 82: "fsync", 83: "fdatasync", 98: "futex", 115: "clock_nanosleep",
    22: "epoll_pwait", 95: "waitid", 56: "openat", 67: "pread64", 68: "pwrite64",
    128: "restart_syscall",
}  # fmt: skip
_NUMBERS = {"x86_64": _X86, "aarch64": _ARM}
READING = ("read", "readv", "recvfrom", "recvmsg", "recvmmsg", "accept", "accept4")
# Calls other than sleeps that go on as restart_syscall once their process was stopped.
_RESTARTED = ("futex", "poll")
_SLEEPS, _CHILD = "sleeps", "waits for a child process"
_LIMITED = "waits for a lock or an event for a limited time"
# Which argument limits how long a call waits: a pointer to a time, or milliseconds where 2^31 and
# more are none. Threads of MPI wait for events with limits of minutes.
_TIMES = {"futex": 4, "ppoll": 3, "select": 5, "pselect6": 5}
_MILLISECONDS = {"poll": 3, "epoll_wait": 4, "epoll_pwait": 4}
_LONGEST_MS = 60_000
# Calls in which a thread waits for whatever comes first, such as the end of a child.
_EVENTS = {*_TIMES, *_MILLISECONDS} - {"futex"}
_MEANING = {
    "futex": "waits for a lock or a thread",
    "nanosleep": _SLEEPS,
    "clock_nanosleep": _SLEEPS,
    "pause": "waits for a signal",
    "rt_sigsuspend": "waits for a signal",
    "wait4": _CHILD,
    "waitid": _CHILD,
    "flock": "waits for a lock on a file",
    "fcntl": "waits for a lock on a file",
    "fsync": "writes to a file system",
    "fdatasync": "writes to a file system",
    "openat": "opens a file",
    "connect": "waits for a connection",
}
# MPI's own threads wait for events, and may be seen at work for a moment: that is one look.
_LEAST_AT_WORK = 2


def name_of(number: int, machine: str = "") -> str:
    """Return the name of a system call, its number where it is none of those that wait.

    >>> name_of(202, "x86_64"), name_of(98, "aarch64"), name_of(9999, "x86_64")
    ('futex', 'futex', 'system call 9999')
    """
    known = _NUMBERS.get(machine or platform.machine(), {})
    return known.get(number, f"system call {number}")


def is_limited(name: str, words: Sequence[str]) -> bool:
    """Tell whether a call that waits ends by itself, from its number and arguments in hexadecimal.

    >>> is_limited("futex", "202 0x7f0 0x109 0x2 0x0".split())
    False
    >>> is_limited("futex", "202 0x7f0 0x89 0x0 0x7ffc0".split())
    True
    >>> is_limited("poll", "7 0x7f0 0x1 0xffffffff".split())
    False
    """
    at = _TIMES.get(name) or _MILLISECONDS.get(name)
    if at is None or len(words) <= at:
        return False
    value = int(words[at], 16)
    return value != 0 if name in _TIMES else value & 0xFFFFFFFF <= _LONGEST_MS


def meaning(name: str) -> str:
    """Return what a process in a system call does, as the end of a sentence about it."""
    return f"{_MEANING[name]} ({name})" if name in _MEANING else f"is in {name}"


@dataclass
class _Looks:
    """What was seen of a process: its states, where it waited, times of its first and last look.

    A time goes with the nanoseconds for which its threads had run until then, and with how often
    the first one had gone to sleep. `at_work` counts the looks in which the first thread slept and
    another did something that ends by itself, or had woken since the look before. `sleeps` is how
    often each thread had gone to sleep.
    """

    first: tuple[float, int, int]
    last: tuple[float, int, int] = (0.0, 0, 0)
    states: set[str] = field(default_factory=set)
    waits: set[tuple[str, str]] = field(default_factory=set)
    tracer: int = 0
    threads: int = 0
    at_work: int = 0
    sleeps: dict[int, int] = field(default_factory=dict)


class _Pipes:
    """Who holds pipes in one look; the table of all processes is read where a rank reads one."""

    def __init__(self, files: Files, ranks: Iterable[int]) -> None:
        self._files, self._ranks = files, {*ranks}

    @cached_property
    def _table(self) -> dict[int, ProcessStat]:
        return {process.pid: process for process in processes(self._files)}

    def are_of_child(self, pid: int, pipe: str) -> bool:
        """Tell whether what a process started may write to a pipe, and no other rank may.

        Who is at the other end of a socket is not told: any child may be.
        """
        below = self.below(pid)
        if pipe.startswith("socket:"):
            return bool(below)
        others = self._ranks - {pid}
        return self._any_writes(below, pipe) and not self._any_writes(others, pipe)

    def below(self, pid: int) -> set[int]:
        """Return the processes that a process started, and that run."""
        below = descendants(self._table, [pid]) - {pid, *self._ranks}
        return {each for each in below if not self._table[each].ended}

    def _any_writes(self, pids: Iterable[int], pipe: str) -> bool:
        return any(
            self._writes(pid, number)
            for pid in pids
            for number in self._files.names(f"/proc/{pid}/fd")
            if self._files.link(f"/proc/{pid}/fd/{number}") == pipe
        )

    def _writes(self, pid: int, number: str) -> bool:
        flags = self._files.table(f"/proc/{pid}/fdinfo/{number}").get("flags", "0")
        return bool(int(flags, 8) & (os.O_WRONLY | os.O_RDWR))


class Processes:
    """Looks at processes again and again, and says what each did from the first look on."""

    def __init__(self, files: Files, clock: Callable[[], float] = time.monotonic) -> None:
        self._files, self._clock = files, clock
        self._looks: dict[int, _Looks] = {}

    def look(self, pids: Iterable[int]) -> None:
        """Note what these processes do now."""
        pids = list(pids)
        pipes = _Pipes(self._files, pids)
        for pid in pids:
            status = self._files.table(f"/proc/{pid}/status")
            threads = look.threads_of(self._files, pid)
            ran_ns = sum(each.ran_ns for each in threads.values())
            now = (self._clock(), ran_ns, self._sleeps(f"/proc/{pid}"))
            looks = self._looks.setdefault(pid, _Looks(now))
            looks.last, looks.threads = now, len(threads)
            looks.states.add(status.get("State", "")[:1])
            looks.waits.add(self._waiting(pid, pid, pipes))
            others = [thread for thread in threads if thread != pid]
            sleeps = {thread: self._sleeps(f"/proc/{pid}/task/{thread}") for thread in others}
            if status.get("State", "").startswith("S"):
                woken = any(
                    looks.sleeps.get(each, count) != count for each, count in sleeps.items()
                )
                looks.at_work += woken or any(self._is_at_work(pid, each, pipes) for each in others)
            looks.sleeps = sleeps
            looks.tracer = int(status.get("TracerPid", "0") or 0)

    def seen(self, pid: int) -> Process:
        """Return what a process did during the looks."""
        if pid not in self._looks:
            return Process(pid=pid, state="", threads=0)
        looks = self._looks[pid]
        (began, before, slept), (ended, after, sleeps) = looks.first, looks.last
        state = next(iter(looks.states)) if len(looks.states) == 1 else "?"
        if looks.states & {"", "Z", "X"}:
            state = "Z" if "Z" in looks.states else ""
        waited, reads = next(iter(looks.waits)) if len(looks.waits) == 1 else ("", "")
        return Process(
            pid=pid,
            state=state,
            busy=max(after - before, 0) / max(ended - began, 1e-3) / 1e9,
            waits=waited,
            reads=reads,
            tracer=looks.tracer,
            threads=looks.threads,
            wakes=sleeps - slept,
            thread_works=looks.at_work >= _LEAST_AT_WORK,
        )

    def _sleeps(self, folder: str) -> int:
        """Return how often a thread has gone to sleep."""
        return int(self._files.table(f"{folder}/status").get("voluntary_ctxt_switches", "0") or 0)

    def _is_at_work(self, pid: int, thread: int, pipes: _Pipes) -> bool:
        """Tell whether a thread runs, or waits for what ends by itself."""
        stat = self._files.text(f"/proc/{pid}/task/{thread}/stat") or ""
        if stat.rpartition(")")[2].split()[:1] in (["R"], ["D"]):
            return True
        waits = self._waiting(pid, thread, pipes)[0]
        if waits.startswith((_SLEEPS, _CHILD, _LIMITED)):
            return True
        return waits.removeprefix("is in ") in _EVENTS and bool(pipes.below(pid))

    def _waiting(self, pid: int, thread: int, pipes: _Pipes) -> tuple[str, str]:
        """Return where a thread waits, and from what it reads; its own child is no input."""
        folder = f"/proc/{pid}/task/{thread}"
        words = (self._files.text(f"{folder}/syscall") or "").split()
        place = self._files.text(f"{folder}/wchan") or ""
        if words and words[0].lstrip("-").isdigit() and int(words[0]) >= 0:
            name = name_of(int(words[0]))
            if name == "restart_syscall":
                # It went on after a debugger looked: a sleep where the place tells no other.
                name = next((each for each in _RESTARTED if each in place), "clock_nanosleep")
            if is_limited(name, words):
                return f"{_LIMITED} ({name} with a limit)", ""
            if name not in READING or len(words) < 2:
                return meaning(name), ""
            number = int(words[1], 16)
            target = self._files.link(f"/proc/{pid}/fd/{number}")
            connects = target.startswith("pipe:") or (number and target.startswith("socket:"))
            if connects and pipes.are_of_child(pid, target):
                return f"{_CHILD} ({name})", ""
            return meaning(name), _source(number, target)
        return (f"is in the kernel's {place}" if place not in ("", "0") else ""), ""


def _source(number: int, target: str) -> str:
    """Return from what a process reads; empty where it is a plain file."""
    if number == 0:
        return f"its standard input ({target})" if target else "its standard input"
    kinds = ("pipe:", "socket:", "/dev/pts/", "/dev/tty")
    return f"file {number} ({target})" if target.startswith(kinds) else ""
