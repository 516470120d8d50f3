"""Outputs of other benchmarks, as they were captured."""

from pathlib import Path

import pytest


@pytest.fixture
def data():
    """Return the reader of a captured output."""
    return lambda name: (Path(__file__).parent / "data" / name).read_text()
