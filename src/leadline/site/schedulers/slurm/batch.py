"""Slurm: `sbatch`, `scontrol`, `sacct` where there is accounting, `scancel`."""

import math
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from leadline.core.errors import UserError
from leadline.core.failures import explain_first
from leadline.core.subprocesses import ask
from leadline.model.run import Outcome
from leadline.site.schedulers.batch_system import JobState, Request
from leadline.site.schedulers.slurm.failures import FAILURES

_WAITING = ("PENDING", "CONFIGURING", "REQUEUED", "SUSPENDED", "STOPPED", "RESV_DEL_HOLD")
_RUNNING = ("RUNNING", "SIGNALING", "STAGE_OUT", "RESIZING")


class Slurm:
    """Jobs of whole nodes, which are never requeued: a second try would write into the first's."""

    name = "slurm"
    list_hosts = 'scontrol show hostnames "$SLURM_JOB_NODELIST"'
    bootstrap = "slurm"
    job_variable = "SLURM_JOB_ID"
    node_daemon = "slurmstepd"
    cancel_command = "scancel"
    version_commands = (("slurmd", "-V"), ("sinfo", "--version"))

    def directives(self, request: Request) -> list[str]:
        """Return the lines that ask for `request`.

        >>> BATCH.directives(Request(nodes=2, processes_per_node=4, output=Path("/runs/job.txt"),
        ...     time_limit_s=90, options=("--partition=short",)))  # doctest: +NORMALIZE_WHITESPACE
        ['#SBATCH --job-name=leadline', '#SBATCH --nodes=2', '#SBATCH --ntasks-per-node=4',
         '#SBATCH --exclusive', '#SBATCH --no-requeue', '#SBATCH --output=/runs/job.txt',
         '#SBATCH --time=1:30', '#SBATCH --partition=short']
        """
        limit = request.time_limit_s
        options = [
            "--job-name=leadline",
            f"--nodes={request.nodes}",
            f"--ntasks-per-node={request.processes_per_node}",
            "--exclusive",
            "--no-requeue",
            f"--output={shlex.quote(str(request.output))}",
            *([f"--time={_minutes(limit)}"] if limit else []),
            *request.options,
        ]
        return [f"#SBATCH {option}" for option in options]

    def excluding(self, nodes: Sequence[str]) -> tuple[str, ...]:
        """Return the option that keeps a job away from nodes.

        >>> BATCH.excluding(["n3", "n7"])
        ('--exclude=n3,n7',)
        """
        return (f"--exclude={','.join(nodes)}",)

    def submit(self, script: Path) -> str:
        """Submit the script. Raises `UserError` that says why the job was refused."""
        said = ask(["sbatch", "--parsable", str(script)])
        if said.status:
            words = " ".join(said.errors.split())
            raise UserError(f"sbatch: {explain_first(FAILURES, words) or words}")
        # With several clusters, the cluster's name follows.
        return said.output.strip().partition(";")[0]

    def state(self, job: str) -> JobState | None:
        """Return where the job is, as the controller knows it or, later, the accounting."""
        said = ask(["scontrol", "--oneliner", "show", "job", job])
        if said.status == 0:
            return job_state(job, said.output)
        if "Invalid job id" not in said.errors:
            return None
        said = ask(["sacct", "--noheader", "--allocations", "--format=State", "--jobs", job])
        words = said.output.split()
        return job_state(job, f"JobState={words[0] if words and not said.status else 'UNKNOWN'}")

    def cancel(self, job: str) -> None:
        """End the job."""
        ask(["scancel", job])

    def interrupt(self, job: str) -> None:
        """Send SIGUSR1 to the job's script alone."""
        ask(["scancel", "--batch", "--signal=USR1", job])


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


def _minutes(seconds: float) -> str:
    whole = max(1, math.ceil(seconds))
    return f"{whole // 60}:{whole % 60:02d}"


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
    told = messages.get(state.rstrip("+"), f"ended as {state}")
    # Of a job that waited the reason is what it waited for.
    why = f" ({reason})" if reason and not state.startswith("CANCELLED") else ""
    return Outcome(state="incomplete", message=f"job {job} {told}{why}")


BATCH = Slurm()
