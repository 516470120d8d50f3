"""The table of bandwidths, from made-up figures."""

import msgspec
import pytest
from launched import figure

from leadline.core.errors import UserError
from leadline.model.plan import Plan
from leadline.model.run import Outcome, Run
from leadline.model.summary import Analysis
from leadline.output.terminal.table import lines
from leadline.output.terminal.tables.traffic import bandwidth

RUN = Run(
    run="the-run", leadline="1", plan=Plan(entries=()), started="",
    outcome=Outcome(state="complete"), machine={}, benchmarks=[],
)  # fmt: skip


def sweep(way, processes=1, **changes):
    """Return a figure of 96 bytes moved by each process in 4 ns."""
    point = figure([4e-9], size=64, axes={"bytes": 64, "way": way}, settings={"cache": "warm"})
    return msgspec.structs.replace(
        point, processes=processes, processes_per_node=processes,
        bandwidth_MBps=processes * 24000.0, **changes,
    )  # fmt: skip


def test_bandwidths_are_of_all_processes_of_each_and_with_what_caches_fetch():
    allocating = sweep("store", processes=2, metrics={"write_allocate_bytes": 64.0})
    sheet = bandwidth(RUN, Analysis(points=(allocating, sweep("read")), sweeps=()))
    read, store = (row.cells for row in sheet.rows)
    assert read[2:] == ("1x1", "way=read", 64, pytest.approx(0.004), 24.0, 24.0, None)
    assert store[2:] == (
        "1x2", "way=store", 64, pytest.approx(0.004), 48.0, 24.0, pytest.approx(64.0),
    )  # fmt: skip
    assert "cache=warm" in sheet.notes[0]
    assert lines(sheet)


def test_wrong_data_are_marked_and_a_run_without_bandwidth_is_refused():
    wrong = sweep("store", verified=False)
    (row,) = bandwidth(RUN, Analysis(points=(wrong,), sweeps=())).rows
    assert row.cells[3].endswith("NOT VERIFIED")
    with pytest.raises(UserError, match="the table bandwidth takes a run whose operations move"):
        none = msgspec.structs.replace(wrong, bandwidth_MBps=None)
        bandwidth(RUN, Analysis(points=(none,), sweeps=()))
