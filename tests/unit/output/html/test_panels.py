"""Which figures share a chart, and what their rows hold."""

import msgspec
import pytest
from example_run import MadeUpSamples, example_analysis

from leadline.analysis.results.summary import excluding_bits, repetitions
from leadline.core.units import format_bytes
from leadline.model.summary import Analysis
from leadline.output.html.charts import panels_with_data
from leadline.output.html.panels import MAXIMUM_CURVES, panels
from leadline.output.html.report_data import (
    KeptSamples,
    thinned_ranks,
    usable_repetitions,
)


def test_one_panel_a_series_and_placement(run, analysis):
    drawn = panels(run, analysis)
    assert [(panel.benchmark, panel.title) for panel in drawn] == [
        ("mpi/pingpong", "half round trip on 1x2"),
        ("mpi/allreduce", "operation on 1x2"),
        ("mpi/barrier", "operation on 1x2"),
    ]
    assert drawn[0].definition.startswith("Half the time")


def test_curves_are_named_by_what_differs(run, analysis):
    pingpong, allreduce, _ = panels(run, analysis)
    assert pingpong.curves == ("mpich", "openmpi")
    assert "openmpi, algorithm=ring" in allreduce.curves
    alone = Analysis(points=analysis.points[:3], sweeps=())
    assert panels(run, alone)[0].curves == ("mpich",)


def test_every_figure_is_in_one_panel(run, analysis):
    found = sorted(index for panel in panels(run, analysis) for index in panel.figures)
    assert found == list(range(len(analysis.points)))


@pytest.mark.parametrize("by_library", [True, False])
def test_no_panel_has_more_curves_than_colours(run, analysis, by_library):
    model = analysis.points[0]
    points = tuple(
        msgspec.structs.replace(
            model,
            mpi=f"mpi-{number % 3}" if by_library else "mpich",
            axes={"bytes": size, "algorithm": f"a{number}"},
            bytes=size,
        )
        for number in range(20)
        for size in (8, 16)
    )
    drawn = panels(run, Analysis(points=points, sweeps=()))
    assert all(len(panel.curves) <= MAXIMUM_CURVES for panel in drawn)
    assert sorted(index for panel in drawn for index in panel.figures) == list(range(40))
    assert len({panel.title for panel in drawn}) == len(drawn)


def test_interval_of_the_rate_is_that_of_the_time_turned_round(run, analysis):
    row = panels(run, analysis)[0].points[8]
    assert row["bandwidth_low_MBps"] < row["bandwidth_MBps"] < row["bandwidth_high_MBps"]
    assert row["bandwidth_low_MBps"] == pytest.approx(row["bytes"] / row["ci95_high_us"])


def test_switches_stand_on_their_curve(run, analysis):
    sweep = msgspec.structs.replace(analysis.sweeps[0], switches_bytes=(4096,))
    alone = msgspec.structs.replace(analysis, sweeps=(sweep,))
    drawn = panels_with_data(run, alone, KeptSamples())
    assert drawn[0].data["latency"]["switches"] == [{"curve": "mpich", "bytes": 4096}]
    assert drawn[1].data["latency"]["switches"] == []


@pytest.fixture(scope="module")
def sampled(run, analysis, kept):
    return panels_with_data(run, analysis, kept)


def test_samples_drawn_are_those_of_the_statistics(run, analysis):
    source = MadeUpSamples(run)
    for point in analysis.points[::11]:
        every = repetitions(source.columns(point.point), excluding_bits(run.flags))
        times = usable_repetitions(every)[point.series_index].seconds
        assert len(times) == point.samples
        assert times.max() == point.max_s
        assert times.min() == point.min_s


def test_thinning_keeps_the_extremes_and_says_how_many(analysis, sampled):
    figures = {
        (panel.identifier, row["curve"], row["size"]): analysis.points[index]
        for panel in sampled
        for index, row in zip(panel.figures, panel.points, strict=True)
    }
    for panel in sampled:
        assert panel.data["distribution"]
        for row in panel.data["distribution"]:
            figure = figures[panel.identifier, row["curve"], row["size"]]
            assert row["time_us"][0] == pytest.approx(figure.min_s * 1e6)
            assert row["time_us"][-1] == pytest.approx(figure.max_s * 1e6)
            assert row["time_us"] == sorted(row["time_us"])
            assert row["samples"] == figure.samples
            assert row["drawn"] == len(row["time_us"]) == len(row["share"]) < figure.samples


@pytest.mark.parametrize("count", [0, 1, 2, 15, 16, 17, 1000, 3_000_000])
def test_ranks_are_few_and_within(count):
    ranks = thinned_ranks(count, 16)
    assert len(ranks) == len(set(ranks)) <= min(count, 16)
    assert ranks == sorted(ranks)
    if count:
        assert (ranks[0], ranks[-1]) == (0, count - 1)


def test_figure_that_the_run_does_not_know_has_no_samples(analysis, kept):
    foreign = msgspec.structs.replace(analysis.points[0], point=None)
    assert kept.of("distribution", analysis.points[0])
    assert kept.of("distribution", foreign) is None


def test_first_and_last_size_are_drawn(sampled):
    sizes = {row["size"] for row in sampled[0].data["distribution"]}
    assert {"0 B", format_bytes(4**11)} <= sizes
    assert len(sizes) == 6


def test_analysis_of_the_example_is_repeatable(analysis):
    assert example_analysis.__wrapped__() == analysis
