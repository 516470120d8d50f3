"""Real outputs of other programs, and the figures in them."""

from pathlib import Path

import pytest

from leadline.exchange.imports.collect import import_files

DATA = Path(__file__).parent / "data"


@pytest.fixture
def imported():
    """Import a file of the test data."""

    def make(*names, **options):
        return import_files([DATA / name for name in names], **options).imported

    return make


@pytest.fixture
def pick():
    """Return the only figure of a benchmark with these attributes or axes."""

    def make(imported, benchmark, series=None, *, size=None, **wanted):
        axes = {name: value for name, value in wanted.items() if name != "processes"}
        (found,) = [
            one
            for one in imported.figures
            if one.benchmark == benchmark
            and series in (None, one.series)
            and one.bytes == size
            and wanted.get("processes", one.processes) == one.processes
            and axes.items() <= one.axes.items()
        ]
        return found

    return make
