"""PBS: OpenPBS and PBS Professional, and Torque as far as it agrees with them."""

import math
import re
import shlex
from collections.abc import Iterator
from typing import Literal

from leadline.core.errors import Failure
from leadline.core.processes import ask
from leadline.model.run import Outcome
from leadline.site.schedulers.batch_system import BatchSystem, JobState, Request
from leadline.site.schedulers.job_source import seconds

_FAILURES = (
    Failure(r"Unknown queue", "`qstat -Q` lists queues; name one with --batch-option '-q NAME'"),
    Failure(
        r"(Job exceeds|Job violates) queue[^.]{0,60}|exceeds (the )?(max|limit)[^.]{0,60}",
        "ask for fewer nodes or less time (--time-limit), or name another queue",
    ),
    Failure(
        r"(Unauthorized Request|Invalid account|project)[^.]{0,60}",
        "name an account of yours with --batch-option '-A NAME'",
    ),
    Failure(r"[Cc]annot connect to server[^.]{0,60}", "the PBS server does not answer from here"),
)
# Exit statuses that PBS itself gives to jobs which it ended: over their time, and signalled.
_OVER_TIME = (-29, -11)
_SIGNALLED = (271, 265, 143, 137)


def _options(request: Request) -> Iterator[str]:
    """Yield the options for whole nodes, one chunk a node, never run again by themselves.

    >>> from pathlib import Path
    >>> BATCH.directives(Request(nodes=2, processes_per_node=4, output=Path("/runs/job.txt"),
    ...     time_limit_s=90, options=("-q short",)))  # doctest: +NORMALIZE_WHITESPACE
    ['#PBS -N leadline', '#PBS -l select=2:ncpus=4:mpiprocs=4', '#PBS -l place=scatter:excl',
     '#PBS -r n', '#PBS -V', '#PBS -j oe', '#PBS -o /runs/job.txt',
     '#PBS -l walltime=0:01:30', '#PBS -q short']
    """
    cores = request.processes_per_node
    yield "-N leadline"
    yield f"-l select={request.nodes}:ncpus={cores}:mpiprocs={cores}"
    yield from ("-l place=scatter:excl", "-r n", "-V", "-j oe")
    yield f"-o {shlex.quote(str(request.output))}"
    if request.time_limit_s:
        limit = max(1, math.ceil(request.time_limit_s))
        yield f"-l walltime={limit // 3600}:{limit // 60 % 60:02d}:{limit % 60:02d}"


def _state(job: str) -> JobState | None:
    """Return where the job is; `-x` asks for ended ones too, which Torque does not know."""
    for options in (["-x"], []):
        result = ask(["qstat", *options, "-f", job])
        if result.status == 0:
            return job_state(job, result.output)
        if "Unknown Job" in result.errors:
            message = f"job {job} ended, and PBS no longer knows how"
            return JobState(phase="ended", outcome=Outcome(state="incomplete", message=message))
    return None


def job_state(job: str, text: str) -> JobState:
    """Return the state that `qstat -f` tells.

    >>> waiting = "    job_state = Q" + chr(10) + "    comment = Not Running: no free nodes"
    >>> job_state("7.server", waiting).note
    'Not Running: no free nodes'
    >>> job_state("7.server", "    job_state = F" + chr(10) + "    Exit_status = -29").outcome
    Outcome(state='timed out', message='job 7.server reached its time limit')
    """
    # Long values go on in lines that begin with a tab.
    lines = text.replace("\n\t", "").splitlines()
    pairs = (line.partition(" = ") for line in lines)
    fields = {name.strip(): value.strip() for name, _, value in pairs}
    state = fields.get("job_state", "")
    if state in ("Q", "H", "W", "T", "S"):
        return JobState(phase="waiting", note=fields.get("comment", ""))
    if state in ("R", "E", "B"):
        nodes = re.findall(r"([^+/]+)/[^+]*", fields.get("exec_host", ""))
        phase: Literal["running", "ending"] = "ending" if state == "E" else "running"
        return JobState(phase=phase, note=",".join(dict.fromkeys(nodes)))
    return JobState(phase="ended", outcome=_outcome(job, fields))


def _outcome(job: str, fields: dict[str, str]) -> Outcome:
    status = int(fields.get("Exit_status", "0"))
    comment = fields.get("comment", "")
    used = seconds(fields.get("resources_used.walltime", ""))
    limit = seconds(fields.get("Resource_List.walltime", ""))
    over = status in _SIGNALLED and used is not None and limit is not None and used >= limit
    if status in _OVER_TIME or over:
        return Outcome(state="timed out", message=f"job {job} reached its time limit")
    if re.search(r"node.{0,40}(fail|down|lost)", comment, re.IGNORECASE):
        return Outcome(state="incomplete", message=f"job {job} lost a node ({comment})")
    if status in _SIGNALLED or "Exit_status" not in fields:
        return Outcome(state="incomplete", message=f"job {job} was cancelled")
    if status < 0:
        message = f"job {job} could not run (status {status}{f', {comment}' if comment else ''})"
        return Outcome(state="incomplete", message=message)
    return Outcome(state="complete")


BATCH = BatchSystem(
    name="pbs",
    directive="#PBS",
    options=_options,
    state=_state,
    submit_words=("qsub",),
    failures=_FAILURES,
    cancel_command="qdel",
    interrupt_words=("qsig", "-s", "SIGUSR1"),
    # PBS takes the nodes to use, not those to keep away from: there is no `exclude`.
    list_hosts="awk '!seen[$0]++' \"$PBS_NODEFILE\"",
    job_variable="PBS_JOBID",
    node_daemon="pbs_mom",
    version_commands=(("qstat", "--version"),),
)
