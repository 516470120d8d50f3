"""What a program inherits of its process is as without leadline."""

import subprocess
import sys

import pytest
from mpi_here import real_installations

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
