"""Which rank of a launch stands still, asked on its own host while the others wait for it."""

import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from leadline.measure.launch.reachable import asking
from leadline.model.hosts import Hosts

_LIMIT_S = 10.0
_BETWEEN_S = 2
# proc_pid_stat(5): stopped by a signal or a debugger, in a wait that no signal ends, or dead.
_STOPPED = {
    "T": "is stopped",
    "t": "is stopped by a debugger",
    "D": "waits for a device that does not answer",
    "Z": "is dead",
    "X": "is dead",
    "x": "is dead",
}
# Who stands still among ranks that move is what they wait for; if more do, all may be asleep.
_MOST = 0.25


class Glimpse(NamedTuple):
    """A process twice, a moment apart: its states, and its processor time in clock ticks."""

    states: tuple[str, str]
    ticks: tuple[int, int]


def glimpses(hosts: Hosts, pids: Mapping[str, int], job: str) -> dict[str, Glimpse | None]:
    """Return what the process of each host does, None where that is not known.

    All hosts are asked at once, as those that may be silent are. Takes 10 s at most.
    """
    command = asking(hosts, job)
    asked = {}
    for host, pid in pids.items():
        script = f"cat /proc/{pid}/stat; sleep {_BETWEEN_S}; cat /proc/{pid}/stat"
        argv = [*command(host)[:-1], "sh", "-c", f"'{script}'"]
        if hosts.bootstrap == "slurm" and not hosts.remote_shell:
            argv[-1] = script  # no shell between
        with suppress(OSError):
            asked[host] = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                text=True,
            )
    deadline = time.monotonic() + _LIMIT_S
    found: dict[str, Glimpse | None] = dict.fromkeys(pids)
    for host, process in asked.items():
        with process:
            try:
                text, _ = process.communicate(timeout=max(deadline - time.monotonic(), 0.1))
                found[host] = parse_glimpse(text)
            except subprocess.TimeoutExpired:
                process.kill()
    return found


def parse_glimpse(text: str) -> Glimpse | None:
    """Return what two lines of /proc/PID/stat say, None where there are not two."""
    # The name may hold blanks and brackets: the last bracket ends it.
    rows = [line.rpartition(")")[2].split() for line in text.splitlines()]
    if len(rows) != 2 or any(len(row) < 13 for row in rows):
        return None
    first, second = ((row[0], int(row[11]) + int(row[12])) for row in rows)
    return Glimpse((first[0], second[0]), (first[1], second[1]))


def standing_still(seen: Mapping[str, Glimpse | None]) -> dict[str, str]:
    """Return why each host's process is the one that others wait for; empty where nobody knows.

    A process that is stopped, dead or in the kernel for good is one. So is a process that uses no
    processor time while three in four of the others do.
    """
    known = {host: each for host, each in seen.items() if each is not None}
    stopped = {
        host: _STOPPED[each.states[1]]
        for host, each in known.items()
        if each.states[0] == each.states[1] and each.states[1] in _STOPPED
    }
    still = [host for host, each in known.items() if each.ticks[0] == each.ticks[1]]
    if stopped or not 0 < len(still) <= _MOST * len(known):
        return stopped
    return dict.fromkeys(still, "does nothing, while the others wait")


def hung_hosts(hosts: Hosts, pids: Sequence[int], job: str = "") -> dict[str, str]:
    """Return which hosts' processes stand still, and why; `pids` are one for each host.

    `job` is the job that holds the hosts, where it is not the one around.
    """
    return standing_still(glimpses(hosts, dict(zip(hosts.names, pids, strict=True)), job))
