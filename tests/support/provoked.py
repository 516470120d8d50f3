"""Launches that are looked at by `leadline check`: a program for each MPI, and what was found."""

import json
import os
import shlex
import subprocess
import sys

from checkout import TESTS

REFUSE = str(TESTS / "full/check/refuse.py")
# Four MPIs: each is the first of its family and generation on this machine.
MPIS = ("mpich-5", "mpich-4", "openmpi-4", "openmpi-5")
# On a shared machine others take the cores at any time, which is no fault of the launch.
COINCIDENCE = {"other_programs"}


class Started:
    """An MPI with the program built for it."""

    def __init__(self, installation, program):
        self.family = installation.family
        self.mpiexec = installation.mpiexec
        self.mpicc = installation.mpicc
        self.program = (str(program), "60")
        self.environment = {
            **os.environ, **installation.environment, "OMP_NUM_THREADS": "1",
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }  # fmt: skip

    def command(self, *options, before=(), wrapper=(), processes=2):
        return [*before, self.mpiexec, *options, "-n", str(processes), *wrapper, *self.program]

    def check(self, command, *leading, **variables):
        """Return what `leadline check` says of a command; `leading` are words before leadline."""
        words = [*leading, sys.executable, "-m", "leadline", "check", "--end", "--seconds", "2"]
        done = subprocess.run(
            [*words, "--json", "--", *command],
            env={**self.environment, **variables},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)


def faults(checked):
    return {each["kind"]: each for each in checked["findings"] if each["kind"] not in COINCIDENCE}


def mended(start, fix, *leading, **variables):
    """Return what is found when the fix is what one types."""
    return faults(start.check(shlex.split(fix), *leading, **variables))
