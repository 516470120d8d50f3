"""Pairs of ranks, numbers of processes, generations of machines and comparisons as panels."""

import msgspec
import numpy as np
import pytest
from more_panels import (
    MACHINES,
    PairedSamples,
    compared,
    imported,
    of_no_samples,
    of_table,
    on_processes,
    on_ranks,
    paired,
    pairs_on_places,
    shared_work,
    sweep_over_nodes,
)

from leadline.analysis.results.program import WORK
from leadline.analysis.samples import analyse_samples
from leadline.model.run import Run
from leadline.model.summary import Analysis
from leadline.output.html.charts import keep_samples, panels_with_data, sample_collector
from leadline.output.html.comparison import comparison_panels
from leadline.output.html.panels import MAXIMUM_CURVES
from leadline.output.html.plots.generations import generation_panels
from leadline.output.html.plots.over_ranks import node_panels, scaling_panels
from leadline.output.html.plots.pairs import pair_panels


def test_matrix_holds_the_median_of_each_pair(run, analysis):
    (panel,) = paired(run, analysis)
    assert [row["figure"] for row in panel.data["pair_matrix"]] == ["mpich, 0 B", "mpich, 16 B"]
    samples = PairedSamples().columns(0)
    usable = samples["flags"] == 0
    for row in panel.data["pair_matrix"]:
        assert len(row["rank"]) == 12
        for rank, peer, median in zip(row["rank"], row["peer"], row["median_us"], strict=True):
            own = usable & (samples["rank"] == rank) & (samples["peer"] == peer)
            assert median == pytest.approx(np.median(samples["seconds"][own]) * 1e6, rel=1e-3)


def test_cell_of_many_ranks_shows_the_slowest(run, analysis):
    point = msgspec.structs.replace(analysis.points[0], processes=128)
    kept = keep_samples(on_ranks(run, 128, 1), PairedSamples())
    (panel,) = panels_with_data(run, Analysis(points=(point,), sweeps=()), kept)
    (row,) = panel.data["pair_matrix"]
    assert row["ranks_a_cell"] == 4
    assert (row["rank"], row["peer"]) == ([0], [0])
    assert row["median_us"][0] == pytest.approx(5, rel=0.01)


def test_two_ranks_make_no_matrix(run, analysis):
    kept = keep_samples(run, PairedSamples())
    drawn = panels_with_data(run, analysis, kept)
    assert not any("pair_matrix" in panel.data for panel in drawn)


def test_speed_up_is_over_the_fewest_processes(run, analysis):
    points = shared_work(analysis.points)
    (panel,) = scaling_panels(of_no_samples(run, Analysis(points=points, sweeps=())))
    ideal, stopped = panel.curves
    found = {(row["curve"], row["processes"]): row for row in panel.data["speed_up"]}
    assert [found[ideal, count]["speedup"] for count in (1, 2, 4)] == pytest.approx([1, 2, 4])
    assert [found[stopped, count]["speedup"] for count in (1, 2, 4)] == pytest.approx([1, 2, 2])
    assert found[stopped, 4]["efficiency"] == pytest.approx(0.5)
    assert found[ideal, 4]["low"] <= 4 <= found[ideal, 4]["high"]
    assert found[ideal, 1]["low"] is None
    assert panel.definition.startswith("Half the time")


def test_work_that_grows_with_the_processes_is_efficient_where_the_time_holds(run, analysis):
    point = analysis.points[4]
    for work, efficiency in ((1e6, 1.0), (None, None)):
        points = tuple(
            on_processes(point, n, 1, 1)
            if work is None
            else msgspec.structs.replace(on_processes(point, n, 1, 1), metrics={WORK: n * work})
            for n in (1, 4)
        )
        (panel,) = scaling_panels(of_no_samples(run, Analysis(points=points, sweeps=())))
        assert panel.data["speed_up"][-1]["efficiency"] == efficiency


def test_ways_to_place_as_many_processes_are_curves_of_their_own(run, analysis):
    point = analysis.points[4]
    points = tuple(
        on_processes(point, nodes, each, factor)
        for nodes, each, factor in ((64, 1, 1), (16, 4, 1.5), (128, 1, 0.5), (32, 4, 1))
    )
    (panel,) = scaling_panels(of_no_samples(run, Analysis(points=points, sweeps=())))
    assert [curve.rsplit(", ", 1)[1] for curve in panel.curves] == ["1 a node", "4 a node"]
    assert [row["speedup"] for row in panel.data["speed_up"]] == pytest.approx([1, 2, 1, 1.5])


def test_one_number_of_processes_does_not_scale(run, analysis):
    assert not list(scaling_panels(of_no_samples(run, analysis)))


def test_many_curves_are_thinned_to_what_can_be_told_apart(run, analysis):
    points = tuple(
        on_processes(point, nodes, 1, 1 / nodes) for point in analysis.points for nodes in (1, 2)
    )
    for panel in scaling_panels(of_no_samples(run, Analysis(points=points, sweeps=()))):
        assert len(set(panel.curves)) == len(panel.curves) <= MAXIMUM_CURVES
        assert {row["curve"] for row in panel.data["speed_up"]} == set(panel.curves)


