"""The table of published results, from made-up figures."""

import msgspec
import pytest

from leadline.core.errors import UserError
from leadline.model.plan import Plan
from leadline.model.published import Held
from leadline.model.run import Outcome, Run
from leadline.model.summary import Analysis
from leadline.output.terminal.table import lines
from leadline.output.terminal.tables.publications import published

RUN = Run(
    run="the-run", leadline="1", plan=Plan(entries=()), started="",
    outcome=Outcome(state="complete"), machine={}, benchmarks=[],
)  # fmt: skip
HELD = Held(
    claim=0, text="order saves", source="a paper", quantity="saving", at={"bytes": "64K"},
    low=0.07, high=0.32, found=0.25, deviation=0.0, why="known",
)  # fmt: skip


def test_a_result_is_as_published_more_less_or_not_there():
    rows = (
        HELD,
        msgspec.structs.replace(HELD, found=0.42, deviation=0.10),
        msgspec.structs.replace(HELD, found=0.0, deviation=-0.07),
        msgspec.structs.replace(HELD, found=None, deviation=None),
        msgspec.structs.replace(
            HELD, claim=1, quantity="slowdown", low=5.0, high=5.0, found=4.0, deviation=-1.0
        ),
    )
    sheet = published(RUN, Analysis(points=(), sweeps=(), published=rows))
    assert [row.cells[2:] for row in sheet.rows] == [
        ("7 % to 32 %", "25 %", "as published"),
        ("7 % to 32 %", "42 %", "more by 10 points"),
        ("7 % to 32 %", "0 %", "less by 7 points"),
        ("7 % to 32 %", "not measured", ""),
        ("5", "4", "less by 20 %"),
    ]
    assert "order saves" in sheet.notes[0] and "known" in sheet.notes[1]
    assert lines(sheet)


def test_a_run_without_claims_is_refused():
    with pytest.raises(UserError, match="the table published takes a run of a plan"):
        published(RUN, Analysis(points=(), sweeps=()))
