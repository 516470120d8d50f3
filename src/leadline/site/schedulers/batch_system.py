"""What every batch system is."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from leadline.core.errors import Failure, UserError, explain_first
from leadline.core.plugins import plugins_of_folders
from leadline.core.processes import ask
from leadline.model.run import Outcome

_SYSTEMS = "leadline.site.schedulers"

# How batch systems, those without a folder too, number jobs in the environment of processes.
JOB_VARIABLES = (
    "SLURM_JOB_ID", "SLURM_JOBID", "PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID", "JOB_ID", "OAR_JOB_ID",
)  # fmt: skip


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a job asks for: whole nodes, `processes_per_node` cores on each, and some time.

    `output` is the file for what the job script itself prints; `options` are added as the user
    wrote them.
    """

    nodes: int
    processes_per_node: int
    output: Path
    time_limit_s: float | None = None
    options: tuple[str, ...] = ()


class JobState(msgspec.Struct, frozen=True, kw_only=True):
    """Where a job is.

    `note` says why it waits, or on which nodes it runs, where that is known. While a job is
    `ending` its outcome is not known yet; `outcome` is what an ended job means to the launch that
    it cut, `complete` where the job script came to its end.
    """

    phase: Literal["waiting", "running", "ending", "ended"]
    note: str = ""
    outcome: Outcome = Outcome(state="complete")


class BatchSystem(NamedTuple):
    """A batch system. One file each, found by its `BATCH`.

    `name` is the word that stands for it in `--batch`. `directive` begins the lines of a job script
    that ask for something, and `options` says what they ask for, a pure function. `state` tells
    where a job is, None where the system does not answer now. `submit_words` submit a script whose
    name follows; `failures` explain a refusal. `cancel_command` and `interrupt_words` end a job,
    and send SIGUSR1 to its script, which then gives up on the launch that runs. `exclude` is an
    option that keeps a job away from nodes, `{}`, empty where the system has no such.

    `list_hosts` is a shell command that prints the names of the job's nodes, in the job.
    `bootstrap` is as in `model.hosts.Hosts`. `job_variable` says, in a job, which one it is.
    `node_daemon` is the program that starts the job's processes on a node. `version_commands` print
    the system's version, the surest first.
    """

    name: str
    directive: str
    options: Callable[[Request], Iterable[str]]
    state: Callable[[str], JobState | None]
    submit_words: tuple[str, ...]
    failures: tuple[Failure, ...]
    cancel_command: str
    interrupt_words: tuple[str, ...]
    list_hosts: str
    job_variable: str
    node_daemon: str
    version_commands: tuple[tuple[str, ...], ...]
    bootstrap: str = ""
    exclude: str = ""

    def directives(self, request: Request) -> list[str]:
        """Return the lines of a job script that ask for `request`."""
        options = (*self.options(request), *request.options)
        return [f"{self.directive} {option}" for option in options]

    def excluding(self, nodes: Sequence[str]) -> tuple[str, ...]:
        """Return options that keep a job away from nodes; none where the system has no such."""
        return (self.exclude.format(",".join(nodes)),) if self.exclude else ()

    def submit(self, script: Path) -> str:
        """Submit the script and return the job's identifier.

        Raises `UserError` that says why the job was refused.
        """
        result = ask([*self.submit_words, str(script)])
        if result.status:
            words = " ".join(result.errors.split())
            reason = explain_first(self.failures, words) or words
            raise UserError(f"{self.submit_words[0]}: {reason}")
        # Slurm adds the name of one of several clusters.
        return result.output.strip().partition(";")[0]

    def cancel(self, job: str) -> None:
        """End the job, wherever it is."""
        ask([self.cancel_command, job])

    def interrupt(self, job: str) -> None:
        """Send SIGUSR1 to the job's script."""
        ask([*self.interrupt_words, job])


def batch_systems() -> list[BatchSystem]:
    """Return every batch system, in the order of their files' names."""
    return plugins_of_folders(_SYSTEMS, "batch", "BATCH")


def batch_system(name: str) -> BatchSystem:
    """Return the batch system called `name`. Raises `UserError` where there is none."""
    for system in batch_systems():
        if system.name == name:
            return system
    known = ", ".join(system.name for system in batch_systems())
    raise UserError(f"no batch system {name!r}: there is {known}")
