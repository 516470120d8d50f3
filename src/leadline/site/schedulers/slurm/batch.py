"""Slurm: `sbatch`, `scontrol`, `sacct` where there is accounting, `scancel`."""

import math
import re
import shlex
from collections.abc import Iterator

from leadline.core.errors import CRASHED, ENDED, Failure
from leadline.core.processes import ask
from leadline.model.run import Outcome
from leadline.site.schedulers.batch_system import BatchSystem, JobState, Request

FAILURES = (
    Failure(
        r"[Ii]nvalid partition (name )?specified(: \S+)?",
        "`sinfo` lists the partitions; name one with --batch-option --partition=NAME",
    ),
    Failure(
        r"Invalid account or account/partition combination specified",
        "name an account of yours with --batch-option --account=NAME (`sacctmgr show assoc`)",
    ),
    Failure(r"Invalid qos specification", "name another with --batch-option --qos=NAME"),
    Failure(
        r"Requested time limit is invalid( \(missing or exceeds some limit\))?",
        "give a --time-limit that `sinfo` (column TIMELIMIT) allows",
    ),
    Failure(
        r"DUE TO TIME LIMIT|Job \S+ has exceeded its time limit[^.]*",
        "the job's time was over: measure less or give a longer --time-limit",
    ),
    Failure(
        r"DUE TO NODE FAILURE|Node failure on \S+",
        "a node went away (`sinfo -R` says why): measure again without it",
    ),
    Failure(
        r"DUE TO (JOB )?PREEMPTION",
        "a job of higher priority took the nodes: measure again, or ask for another partition",
    ),
    Failure(
        r"Invalid node name specified|Requested node configuration is not available"
        r"|Node count specification invalid",
        "there is no such node, or no partition has as many with as many cores: see `sinfo`",
    ),
    Failure(
        r"More processors requested than permitted|Only allocated \d+ nodes asked for \d+",
        "the job has fewer cores or nodes than this placement wants: ask for more with `salloc`, "
        "take fewer processes, or add --oversubscribe",
    ),
    Failure(
        r"Job violates accounting/QOS policy[^.]{0,80}",
        "it asks for more nodes, time or jobs than you may have: ask for less",
    ),
    Failure(
        r"Invalid MPI type '\w+'|cannot find mpi plugin for mpi/\w+|MPI: Unable to load any plugin",
        "this Slurm lacks the plugin that the MPI needs (`srun --mpi=list`): leave out --launcher",
    ),
    Failure(
        r"execve\(\): \S+: [^:]{1,40}(?= \w+: error|$)",
        "the program is missing on that node: LEADLINE_HOME must be on a shared file system",
    ),
    Failure(
        r"Detected \d+ oom[-_]kill event[^.]{0,40}|Out Of Memory",
        "the ranks used more memory than the job may: take smaller sizes, or ask for more with "
        "--batch-option --mem=0",
    ),
    Failure(
        r"Unable to contact slurm controller[^:]{0,40}|Unable to process configuration file"
        r"|Could not establish a configuration source",
        "Slurm's controller does not answer from here: see `scontrol ping`",
    ),
    Failure(
        r"\S+: tasks? [\d,-]+: (Segmentation fault|Aborted|Bus error|Illegal instruction)\w*",
        CRASHED,
    ),
    Failure(
        r"\S+: tasks? [\d,-]+: Killed",
        "somebody killed a rank, or the kernel did for want of memory",
    ),
    Failure(r"\S+: tasks? [\d,-]+: Exited with exit code \d+", ENDED),
)


_WAITING = ("PENDING", "CONFIGURING", "REQUEUED", "SUSPENDED", "STOPPED", "RESV_DEL_HOLD")
_RUNNING = ("RUNNING", "SIGNALING", "STAGE_OUT", "RESIZING")


