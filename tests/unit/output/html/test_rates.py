"""Ways to compute as a panel: rates, what bounds them, where the data leave a cache."""

import pytest
from kernel_run import ROOF, WAYS, run_of, way
from more_panels import of_no_samples

from leadline.analysis.compare.matching import of_benchmark
from leadline.analysis.results.rates import races
from leadline.model.placement import Placement
from leadline.model.plan import Point
from leadline.output.html.plots.rate import RATE, chosen_ways, rate_panels


def test_rates_roofs_and_caches():
    caches = {"L1d": 32768, "L1i": 32768, "L2": 2**20}
    (panel,) = rate_panels(of_no_samples(*run_of(caches_bytes=caches)))
    rows = {(row["curve"], row["amount"]): row for row in panel.data["rate"]["rates"]}
    row = rows["wide.c gcc-12.2.0 -O3 -march=native", 1000]
    assert row["Mflops"] == pytest.approx(20000)
    assert row["percent"] == pytest.approx(80)
    assert row["low_Mflops"] == pytest.approx(20000 / 1.01)
    assert (row["mark"], row["wrong"]) == ("", False)
    row = rows["wide.c gcc-12.2.0 -Ofast", 1000]
    assert (row["mark"], row["wrong"]) == ("wrong: nan, denormals", True)
    assert [(row["amount"], row["by"]) for row in panel.data["rate"]["roofs"]] == [
        (size, "test/memory") for size in (100, 1000, 10000)
    ]
    allowed = [row["Mflops"] for row in panel.data["rate"]["roofs"]]
    assert allowed == pytest.approx([50000, 25000, 12500])
    # Both arrays fill 32 KiB at 2048 elements; the second cache is larger than all sizes.
    assert panel.data["rate"]["levels"] == [{"level": "L1 32 KiB", "amount": 2048.0}]


def test_of_many_ways_the_telling_ones_are_drawn():
    many = [figure for rate in range(1, 20) for figure in way(f"v{rate}.c", {100: rate, 1000: 1})]
    run, analysis = run_of([*many, *WAYS, *ROOF])
    (race,) = races(run, analysis.points)
    drawn = chosen_ways(race, analysis.points)
    assert len(drawn) == 8
    assert "blas-1.0 ready" in drawn and "v19.c gcc-12.2.0 -O2" in drawn
    assert "wide.c gcc-12.2.0 -Ofast" in drawn and "v1.c gcc-12.2.0 -O2" in drawn


def test_one_size_makes_no_curve():
    assert not list(rate_panels(of_no_samples(*run_of([*way("plain.c", {100: 1}), *ROOF]))))


def test_without_roofs_and_caches_only_the_rates_are_drawn():
    (panel,) = rate_panels(of_no_samples(*run_of(way("plain.c", {100: 1, 1000: 2}))))
    assert len(RATE.specification(panel)["layer"]) == 2
    (panel,) = rate_panels(of_no_samples(*run_of(caches_bytes={"L1d": 32768})))
    assert len(RATE.specification(panel)["layer"]) == 5


def test_alone_it_is_drawn_with_its_roofs():
    run, analysis = run_of()
    run.points = [
        Point(
            index=index,
            benchmark=point.benchmark,
            axes=point.axes,
            settings={},
            placement=Placement(1, 1),
            mpi="lib-1",
            api="mpi",
        )
        for index, point in enumerate(analysis.points)
    ]
    alone = of_benchmark(run, "test/kernel")
    assert {point.benchmark for point in alone.points} == {"test/kernel", "test/memory"}
