"""Launches that `leadline check` looks at: a program for each MPI, and what is found in them."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from leadline.core.errors import UserError
from leadline.model.installation import Installation
from leadline.site.mpi.discovery import find_installations

PROGRAMS = Path(__file__).parent / "programs"
REFUSE = str(PROGRAMS / "refuse.py")
# Each is the first of its family and generation on this machine.
MPIS = ("mpich-5", "mpich-4", "openmpi-4", "openmpi-5")
# On a shared machine others take the cores at any time, which is no fault of the launch.
COINCIDENCE = {"other_programs"}
LOOK_S = 2
_PATIENCE_S = 600
_PROGRAM_S = 60

Findings = dict[str, dict[str, Any]]


class Launch(NamedTuple):
    """A command, the words before leadline's own that it inherits, and its variables."""

    command: Sequence[str]
    leading: Sequence[str] = ()
    variables: Mapping[str, str] = {}

    def typed(self, fix: str) -> "Launch":
        """Return the launch in which the command is what a fix says."""
        return self._replace(command=tuple(shlex.split(fix)))


class Started:
    """An MPI with the program built for it. `program` exchanges messages for a minute."""

    def __init__(self, installation: Installation, program: Sequence[str]) -> None:
        assert installation.mpiexec
        self.prefix = Path(installation.prefix)
        self.label = label_of(installation)
        self.family = installation.family
        self.mpiexec = installation.mpiexec
        self.program = tuple(program)
        self.environment = {
            **os.environ, **installation.environment, "OMP_NUM_THREADS": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }  # fmt: skip

    def command(
        self,
        *options: str,
        before: Sequence[str] = (),
        wrapper: Sequence[str] = (),
        processes: int = 2,
    ) -> tuple[str, ...]:
        """Return a command with words before its launcher and before its program."""
        number = ("-n", str(processes))
        return (*before, self.mpiexec, *options, *number, *wrapper, *self.program)

    def check(self, launch: Launch) -> dict[str, Any]:
        """Return what `leadline check` says. Raises `UserError` where it says nothing."""
        leadline = (sys.executable, "-m", "leadline", "check", "--end", "--seconds", str(LOOK_S))
        words = [*launch.leading, *leadline, "--json", "--", *launch.command]
        try:
            done = subprocess.run(
                words,
                env={**self.environment, **launch.variables},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_PATIENCE_S,
                check=False,
            )
            said: dict[str, Any] = json.loads(done.stdout)
        except subprocess.TimeoutExpired:
            raise UserError(f"no answer within {_PATIENCE_S} s: {shlex.join(words)}") from None
        except ValueError:
            last = (done.stderr.strip().splitlines() or ["no word"])[-1]
            raise UserError(f"{shlex.join(words)}: status {done.returncode}, {last}") from None
        return said

    def faults(self, launch: Launch) -> Findings:
        """Return what is wrong with a launch, by kind."""
        return by_kind(self.check(launch))


def by_kind(said: Mapping[str, Any]) -> Findings:
    """Return the findings of an answer by their kinds, without what others do to the machine."""
    return {each["kind"]: each for each in said["findings"] if each["kind"] not in COINCIDENCE}


def label_of(installation: Installation) -> str:
    """Return family and generation of an MPI: `openmpi-5`."""
    return f"{installation.family}-{installation.version.partition('.')[0]}"


def installations(labels: Sequence[str]) -> dict[str, Installation]:
    """Return the MPIs of these labels that are here and can build and start programs in C."""
    found: dict[str, Installation] = {}
    for each in find_installations():
        label = label_of(each)
        if label in labels and label not in found and each.mpicc and each.mpiexec:
            found[label] = each
    return {label: found[label] for label in labels if label in found}


def built(installation: Installation, folder: Path) -> Started:
    """Return an MPI with its program. Raises `UserError` where that does not build."""
    program = folder / f"exchange-{label_of(installation)}"
    words = [str(installation.mpicc), "-O1", "-fopenmp", str(PROGRAMS / "exchange.c")]
    done = subprocess.run(
        [*words, "-o", str(program)],
        env={**os.environ, **installation.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise UserError(f"exchange.c does not build with {installation.name}: {last}")
    return Started(installation, (str(program), str(_PROGRAM_S)))
