"""Memory that a program frees is kept for it, unless the user has told malloc what to do."""

import subprocess

import pytest
from transparency import PROGRAMS

pytestmark = pytest.mark.mpi

FREED = 4 << 20


@pytest.fixture(scope="module")
def kept(start):
    """Returns how many bytes a program still has of those that it freed."""
    subprocess.run(
        [start.installation.mpicc, "-O1", PROGRAMS / "heap.c", "-o", start.folder / "heap"],
        check=True,
    )

    def kept(**arguments):
        result = start("heap", 2, **arguments)
        assert result.returncode == 0, result.stderr
        return int(result.stdout)

    return kept


def test_freed_memory_stays(kept):
    assert kept() >= FREED
    # So the runtime is what keeps it.
    assert kept(preload=None) < FREED


@pytest.mark.parametrize(
    "variables",
    [
        {"MALLOC_TRIM_THRESHOLD_": "131072"},
        {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=131072"},
        {"LEADLINE": "off"},
    ],
)
def test_what_the_user_says_of_memory_holds(kept, variables):
    assert kept(**variables) < FREED
