"""One process as the kernel shows it in /proc (proc(5)), untouched, and its connections."""

import ipaddress
import os
import re
import socket
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from leadline.check.observation import Library, Rank
from leadline.measure.knobs.inherited import SECRET_WORDS, all_prefixes
from leadline.site.hardware.files import Files, parse_cpus
from leadline.site.hardware.inventory import shared_memory
from leadline.site.hardware.processors import quota_of

_SECRET = re.compile(SECRET_WORDS, re.IGNORECASE)
# Beside what configures an MPI: what its launchers and the loader read.
_MORE_PREFIXES = ("SLURM_", "PMI", "MPI_", "LD_", "HYDRA_", "PALS_", "FLUX_TASK", "GOMP_", "KMP_")
_LIBRARY = re.compile(r"/lib[^/]*\.so[^/]*$|/mca_\w+\.so$|/[^/]*-fi\.so$")
# Files that launchers share with their ranks carry no messages.
_BOOKKEEPING = re.compile(r"pmix|hwloc|dstor|/memfd:pulse")
_NAMESPACES = ("ipc", "mnt", "net", "pid", "user", "uts")


class Ticks(NamedTuple):
    """What a thread has had until now: nanoseconds on a processor and waiting for one."""

    name: str
    core: int
    ran_ns: int
    waited_ns: int
    policy: int
    nice: int


def environment_of(files: Files, pid: int) -> dict[str, str]:
    """Return all variables with which a process began, empty where they may not be read."""
    words = (files.text(f"/proc/{pid}/environ") or "").split("\0")
    return dict(word.split("=", 1) for word in words if "=" in word)


