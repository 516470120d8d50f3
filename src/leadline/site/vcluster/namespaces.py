"""The namespaces of a cluster, and the processes that hold them or live in them.

A namespace lives as long as a process in it. So each host's are held by one that sleeps, which is
process 1 there: when it ends, the kernel ends every process of the host. Holders carry the
cluster's folder in their environment, by which they are found again however `up` ended.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from leadline.core.errors import UserError
from leadline.site.hardware.files import Files
from leadline.site.processes import environment_has
from leadline.site.vcluster.cluster import HEAD, SWITCH

_MARK = "LEADLINE_LAB_HOLDS"
_PROGRAMS = Path(__file__).with_name("programs")
_PATIENCE_S = 20.0
_POLL_S = 0.01
# What each kind of node has of its own. The head shares the machine's processes, since only from
# outside a host's processes can others enter it.
_OWN = {
    SWITCH: ("--net",),
    HEAD: ("--net", "--uts", "--mount"),
    "host": ("--net", "--uts", "--mount", "--ipc", "--pid", "--fork", "--kill-child"),
}


def mark(folder: Path) -> str:
    """Return the variable, as NAME=VALUE, of every process that makes the cluster."""
    return f"{_MARK}={folder}"


def hold(folder: Path, name: str) -> subprocess.Popen[bytes]:
    """Start the process that holds the namespaces of node `name`; `await_holder` waits for it."""
    kind = name if name in _OWN else "host"
    holder = ("sh", str(_PROGRAMS / "holder"), name, str(folder), kind)
    return start_marked(folder, name, ["unshare", *_OWN[kind], "--", *holder])


def start_marked(folder: Path, name: str, argv: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a process of the cluster that `end_all` finds, with a log of that name."""
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            argv,
            env={"PATH": os.environ.get("PATH", os.defpath), _MARK: str(folder)},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def await_holder(folder: Path, name: str, started: subprocess.Popen[bytes]) -> int:
    """Return the holder's process number, once its namespaces are ready. Raises `UserError`."""
    deadline = time.monotonic() + _PATIENCE_S
    while (pid := _read_number(folder, name)) is None:
        if started.poll() is not None or time.monotonic() > deadline:
            log = (folder / f"{name}.log").read_text(errors="replace").strip().splitlines()
            raise UserError(
                f"node {name} cannot be made: {log[-1] if log else 'no word why'}; the kernel "
                "and the container, if this is one, must allow root new namespaces and mounts"
            )
        time.sleep(_POLL_S)
    return pid


def holder(folder: Path, name: str) -> int | None:
    """Return the process number of the node's holder, or None where it is gone."""
    pid = _read_number(folder, name)
    return pid if pid is not None and _is_marked(pid, folder) else None


def end_holder(folder: Path, name: str) -> None:
    """End a node and every process on it."""
    if (pid := holder(folder, name)) is not None:
        _kill({pid})
    (folder / f"{name}.pid").unlink(missing_ok=True)


def end_all(folder: Path) -> None:
    """End every holder, whatever state `up` left them in, and every process in the cluster.

    Raises `UserError` where the kernel cannot end one, and within the cluster.
    """
    outside = {network_of(os.getpid()), network_of(1)}
    networks: set[str] = set()
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        holders = {pid for pid in _processes() if _is_marked(pid, folder)}
        networks |= {network for pid in holders if (network := network_of(pid))}
        if network_of(os.getpid()) in networks:
            raise UserError("this is a node of the cluster: give the command outside it")
        members = {pid for pid in _processes() if network_of(pid) in networks - outside}
        if not holders | members:
            return
        if time.monotonic() > deadline:
            raise UserError(f"processes {sorted(holders | members)} cannot be ended: see `ps`")
        _kill(holders | members)
        time.sleep(_POLL_S)


def guests(folder: Path) -> set[int]:
    """Return the processes on the cluster's nodes, but for those that hold them."""
    every = list(_processes())
    holders = {pid for pid in every if _is_marked(pid, folder)}
    networks = {network for pid in holders if (network := network_of(pid))}
    networks -= {network_of(os.getpid()), network_of(1)}
    return {pid for pid in every if pid not in holders and network_of(pid) in networks}


def _read_number(folder: Path, name: str) -> int | None:
    try:
        return int((folder / f"{name}.pid").read_text())
    except (OSError, ValueError):
        return None


def _is_marked(pid: int, folder: Path) -> bool:
    return environment_has(Files(), pid, mark(folder))


def network_of(pid: int) -> str:
    """Return the kernel's name for the network that a process sees; empty where it is gone."""
    return Files().link(f"/proc/{pid}/ns/net")


def _processes() -> Iterator[int]:
    yield from (int(path.name) for path in Path("/proc").glob("[0-9]*"))


def _kill(pids: set[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


_PACKAGES = {
    "ip": "iproute2",
    "tc": "iproute2",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "mount": "mount (or util-linux)",
}
_LACKS = {
    "qdisc kind is unknown": "token buckets (CONFIG_NET_SCH_TBF, module sch_tbf)",
    "Unknown device type": "virtual Ethernet devices or bridges (modules veth and bridge)",
    "Operation not supported": "virtual Ethernet devices or bridges (modules veth and bridge)",
}


def require_tools() -> None:
    """Raise `UserError` where a program or the right to use it is missing."""
    if os.geteuid() != 0:
        raise UserError("a virtual cluster needs root: give the command as root or with sudo")
    for program, package in _PACKAGES.items():
        if shutil.which(program) is None:
            raise UserError(f"the program {program} is missing: install the package {package}")


def ip(pid: int, lines: Iterable[str]) -> None:
    """Let `ip` carry out lines in the network of process `pid`. Raises `UserError`."""
    _batch(["ip", "-batch", "-"], pid, lines)


def tc(pid: int, lines: Iterable[str]) -> None:
    """Let `tc` carry out lines in the network of process `pid`. Raises `UserError`."""
    _batch(["tc", "-batch", "-"], pid, lines)


def ask(pid: int, *argv: str) -> str:
    """Return what a program says in the network of process `pid`; empty where it fails."""
    return _in_network(list(argv), pid, "").stdout


def _batch(argv: list[str], pid: int, lines: Iterable[str]) -> None:
    text = "\n".join(lines)
    done = _in_network(argv, pid, text + "\n")
    if done.returncode == 0:
        return
    messages = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
    lacking = next((lack for words, lack in _LACKS.items() if words in done.stderr), None)
    if lacking:
        raise UserError(f"this kernel has no {lacking}, which a virtual cluster needs")
    raise UserError(f"{argv[0]} failed ({' '.join(messages)}): the kernel may lack something")


def _in_network(argv: list[str], pid: int, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["nsenter", f"--net=/proc/{pid}/ns/net", "--", *argv],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
