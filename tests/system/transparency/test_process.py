"""What a program inherits of its process is as without leadline."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_here import environment_of, real_installations
from programs import compiled

from leadline.core import paths
from leadline.measure.build import observer_for

LEADLINE = [sys.executable, "-m", "leadline"]
# Signals, capabilities and cores; descriptors; what the kernel kills first; file modes and limits.
STATE = (
    "grep -E '^(Sig[BIC]|ShdPnd|Cap|NoNewPrivs|Seccomp|Cpus_allowed|Umask)' /proc/self/status;"
    " ls /proc/self/fd; cat /proc/self/oom_score_adj; umask; ulimit -a; ps -o ni= -p $$"
)

pytestmark = pytest.mark.mpi


@pytest.fixture(params=["exec", "explain"])
def under(request):
    """The words with which leadline starts a program."""
    return [*LEADLINE, request.param, "--mpi", real_installations()[0].name, "--"]


def state(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def test_a_program_has_the_signals_descriptors_and_limits_of_its_user(under):
    direct = state("sh", "-c", STATE)
    assert "SigIgn" in direct
    assert state(*under, "sh", "-c", STATE) == direct


def test_who_writes_to_a_closed_pipe_ends_by_its_signal(under):
    script = '"$@" | head -n 1 >&2; echo "${PIPESTATUS[0]}"'
    assert state("bash", "-c", script, "-", *under, "yes") == f"{128 + 13}\n"


def test_a_file_larger_than_the_limit_ends_a_program_by_its_signal(under, tmp_path):
    script = f'"$@" bash -c "ulimit -f 1; exec head -c 1M /dev/zero >{tmp_path}/large"; echo "$?"'
    assert state("bash", "-c", script, "-", *under) == f"{128 + 25}\n"


# What differs from one launch of an MPI to the next.
OF_THE_LAUNCH = ("PMI", "OMPI", "PRTE", "HYDI", "I_MPI_HYDRA", "MPI_LOCAL", "PWD", "OLDPWD")
USERS = {"LD_PRELOAD": "libm.so.6"}
# A site has its observer in all programs.
SITES = {"LD_PRELOAD": "{}:libm.so.6", "LEADLINE_JOBS": "/nowhere"}


@pytest.mark.parametrize(
    ("words", "users", "copied"),
    [
        (["exec"], {}, []),
        (["exec"], USERS, ["copied"]),
        (["explain"], {}, ["copied"]),
        (["explain"], SITES, []),
        (["explain", "--accelerate"], USERS, []),
    ],
)
@pytest.mark.parametrize("mpi", real_installations(), ids=lambda each: each.name)
def test_what_a_rank_starts_has_the_environment_of_the_user(mpi, words, users, copied, tmp_path):
    program = compiled(mpi.mpicc, Path(__file__).parent / "children.c", tmp_path, **mpi.environment)
    command = [mpi.mpiexec, "-n", "1", program, *copied]
    if users is SITES:
        observer = observer_for(mpi, print) / paths.RECORDING
        users = {name: value.format(observer) for name, value in users.items()}

    def environment(*under):
        ended = subprocess.run(
            [*under, *command], capture_output=True, text=True, check=True, timeout=300,
            env={**os.environ, **environment_of(mpi), **users},
        )  # fmt: skip
        variables = dict(line.split("=", 1) for line in ended.stdout.splitlines() if "=" in line)
        assert len(variables) > 2
        return {
            name: "" if name.startswith(OF_THE_LAUNCH) else value
            for name, value in variables.items()
        }

    direct = environment()
    assert environment(*LEADLINE, *words, "--mpi", mpi.name, "--") == direct