def test_generations_are_rows_with_a_year_and_a_number(run, analysis):
    def of(table):
        return list(generation_panels(of_no_samples(of_table(run, table), analysis)))

    (panel,) = of(MACHINES)
    assert panel.title == "peak (flop/s)"
    assert [(row["machine"], row["year"], row["value"]) for row in panel.data["generations"]] == [
        ("first", 1992, 160e6),
        ("second", 1994, 10e9),
        ("fourth", 2007, 8e12),
    ]
    years, peaks = (
        np.array([row[name] for row in panel.data["generations"]]) for name in ("year", "value")
    )
    slope, start = np.polyfit(years - 1992, np.log(peaks), 1)
    trend = [row["trend"] for row in panel.data["generations"]]
    assert trend == pytest.approx(np.exp(start + slope * (years - 1992)))
    without_year = msgspec.structs.replace(MACHINES, columns=MACHINES.columns[1:])
    assert of(without_year) == []


def test_comparison_has_ratios_and_both_curves(analysis):
    comparison = compared(analysis.points)
    found = comparison_panels(comparison)
    assert sum(len(figures) for _, figures in found) == len(analysis.points)
    assert len({panel.identifier for panel, _ in found}) == len(found)
    for panel, figures in found:
        assert len(panel.curves) <= MAXIMUM_CURVES
        assert len(panel.points) == 2 * len(panel.data["ratio"]) == 2 * len(figures)
        assert {row["curve"].rsplit(": ", 1)[-1] for row in panel.points} == {"before", "after"}
        for row, one in zip(panel.data["ratio"], figures, strict=True):
            assert row["ratio"] == one.ratio == pytest.approx(1.3)
            assert row["base_us"] == pytest.approx(one.base.median_s * 1e6)
            assert row["same_from"] * row["same_to"] == pytest.approx(1)


def test_runs_of_one_name_are_told_apart(analysis):
    from leadline.analysis.compare.compare import compare

    points = analysis.points[:3]
    ((panel, _),) = comparison_panels(compare("last", points, "last", points))
    assert panel.curves == ("last", "last, the second")


def test_long_names_of_runs_do_not_fill_the_legend(analysis):
    from leadline.analysis.compare.compare import compare

    points = analysis.points[:3]
    names = ("2026-11-21T140855-shared-b56e", "2026-11-21T141216-shared-f319")
    ((panel, _),) = comparison_panels(compare(names[0], points, names[1], points))
    assert panel.curves == ("first", "second")


def test_import_has_bounds_and_no_samples(run, analysis):
    whole = imported(analysis.points)
    bare = Run(
        run="import", leadline="0", plan=run.plan, started="", outcome=run.outcome,
        benchmarks=run.benchmarks, imported=whole,
    )  # fmt: skip
    kept = sample_collector(bare)
    results = analyse_samples(bare, PairedSamples(), [kept])
    assert results.points == whole.figures
    drawn = panels_with_data(bare, Analysis(points=results.points, sweeps=()), kept)
    assert not any({"distribution", "pair_matrix"} & panel.data.keys() for panel in drawn)
    bounds = drawn[0].data["bandwidth"]["bounds"]
    assert bounds == [{"MBps": 12000.0, "source": "made-up link"}]
    assert drawn[-1].data["generations"]


def test_calls_by_nodes_have_max_and_avg_for_each_eager_limit(run, analysis):
    swept = sweep_over_nodes(analysis)
    (panel,) = node_panels(of_no_samples(run, swept))
    assert panel.curves == ("eager_limit=64K", "eager_limit=32K")
    assert panel.title.endswith("at 4 KiB by number of nodes")
    rows = panel.data["by_nodes"]
    own = [row for row in rows if (row["curve"], row["which"]) == ("eager_limit=32K", "MAX")]
    assert [(row["nodes"], row["tasks"]) for row in own] == [(1, 2), (2, 4), (4, 8)]
    assert [row["time_us"] for row in own] == pytest.approx([2, 3, 5])
    assert [row["GBps"] for row in own] == pytest.approx([1, 2 / 3, 0.4])
    averages = [row["time_us"] for row in rows if row["which"] == "AVG"]
    assert averages == pytest.approx([1] * 6)


def test_calls_on_one_number_of_nodes_have_no_panel(run, analysis):
    assert not list(node_panels(of_no_samples(run, analysis)))


def test_pairs_of_every_placement_are_in_one_chart_with_their_fair_share(run, analysis):
    (panel,) = pair_panels(of_no_samples(run, pairs_on_places(analysis)))
    rows = panel.data["pair_shares"]
    assert [row["place"] for row in rows] == ["1x2, 1 pair", "2x1, 1 pair", *["4x1, 2 pairs"] * 2]
    assert [row["pair"] for row in rows] == ["0-1", "0-1", "0-1", "2-3"]
    assert [row["MBps"] for row in rows] == pytest.approx([12, 12, 4, 8])
    assert [row["fair_MBps"] for row in rows] == pytest.approx([12, 12, 6, 6])
    assert rows[2]["low"] == pytest.approx(3.6)


def test_one_figure_of_one_pair_has_no_chart_of_pairs(run, analysis):
    shared = pairs_on_places(analysis)
    single = msgspec.structs.replace(shared, pairs=shared.pairs[:1])
    assert not list(pair_panels(of_no_samples(run, single)))
