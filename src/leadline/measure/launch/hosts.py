"""Hosts asked all at once: which answer, whose rank stands still, and what a launch left there."""

import math
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from leadline.measure.launch.explain import explain_silence
from leadline.measure.launch.processes import SEGMENTS
from leadline.model.hosts import Hosts
from leadline.site.processes import TAG

_LIMIT_S = 10.0
_DEFAULT_SHELL = "ssh"
_END_LIMIT_S = 15.0
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


class Answer(NamedTuple):
    """What the command of a host printed; None where it failed or took longer, and why it did."""

    output: str | None
    reason: str = ""


def silent_hosts(hosts: Hosts, limit_s: float = _LIMIT_S) -> dict[str, str]:
    """Return why each host that starts no command within `limit_s` seconds does not.

    All are asked at once: by the remote shell, Slurm's `srun` where Slurm handed the hosts out
    without one, else ssh. Where none of them answers, what asks may be wrong.
    """
    answers = _answers({host: [*asking(hosts)(host), "true"] for host in hosts.names}, limit_s)
    return {host: answer.reason for host, answer in answers.items() if answer.output is None}


def asking(hosts: Hosts, job: str = "") -> Callable[[str], list[str]]:
    """Return the beginning of a command for a host, which the job `job` of Slurm's may hold.

    >>> asking(Hosts(names=("n1",), bootstrap="slurm"))("n1")
    ['srun', '--overlap', '--nodes=1', '--ntasks=1', '--nodelist=n1']
    >>> asking(Hosts(names=("n1",), bootstrap="slurm"), "7")("n1")[:3]
    ['srun', '--jobid=7', '--overlap']
    """
    if hosts.bootstrap == "slurm" and not hosts.remote_shell:
        of_job = [f"--jobid={job}"] if job else []
        one = ["srun", *of_job, "--overlap", "--nodes=1", "--ntasks=1"]
        return lambda host: [*one, f"--nodelist={host}"]
    shell = shlex.split(hosts.remote_shell or "ssh -o BatchMode=yes")
    return lambda host: [*shell, host]


def _answers(commands: Mapping[str, Sequence[str]], limit_s: float) -> dict[str, Answer]:
    """Return what the command of each host prints, or why it does not."""
    answers = {}
    processes = {}
    with tempfile.TemporaryDirectory() as folder:
        # A pipe would stay open for as long as what the remote shell leaves behind, as ssh does.
        files = {host: Path(folder, str(at)) for at, host in enumerate(commands)}
        for host, argv in commands.items():
            output, errors = files[host].open("wb"), files[host].with_suffix(".errors").open("wb")
            with output, errors:
                try:
                    # Without a terminal of its own, ssh cannot stop to ask for a password.
                    processes[host] = subprocess.Popen(
                        argv,
                        stdin=subprocess.DEVNULL,
                        stdout=output,
                        stderr=errors,
                        start_new_session=True,
                    )
                except OSError as error:
                    answers[host] = Answer(None, f"{argv[0]}: {error.strerror}")
        deadline = time.monotonic() + limit_s
        for host, process in processes.items():
            try:
                status = process.wait(max(deadline - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                answers[host] = Answer(None, f"nothing came within {limit_s:g} s")
                continue
            said = files[host].with_suffix(".errors") if status else files[host]
            text = said.read_text(errors="replace")
            answers[host] = Answer(None, explain_silence(text)) if status else Answer(text)
    return {host: answers[host] for host in commands}


def end_remote(
    hosts: Sequence[str], tag: str, remote_shell: str = "", lasted_s: float = 0.0
) -> tuple[str, ...]:
    """End the processes of the launch `tag` on `hosts`, and return the hosts not reached.

    Shared memory of the launch, which lasted `lasted_s` seconds, is removed there. A host that has
    not answered after 15 s counts as not reached. `remote_shell` is started as ssh is, or ssh.
    """
    script = _SCRIPT.format(
        mark=shlex.quote(f"{TAG}={tag}"),
        minutes=math.ceil(lasted_s / 60) + 1,
        names=" -o ".join(f"-name '{pattern}'" for pattern in SEGMENTS),
    )
    shell = shlex.split(remote_shell or _DEFAULT_SHELL)
    answers = _answers({host: [*shell, host, script] for host in hosts}, _END_LIMIT_S)
    return tuple(host for host, answer in answers.items() if answer.output is None)


class Glimpse(NamedTuple):
    """A process twice, a moment apart: its states, and its processor time in clock ticks."""

    states: tuple[str, str]
    ticks: tuple[int, int]


def hung_hosts(hosts: Hosts, pids: Sequence[int], job: str = "") -> dict[str, str]:
    """Return which hosts' processes stand still, and why; `pids` are one for each host.

    `job` is the job that holds the hosts, where it is not the one around. Takes 10 s at most.
    """
    command = asking(hosts, job)
    no_shell_between = hosts.bootstrap == "slurm" and not hosts.remote_shell
    commands = {}
    for host, pid in zip(hosts.names, pids, strict=True):
        script = f"cat /proc/{pid}/stat; sleep {_BETWEEN_S}; cat /proc/{pid}/stat"
        commands[host] = [*command(host), "sh", "-c", script if no_shell_between else f"'{script}'"]
    answers = _answers(commands, _LIMIT_S)
    glimpses = {host: parse_glimpse(answer.output or "") for host, answer in answers.items()}
    return standing_still(glimpses)


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