def _options(request: Request) -> Iterator[str]:
    """Yield the options for whole nodes, never requeued: a second try would write into the first's.

    >>> from pathlib import Path
    >>> BATCH.directives(Request(nodes=2, processes_per_node=4, output=Path("/runs/job.txt"),
    ...     time_limit_s=90, options=("--partition=short",)))  # doctest: +NORMALIZE_WHITESPACE
    ['#SBATCH --job-name=leadline', '#SBATCH --nodes=2', '#SBATCH --ntasks-per-node=4',
     '#SBATCH --exclusive', '#SBATCH --no-requeue', '#SBATCH --output=/runs/job.txt',
     '#SBATCH --time=1:30', '#SBATCH --partition=short']
    >>> BATCH.excluding(["n3", "n7"])
    ('--exclude=n3,n7',)
    """
    yield "--job-name=leadline"
    yield f"--nodes={request.nodes}"
    yield f"--ntasks-per-node={request.processes_per_node}"
    yield from ("--exclusive", "--no-requeue")
    yield f"--output={shlex.quote(str(request.output))}"
    if request.time_limit_s:
        limit = max(1, math.ceil(request.time_limit_s))
        yield f"--time={limit // 60}:{limit % 60:02d}"


def _state(job: str) -> JobState | None:
    """Return where the job is, as the controller knows it or, later, the accounting."""
    result = ask(["scontrol", "--oneliner", "show", "job", job])
    if result.status == 0:
        return job_state(job, result.output)
    if "Invalid job id" not in result.errors:
        return None
    result = ask(["sacct", "--noheader", "--allocations", "--format=State", "--jobs", job])
    words = result.output.split()
    return job_state(job, f"JobState={words[0] if words and not result.status else 'UNKNOWN'}")


def job_state(job: str, text: str) -> JobState:
    """Return the state that a line of `scontrol show job` tells.

    >>> job_state("7", "JobId=7 JobState=PENDING Reason=Priority Dependency=(null)")
    JobState(phase='waiting', note='Priority', outcome=Outcome(state='complete', message=''))
    >>> job_state("7", "JobState=TIMEOUT Reason=TimeLimit").outcome
    Outcome(state='timed out', message='job 7 reached its time limit')
    """
    state = _field(text, "JobState")
    reason = _field(text, "Reason")
    nodes = _field(text, "NodeList")
    if state in _WAITING:
        return JobState(phase="waiting", note=reason)
    if state in _RUNNING:
        return JobState(phase="running", note=nodes)
    if state == "COMPLETING":
        return JobState(phase="ending", note=nodes)
    return JobState(phase="ended", note=nodes, outcome=_outcome(job, state, reason))


def _field(text: str, name: str) -> str:
    found = re.search(rf"(?:^|\s){name}=(\S+)", text)
    return found[1] if found and found[1] not in ("None", "(null)") else ""


def _outcome(job: str, state: str, reason: str) -> Outcome:
    if state in ("COMPLETED", "FAILED"):
        # The script came to its end, whatever its own exit status.
        return Outcome(state="complete")
    if state in ("TIMEOUT", "DEADLINE"):
        return Outcome(state="timed out", message=f"job {job} reached its time limit")
    messages = {
        "CANCELLED": "was cancelled",
        "NODE_FAIL": "lost a node",
        "BOOT_FAIL": "lost a node, which did not start",
        "PREEMPTED": "was preempted by another",
        "REVOKED": "was taken by another cluster",
        "OUT_OF_MEMORY": "used more memory than it may",
        "UNKNOWN": "ended, and Slurm no longer knows how",
    }
    # sacct adds who: CANCELLED by 1000, or cuts long words: CANCELLED+.
    ending = messages.get(state.rstrip("+"), f"ended as {state}")
    # Of a job that waited the reason is what it waited for.
    why = f" ({reason})" if reason and not state.startswith("CANCELLED") else ""
    return Outcome(state="incomplete", message=f"job {job} {ending}{why}")


BATCH = BatchSystem(
    name="slurm",
    directive="#SBATCH",
    options=_options,
    state=_state,
    submit_words=("sbatch", "--parsable"),
    failures=FAILURES,
    cancel_command="scancel",
    interrupt_words=("scancel", "--batch", "--signal=USR1"),
    exclude="--exclude={}",
    list_hosts='scontrol show hostnames "$SLURM_JOB_NODELIST"',
    bootstrap="slurm",
    job_variable="SLURM_JOB_ID",
    node_daemon="slurmstepd",
    version_commands=(("slurmd", "-V"), ("sinfo", "--version")),
)
