"""The table of pairs that talk at once, from shares that are known."""

import pytest
from example_run import example_analysis, example_run
from more_panels import pairs_on_places

from leadline.core.errors import UserError
from leadline.output.terminal.tables.traffic import pairs


def test_the_least_and_the_most_favoured_pair_stand_beside_the_fair_share():
    run = example_run()
    table = pairs(run, pairs_on_places(example_analysis(run)))
    columns = [column.name for column in table.columns]
    assert columns[:3] == ["bytes", "place", "pairs"]
    last = dict(zip(columns[:7], table.rows[-1].cells, strict=False))
    assert [row.cells[1] for row in table.rows] == ["1x2", "2x1", "4x1"]
    assert table.rows[0].cells[6:12] == (None,) * 6
    assert last["pairs"] == 2
    assert (last["total_MB/s"], last["each_MB/s"], last["fair_%"]) == pytest.approx((12, 6, 50))
    assert table.rows[-1].cells[6:12] == (
        pytest.approx(100 / 3), "30.0 - 36.7", "0-1", pytest.approx(200 / 3), "60.0 - 73.3", "2-3",
    )  # fmt: skip


def test_a_run_without_pairs_is_refused():
    run = example_run()
    with pytest.raises(UserError, match="several pairs"):
        pairs(run, example_analysis(run))
