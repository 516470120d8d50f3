"""The comparison is no part of leadline's package: it is imported from its own folder."""

import sys
from pathlib import Path

import pytest
from checkout import CHECKOUT

BENCHMARKS = CHECKOUT / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))


@pytest.fixture
def data():
    """Return the reader of a captured output."""
    return lambda name: (Path(__file__).parent / "data" / name).read_text()
