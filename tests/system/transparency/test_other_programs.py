"""Programs for which leadline has nothing: built with a sanitizer, of another MPI, or past it."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_here import real_installations
from programs import compiled
from transparency import CROWDED

pytestmark = pytest.mark.mpi

LEADLINE = [sys.executable, "-m", "leadline"]
HERE = Path(__file__).parent
SESSIONS = HERE.parent / "explain" / "sessions.c"


@pytest.fixture(scope="module")
def mpis():
    """The first installation of each family."""
    found = {}
    for each in real_installations():
        found.setdefault(each.family, each)
    return found


@pytest.fixture(params=["exec", "explain"])
def under(request):
    return lambda mpi, *words: run(*LEADLINE, request.param, "--mpi", mpi.name, "--", *words)


def run(*words):
    return subprocess.run(
        words, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
        env={**os.environ, **CROWDED}, check=False,
    )  # fmt: skip


def as_direct(ended, direct):
    return (ended.returncode, sorted(ended.stdout.splitlines())) == (
        direct.returncode,
        sorted(direct.stdout.splitlines()),
    )


@pytest.mark.parametrize("overflows", [0, 1])
def test_a_program_with_address_sanitizer_ends_as_without(under, mpis, tmp_path, overflows):
    mpi = next(iter(mpis.values()))
    program = compiled(mpi.mpicc, HERE / "other.c", tmp_path, "-fsanitize=address", "-g")
    command = [mpi.mpiexec, "-n", "2", program, *["overflow"] * overflows]
    direct, ended = run(*command), under(mpi, *command)
    assert as_direct(ended, direct)
    assert ("heap-buffer-overflow" in ended.stderr) == bool(overflows)
    assert "does not come first" not in ended.stderr


def test_a_program_that_looks_for_its_functions_itself(under, mpis, tmp_path):
    mpi = next(iter(mpis.values()))
    linked = compiled(mpi.mpicc, HERE / "other.c", tmp_path)
    library = run("sh", "-c", f"ldd {linked} | grep -o '/[^ ]*libmpi[^ ]*' | head -1")
    program = compiled("cc", HERE / "past.c", tmp_path, "-ldl")
    direct = run(program, library.stdout.strip())
    ended = under(mpi, program, library.stdout.strip())
    assert direct.stdout == "done\n" and as_direct(ended, direct)
    if "explain" in ended.args:
        assert "past leadline, as by dlsym" in ended.stderr


def test_a_program_of_sessions_alone_is_told_why_it_has_no_report(mpis, tmp_path):
    mpi = mpis["mpich"]
    if mpi.version.startswith("3"):
        pytest.skip(f"{mpi.name} is of MPI 3, which has no sessions")
    program = compiled(mpi.mpicc, SESSIONS, tmp_path)
    for words, lines in ((["alone"], 1), (["mixed"], 0)):
        command = [mpi.mpiexec, "-n", "2", program, *words]
        ended = run(*LEADLINE, "exec", "--mpi", mpi.name, "--report", "--", *command)
        assert ended.returncode == 0, ended.stderr
        assert ended.stderr.count("nothing to report: the program uses MPI sessions") == lines


@pytest.mark.full
@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize(("built", "for_"), [("openmpi", "mpich"), ("mpich", "openmpi")])
def test_a_program_of_another_mpi(under, mpis, tmp_path, built, for_, nested):
    if not {built, for_} <= mpis.keys():
        pytest.skip(f"no {built} and {for_} here")
    own, other = mpis[built], mpis[for_]
    program = compiled(own.mpicc, HERE / "other.c", tmp_path, **own.environment)
    command = [str(each) for each in (own.mpiexec, "-n", "2", program)]
    if nested:
        command = ["sh", "-c", shlex.join(command)]
    direct, ended = run(*command), under(other, *command)
    assert direct.returncode == 0 and as_direct(ended, direct)
    said = ended.stderr.splitlines()[-1]
    if "explain" in ended.args:
        assert said.startswith("leadline: nothing was recorded: ") and "--mpi" in said
    else:
        assert "built for" in said and "the program goes on without leadline" in said
