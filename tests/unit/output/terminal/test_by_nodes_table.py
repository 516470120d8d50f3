"""The table of calls by number of nodes, from the jitter of a made-up run."""

import pytest
from example_run import example_analysis, example_run
from more_panels import sweep_over_nodes

from leadline.core.errors import UserError
from leadline.output.terminal.tables.traffic import by_nodes


def test_each_eager_limit_has_its_nodes_below_each_other():
    run = example_run()
    table = by_nodes(run, sweep_over_nodes(example_analysis(run)))
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row.cells, strict=True)) for row in table.rows]
    assert [(row["eager_limit"], row["nodes"], row["tasks"]) for row in rows] == [
        ("32K", 1, 2), ("32K", 2, 4), ("32K", 4, 8), ("64K", 1, 2), ("64K", 2, 4), ("64K", 4, 8),
    ]  # fmt: skip
    assert [row["MAX_us"] for row in rows[:3]] == pytest.approx([2, 3, 5])
    assert rows[2]["AVG_us"] == pytest.approx(1)
    assert (rows[2]["GB/s_a_node_AVG"], rows[2]["GB/s_a_node_MAX"]) == pytest.approx((2, 0.4))
    assert {row["bytes"] for row in rows} == {4096}


def test_one_number_of_nodes_is_no_sweep():
    run = example_run()
    with pytest.raises(UserError, match="several numbers of nodes"):
        by_nodes(run, example_analysis(run))
