"""The programs that make namespaces and networks, and what they say when they cannot."""

import os
import shutil
import subprocess
from collections.abc import Iterable

from leadline.core.errors import UserError

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
    said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
    lacking = next((lack for words, lack in _LACKS.items() if words in done.stderr), None)
    if lacking:
        raise UserError(f"this kernel has no {lacking}, which a virtual cluster needs")
    raise UserError(f"{argv[0]} failed ({' '.join(said)}): the kernel may lack something")


def _in_network(argv: list[str], pid: int, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["nsenter", f"--net=/proc/{pid}/ns/net", "--", *argv],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
