"""Recordings in a folder of the test, read and explained."""

import pytest
from recordings import write_node

from leadline.explain.bounds import Bounds
from leadline.explain.reading import read_recording
from leadline.explain.report import explain


@pytest.fixture
def read(tmp_path):
    """Write ranks as one node's recording and read it."""

    def make(ranks, **fields):
        write_node(tmp_path / "recording", ranks, **fields)
        return read_recording(tmp_path / "recording")

    return make


@pytest.fixture
def explained(read):
    """Explain ranks by what is given: bounds, how the program was started."""

    def make(ranks, bounds=None, **given):
        return explain(read(ranks), bounds or Bounds(), **given)

    return make
