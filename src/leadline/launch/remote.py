"""Ending ranks on other hosts, through the shell that the launcher itself uses."""

import shlex
import subprocess
import time
from collections.abc import Sequence

from leadline.launch.processes import TAG

_DEFAULT_SHELL = "ssh"
_LIMIT_SECONDS = 15.0

# For any POSIX shell: end what carries the mark in its environment, kindly first.
_SCRIPT = """
send() {{
  for folder in /proc/[0-9]*; do
    if tr '\\0' '\\n' 2>/dev/null <"$folder/environ" | grep -qxF {mark}; then
      kill -s "$1" "${{folder#/proc/}}" && found=yes
    fi
  done 2>/dev/null
}}
found=; send TERM; [ -z "$found" ] || {{ sleep 1; send KILL; }}; exit 0
"""


def end_remote(hosts: Sequence[str], tag: str, remote_shell: str = "") -> tuple[str, ...]:
    """End the processes of the launch `tag` on `hosts`, and return the hosts not reached.

    All hosts are asked at once; one that has not answered after 15 s counts as not reached.
    `remote_shell` is started as ssh is, with a host and a command; empty means ssh.
    """
    script = _SCRIPT.format(mark=shlex.quote(f"{TAG}={tag}"))
    shell = shlex.split(remote_shell or _DEFAULT_SHELL)
    asked = {host: _ask([*shell, host, script]) for host in hosts}
    deadline = time.monotonic() + _LIMIT_SECONDS
    return tuple(host for host, process in asked.items() if not _answered(process, deadline))


def _ask(argv: list[str]) -> subprocess.Popen[bytes] | None:
    try:
        # Without a terminal of its own, ssh cannot stop to ask for a password.
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None


def _answered(process: subprocess.Popen[bytes] | None, deadline: float) -> bool:
    if process is None:
        return False
    try:
        return process.wait(max(deadline - time.monotonic(), 0)) == 0
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
