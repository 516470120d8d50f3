"""What a page shows of calls over tasks is thin, and holds the slowest."""

import msgspec
import pytest

from leadline.output.html.charts import panels_with_data
from leadline.output.html.plots.calls import NO_OUTLIER


@pytest.fixture(scope="module")
def barrier(run, analysis, kept):
    drawn = panels_with_data(run, analysis, kept)
    (panel,) = [each for each in drawn if "calls" in each.data]
    assert panel.benchmark == "mpi/barrier"
    return panel


def test_the_slowest_call_survives_thinning(run, analysis, barrier):
    assert [row["figure"] for row in barrier.data["calls"]] == list(barrier.curves)
    for row, index in zip(barrier.data["calls"], barrier.figures, strict=True):
        lists = [row[name] for name in ("call", "maximum_us", "average_us", "rank", "cause")]
        assert {len(each) for each in lists} == {200}
        assert row["of_calls"] == 3 * 399  # a late start a launch
        assert max(row["maximum_us"]) == pytest.approx(analysis.points[index].max_s * 1e6, 0.01)
        worst = row["maximum_us"].index(max(row["maximum_us"]))
        assert row["cause"][worst] != NO_OUTLIER and NO_OUTLIER in row["cause"]
        assert all(a <= m * 1.01 for a, m in zip(row["average_us"], row["maximum_us"], strict=True))


def test_a_page_grows_by_little(barrier):
    assert len(msgspec.json.encode(barrier.data["calls"])) < 30_000


def test_without_named_neighbours_nothing_is_drawn(run, analysis, kept):
    silent = msgspec.structs.replace(
        analysis,
        jitter=tuple(msgspec.structs.replace(one, predictions=()) for one in analysis.jitter),
    )
    for panel in panels_with_data(run, silent, kept):
        assert "calls" not in panel.data
