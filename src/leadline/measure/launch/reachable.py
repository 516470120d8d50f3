"""Which hosts answer."""

import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from leadline.model.hosts import Hosts

_LIMIT_S = 10.0


def silent_hosts(hosts: Hosts, limit_s: float = _LIMIT_S) -> tuple[str, ...]:
    """Return those that do not start a command within `limit_s` seconds; all are asked at once.

    The remote shell asks, Slurm's `srun` where Slurm handed the hosts out without one, else ssh.
    Nothing is known, and none returned, where none of them answers: what asks may be wrong.
    """
    command = asking(hosts)
    asked = {host: ask(command(host)) for host in hosts.names}
    deadline = time.monotonic() + limit_s
    silent = tuple(host for host, process in asked.items() if not answered(process, deadline))
    return () if len(silent) == len(asked) else silent


def asking(hosts: Hosts, job: str = "") -> Callable[[str], list[str]]:
    """Return the command that asks a host, which a job of Slurm's holds that is not the one around.

    >>> asking(Hosts(names=("n1",), bootstrap="slurm"))("n1")
    ['srun', '--overlap', '--nodes=1', '--ntasks=1', '--nodelist=n1', 'true']
    >>> asking(Hosts(names=("n1",), bootstrap="slurm"), "7")("n1")[:3]
    ['srun', '--jobid=7', '--overlap']
    """
    if hosts.bootstrap == "slurm" and not hosts.remote_shell:
        of_job = [f"--jobid={job}"] if job else []
        one = ["srun", *of_job, "--overlap", "--nodes=1", "--ntasks=1"]
        return lambda host: [*one, f"--nodelist={host}", "true"]
    shell = shlex.split(hosts.remote_shell or "ssh -o BatchMode=yes")
    return lambda host: [*shell, host, "true"]


def ask(argv: Sequence[str]) -> "subprocess.Popen[bytes] | None":
    """Start a command that asks a host something; None where there is no such command."""
    with suppress(OSError):
        # Without a terminal of its own, ssh cannot stop to ask for a password.
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    return None


def answered(process: "subprocess.Popen[bytes] | None", deadline: float) -> bool:
    """Wait for the answer until `deadline` on the monotonic clock, and tell whether it came."""
    if process is None:
        return False
    try:
        return process.wait(max(deadline - time.monotonic(), 0)) == 0
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
