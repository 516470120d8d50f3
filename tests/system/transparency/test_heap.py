"""malloc keeps what it would keep without leadline: libraries free buffers in large reductions."""

import pytest

pytestmark = pytest.mark.mpi

FREED = 4 << 20


@pytest.fixture(scope="module")
def kept(start):
    """Returns how many bytes a program still has of those that it freed."""

    def kept(reduced, **arguments):
        result = start(f"heap {reduced}", 2, **arguments)
        assert result.returncode == 0, result.stderr
        return int(result.stdout)

    return kept


def test_a_large_reduction_of_leadlines_counts_as_one_of_the_librarys(kept):
    assert kept(8 << 20) >= FREED


def test_malloc_is_as_it_is_without_leadline_where_nothing_large_was_reduced(kept):
    for preload in ({}, {"preload": None}):
        assert kept(1024, **preload) < FREED


@pytest.mark.parametrize(
    "variables",
    [
        {"MALLOC_TRIM_THRESHOLD_": "131072"},
        {"GLIBC_TUNABLES": "glibc.malloc.trim_threshold=131072"},
    ],
)
def test_what_the_user_says_of_memory_holds(kept, variables):
    assert kept(8 << 20, **variables) < FREED
