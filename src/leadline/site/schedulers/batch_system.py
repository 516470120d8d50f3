"""What every batch system is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from leadline.core.errors import UserError
from leadline.core.plugins import plugins_of_folders
from leadline.model.run import Outcome

_SYSTEMS = "leadline.site.schedulers"


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


class BatchSystem(Protocol):
    """A batch system. One file each, found by its `BATCH`."""

    @property
    def name(self) -> str:
        """The word that stands for it in `--batch`."""

    @property
    def list_hosts(self) -> str:
        """A shell command that prints the names of the job's nodes, in the job."""

    @property
    def bootstrap(self) -> str:
        """As in `model.hosts.Hosts`."""

    @property
    def job_variable(self) -> str:
        """The environment variable that says, in a job, which one it is."""

    @property
    def node_daemon(self) -> str:
        """The program that starts the job's processes on a node."""

    @property
    def cancel_command(self) -> str:
        """The program that people cancel a job with."""

    @property
    def version_commands(self) -> tuple[tuple[str, ...], ...]:
        """Commands that print the batch system's version, the surest first."""

    def directives(self, request: Request) -> list[str]:
        """Return the lines of a job script that ask for `request`. A pure function."""

    def excluding(self, nodes: Sequence[str]) -> tuple[str, ...]:
        """Return options that keep a job away from nodes; none where the system has no such."""

    def submit(self, script: Path) -> str:
        """Submit the script and return the job's identifier.

        Raises `UserError` that says why the job was refused.
        """

    def state(self, job: str) -> JobState | None:
        """Return where the job is, None where the system does not answer now."""

    def cancel(self, job: str) -> None:
        """End the job, wherever it is."""

    def interrupt(self, job: str) -> None:
        """Send SIGUSR1 to the job's script, which then gives up on the launch that runs."""


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