def configuring(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that configure MPI, its networks, threads and the loader; no secrets."""
    prefixes = (*all_prefixes(), *_MORE_PREFIXES)
    return {
        name: value
        for name, value in sorted(environment.items())
        if name.startswith(prefixes) and not _SECRET.search(name)
    }


def has_mpi(files: Files, pid: int) -> bool:
    """Tell whether a process has loaded an MPI."""
    return bool(
        re.search(r"/libmpi(ch|_abi|_cray|_intel)?\.so", files.text(f"/proc/{pid}/maps") or "")
    )


def threads_of(files: Files, pid: int) -> dict[int, Ticks]:
    """Return the threads of a process by number; where and how long each ran."""
    found: dict[int, Ticks] = {}
    for name in files.names(f"/proc/{pid}/task"):
        folder = f"/proc/{pid}/task/{name}"
        stat = files.text(f"{folder}/stat") or ""
        command, bracket, rest = stat.partition("(")[2].rpartition(")")
        fields = rest.split()
        if not bracket or len(fields) < 39:
            continue
        times = [int(word) for word in (files.text(f"{folder}/schedstat") or "").split()[:2]]
        if len(times) < 2:
            # Kernels without it count ticks, and no waiting.
            times = [
                (int(fields[11]) + int(fields[12])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK"),
                0,
            ]
        found[int(name)] = Ticks(
            command, int(fields[36]), times[0], times[1], int(fields[38]), int(fields[16])
        )
    return found


def allowed(files: Files, pid: int, thread: int) -> tuple[int, ...]:
    """Return the processors that a thread may use."""
    status = files.table(f"/proc/{pid}/task/{thread}/status")
    return tuple(parse_cpus(status.get("Cpus_allowed_list", "")))


def rank_of(
    files: Files, pid: int, rank: int, environment: Mapping[str, str], parents: Iterable[str]
) -> Rank | None:
    """Return what is to be seen of a rank but its threads' times; None where it has ended."""
    maps = files.text(f"/proc/{pid}/maps")
    status = files.table(f"/proc/{pid}/status")
    if not maps or status.get("State", "Z")[:1] in ("Z", "X"):
        return None
    # Of a process that ends meanwhile at least its view of the system is known, and its program.
    views, executable = namespaces(files, str(pid)), files.link(f"/proc/{pid}/exe")
    libraries, segments, devices = _parse_maps(maps)
    shared = shared_memory(files.root / "proc" / str(pid) / "root")
    quota, quota_file = quota_of(files, str(pid))
    limit, hard = lock_limits(files, str(pid))
    words = (files.text(f"/proc/{pid}/cmdline") or "").rstrip("\0").split("\0")
    return Rank(
        rank=rank,
        pid=pid,
        program=tuple(words),
        executable=executable,
        cores=tuple(parse_cpus(status.get("Cpus_allowed_list", ""))),
        environment=configuring(environment),
        parents=tuple(parents),
        libraries=libraries,
        segments=segments,
        devices=tuple(sorted({*devices, *_open_devices(files, pid)})),
        memory_bytes=_memory(files, pid),
        swapped_bytes=int((status.get("VmSwap") or "0").split()[0]) * 1024,
        lock_limit_bytes=limit,
        lock_most_bytes=hard,
        quota_cores=quota,
        quota_file=quota_file,
        tracer=int(status.get("TracerPid") or 0),
        seccomp=int(status.get("Seccomp") or 0),
        namespaces=views,
        shared_memory_bytes=shared.size_bytes if shared else None,
        shared_memory_free_bytes=shared.free_bytes if shared else None,
        shared_memory_read_only=shared.read_only if shared else False,
    )


def lock_limits(files: Files, process: str) -> tuple[int | None, int | None]:
    """Return how many bytes a process may lock, and may allow itself to; None for no limit."""
    limits = files.text(f"/proc/{process}/limits") or ""
    found = re.search(r"^Max locked memory\s+(\w+)\s+(\w+)", limits, re.MULTILINE)
    words = found.groups() if found else ()
    soft, hard = (int(word) if word.isdigit() else None for word in words or ("", ""))
    return soft, hard


def namespaces(files: Files, process: str) -> dict[str, str]:
    """Return the kernel's names for the views of the system that a process has."""
    named = {name: files.link(f"/proc/{process}/ns/{name}") for name in _NAMESPACES}
    return {name: text for name, text in named.items() if text}


def _parse_maps(maps: str) -> tuple[tuple[Library, ...], tuple[str, ...], set[str]]:
    """Return libraries, memory that may be shared for writing, and devices."""
    libraries: dict[str, Library] = {}
    segments: dict[str, None] = {}
    devices: set[str] = set()
    for line in maps.splitlines():
        words = line.split(maxsplit=5)
        if len(words) < 6:
            continue
        path = words[5].removesuffix(" (deleted)")
        if words[1][3] == "s" and words[1][1] == "w":
            if path.startswith("/dev/") and not path.startswith(("/dev/shm/", "/dev/zero")):
                devices.add(path)
            elif not _BOOKKEEPING.search(path):
                segments.setdefault(f"{words[3]}:{words[4]}")
        elif "x" in words[1] and _LIBRARY.search(path):
            libraries.setdefault(path, Library(path=path, file=f"{words[3]}:{words[4]}"))
    return tuple(libraries.values()), tuple(segments), devices


def _open_devices(files: Files, pid: int) -> set[str]:
    folder = f"/proc/{pid}/fd"
    paths = (files.link(f"{folder}/{name}") for name in files.names(folder))
    kept = ("/dev/shm/", "/dev/pts/", "/dev/null", "/dev/tty", "/dev/zero", "/dev/urandom")
    return {path for path in paths if path.startswith("/dev/") and not path.startswith(kept)}


def _memory(files: Files, pid: int) -> dict[int, int]:
    if len(parse_cpus(files.text("/sys/devices/system/node/online") or "0")) < 2:
        return {}
    sizes: dict[int, int] = {}
    for line in (files.text(f"/proc/{pid}/numa_maps") or "").splitlines():
        if " file=" in line:
            continue
        page = re.search(r"kernelpagesize_kB=(\d+)", line)
        for node, pages in re.findall(r" N(\d+)=(\d+)", line):
            size = int(pages) * (int(page[1]) if page else 4) * 1024
            sizes[int(node)] = sizes.get(int(node), 0) + size
    return sizes


_ESTABLISHED = "01"
_SOCK_DIAG_BY_FAMILY = 20
_REQUEST_DUMP = 0x301
_DONE, _ERROR = 3, 2
_INFO = 2
_MESSAGE = struct.Struct("=IHHII")
# inet_diag_msg is 72 bytes, its inode the last 4; attributes follow.
_DIAG_BYTES, _INODE = 72, struct.Struct("=I")
_BYTES_ACKED, _BYTES = 120, struct.Struct("=QQ")


class Socket(NamedTuple):
    """An established connection: number, and both ends as address and port."""

    inode: int
    local: tuple[str, int]
    remote: tuple[str, int]


def sockets_of(files: Files, pid: int) -> list[Socket]:
    """Return the TCP connections that a process has open."""
    inodes = set(_inodes(files, pid))
    if not inodes:
        return []
    table = (each for name in ("tcp", "tcp6") for each in _table(files, f"/proc/{pid}/net/{name}"))
    return [each for each in table if each.inode in inodes]


def moved_bytes() -> dict[int, int]:
    """Return how many bytes each TCP connection has carried, both ways, by its number.

    Of the connections in leadline's own network namespace; empty where the kernel does not tell.
    """
    found: dict[int, int] = {}
    for family in (socket.AF_INET, socket.AF_INET6):
        try:
            found |= dict(_ask(family))
        except OSError:
            continue
    return found


def _inodes(files: Files, pid: int) -> Iterator[int]:
    folder = f"/proc/{pid}/fd"
    for name in files.names(folder):
        target = files.link(f"{folder}/{name}")
        if target.startswith("socket:["):
            yield int(target[8:-1])


def _table(files: Files, path: str) -> Iterator[Socket]:
    for line in (files.text(path) or "").splitlines()[1:]:
        words = line.split()
        if len(words) > 9 and words[3] == _ESTABLISHED:
            yield Socket(int(words[9]), _end(words[1]), _end(words[2]))


def _end(text: str) -> tuple[str, int]:
    """Return address and port of the kernel's hexadecimal words.

    >>> _end("0100007F:1F90"), _end("0000000000000000FFFF00000100007F:0050")
    (('127.0.0.1', 8080), ('127.0.0.1', 80))
    """
    address, _, port = text.partition(":")
    words = [int(address[at : at + 8], 16) for at in range(0, len(address), 8)]
    packed = struct.pack(f"={len(words)}I", *words)
    found = ipaddress.ip_address(packed)
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return str(mapped or found), int(port, 16)


def _ask(family: int) -> Iterator[tuple[int, int]]:
    request = struct.pack("=BBBBI48x", family, socket.IPPROTO_TCP, 1 << (_INFO - 1), 0, 1 << 1)
    header = _MESSAGE.pack(_MESSAGE.size + len(request), _SOCK_DIAG_BY_FAMILY, _REQUEST_DUMP, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) as netlink:
        netlink.settimeout(1.0)
        netlink.send(header + request)
        while True:
            answer = netlink.recv(1 << 20)
            at = 0
            while at + _MESSAGE.size <= len(answer):
                size, kind, *_ = _MESSAGE.unpack_from(answer, at)
                if kind in (_DONE, _ERROR) or size < _MESSAGE.size:
                    return
                if found := _carried(answer[at + _MESSAGE.size : at + size]):
                    yield found
                at += (size + 3) & ~3


def _carried(message: bytes) -> tuple[int, int] | None:
    (inode,) = _INODE.unpack_from(message, _DIAG_BYTES - _INODE.size)
    at = _DIAG_BYTES
    while at + 4 <= len(message):
        size, kind = struct.unpack_from("=HH", message, at)
        if kind == _INFO and size >= 4 + _BYTES_ACKED + _BYTES.size:
            return inode, sum(_BYTES.unpack_from(message, at + 4 + _BYTES_ACKED))
        if size < 4:
            return None
        at += (size + 3) & ~3
    return None
