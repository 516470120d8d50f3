"""Ending ranks on other hosts, through the shell that the launcher itself uses."""

import math
import shlex
import time
from collections.abc import Sequence

from leadline.measure.launch.leftovers import SEGMENTS
from leadline.measure.launch.reachable import answered, ask
from leadline.site.processes import TAG

_DEFAULT_SHELL = "ssh"
_LIMIT_SECONDS = 15.0

# For any POSIX shell: end what carries the mark in its environment, kindly first; then remove
# shared memory that is this user's and MPI's, newer than the launch, and used by nobody.
_SCRIPT = """
send() {{
  for folder in /proc/[0-9]*; do
    if tr '\\0' '\\n' 2>/dev/null <"$folder/environ" | grep -qxF {mark}; then
      kill -s "$1" "${{folder#/proc/}}" && found=yes
    fi
  done 2>/dev/null
}}
found=; send TERM; [ -z "$found" ] || {{ sleep 1; send KILL; }}
find /dev/shm -maxdepth 1 -type f -user "$(id -u)" -mmin -{minutes} \\( {names} \\) |
  while read -r segment; do
    grep -qsF "$segment" /proc/[0-9]*/maps || ls -l /proc/[0-9]*/fd | grep -qF "$segment" ||
      rm -f "$segment"
  done 2>/dev/null
exit 0
"""


def end_remote(
    hosts: Sequence[str], tag: str, remote_shell: str = "", lasted_s: float = 0.0
) -> tuple[str, ...]:
    """End the processes of the launch `tag` on `hosts`, and return the hosts not reached.

    Shared memory that it left there is removed: it is not older than the `lasted_s` seconds of the
    launch.

    All hosts are asked at once; one that has not answered after 15 s counts as not reached.
    `remote_shell` is started as ssh is, with a host and a command; empty means ssh.
    """
    script = _SCRIPT.format(
        mark=shlex.quote(f"{TAG}={tag}"),
        minutes=math.ceil(lasted_s / 60) + 1,
        names=" -o ".join(f"-name '{pattern}'" for pattern in SEGMENTS),
    )
    shell = shlex.split(remote_shell or _DEFAULT_SHELL)
    asked = {host: ask([*shell, host, script]) for host in hosts}
    deadline = time.monotonic() + _LIMIT_SECONDS
    return tuple(host for host, process in asked.items() if not answered(process, deadline))
