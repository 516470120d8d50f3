"""System calls in which processes wait, in words."""

import platform

# Numbers of the two architectures on which clusters run (linux/arch/*/entry/syscalls).
_X86 = {
    0: "read", 1: "write", 7: "poll", 19: "readv", 20: "writev", 23: "select", 34: "pause",
    35: "nanosleep", 42: "connect", 43: "accept", 45: "recvfrom", 47: "recvmsg", 61: "wait4",
    72: "fcntl", 73: "flock", 74: "fsync", 75: "fdatasync", 202: "futex", 230: "clock_nanosleep",
    232: "epoll_wait", 247: "waitid", 257: "openat", 270: "pselect6", 271: "ppoll", 288: "accept4",
    281: "epoll_pwait", 299: "recvmmsg", 17: "pread64", 18: "pwrite64", 130: "rt_sigsuspend",
}  # fmt: skip
_ARM = {
    63: "read", 64: "write", 73: "ppoll", 65: "readv", 66: "writev", 72: "pselect6",
    101: "nanosleep", 203: "connect", 202: "accept", 207: "recvfrom", 212: "recvmsg", 260: "wait4",
    25: "fcntl", 32: "flock", 82: "fsync", 83: "fdatasync", 98: "futex", 115: "clock_nanosleep",
    22: "epoll_pwait", 95: "waitid", 56: "openat", 67: "pread64", 68: "pwrite64",
}  # fmt: skip
_NUMBERS = {"x86_64": _X86, "aarch64": _ARM}
READING = ("read", "readv", "recvfrom", "recvmsg", "recvmmsg", "accept", "accept4")
_MEANING = {
    "futex": "waits for a lock or a thread",
    "nanosleep": "sleeps",
    "clock_nanosleep": "sleeps",
    "pause": "waits for a signal",
    "rt_sigsuspend": "waits for a signal",
    "wait4": "waits for a child process",
    "waitid": "waits for a child process",
    "flock": "waits for a lock on a file",
    "fcntl": "waits for a lock on a file",
    "fsync": "writes to a file system",
    "fdatasync": "writes to a file system",
    "openat": "opens a file",
    "connect": "waits for a connection",
}


def name_of(number: int, machine: str = "") -> str:
    """Return the name of a system call, its number where it is none of those that wait.

    >>> name_of(202, "x86_64"), name_of(98, "aarch64"), name_of(9999, "x86_64")
    ('futex', 'futex', 'system call 9999')
    """
    known = _NUMBERS.get(machine or platform.machine(), {})
    return known.get(number, f"system call {number}")


def meaning(name: str) -> str:
    """Return what a process in a system call does, as the end of a sentence about it."""
    return f"{_MEANING.get(name, 'is')} ({name})" if name in _MEANING else f"is in {name}"
