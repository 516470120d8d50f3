"""The verdict: headline figures with a comparison, what costs most, and the grade of trust."""

import msgspec
import pytest
from checkout import CHECKOUT
from example_platform import machine
from example_run import example_analysis, example_run
from hypothesis import given, settings
from hypothesis import strategies as st

from leadline.analysis.verdict import verdict_of
from leadline.exchange.analysis import analysis_of
from leadline.exchange.subject import subject
from leadline.model.description import Axis, KnownFigure, Series, Yardstick
from leadline.model.noise import Noise
from leadline.model.run import Outcome
from leadline.model.summary import Analysis, Finding, Gain, LowerBound

replace = msgspec.structs.replace


@pytest.fixture(scope="module")
def run():
    return example_run()


@pytest.fixture(scope="module")
def analysis():
    return replace(example_analysis(), findings=())


def described(run, name, **changes):
    """Return the run with one of its benchmarks changed."""
    benchmarks = [replace(b, **changes) if b.name == name else b for b in run.benchmarks]
    return replace(run, benchmarks=tuple(benchmarks))


def titles(verdict):
    return [headline.title for headline in verdict.headlines]


def test_a_benchmark_is_headed_by_its_smallest_and_largest_usual_size(run, analysis):
    named = described(run, "mpi/allreduce", title="MPI_Allreduce")
    assert titles(verdict_of(named, analysis)) == [
        "mpi/pingpong, 4 B",
        "mpi/pingpong, 1 MiB",
        "MPI_Allreduce, 4 B",
        "MPI_Allreduce, 1 MiB",
        "mpi/barrier",
    ]


def test_known_figures_go_by_their_names_with_a_value_for_each_mpi(run, analysis):
    known = described(
        run,
        "mpi/pingpong",
        headlines=(
            KnownFigure(of="time", title="Latency"),
            KnownFigure(of="rate", title="Bandwidth"),
        ),
    )
    latency, bandwidth = verdict_of(known, analysis).headlines[:2]
    assert (latency.title, latency.unit, latency.rate) == ("Latency, 4 B", "us", False)
    assert (bandwidth.title, bandwidth.unit, bandwidth.rate) == ("Bandwidth, 1 MiB", "GB/s", True)
    # The example's mpich takes 0.35 us and moves 9 GB/s; its openmpi is 1.3 times slower.
    assert [value.mpi for value in latency.values] == ["mpich", "openmpi"]
    assert [value.best for value in latency.values] == [True, False]
    assert latency.values[0].value == pytest.approx(0.36, rel=0.1)
    assert latency.values[1].value / latency.values[0].value == pytest.approx(1.3, rel=0.05)
    for value in (*latency.values, *bandwidth.values):
        assert value.low < value.value < value.high
        assert analysis.points[value.point].mpi == value.mpi


def test_a_faster_way_to_do_the_same_stands_beside_the_default_one(run, analysis):
    small = verdict_of(run, analysis).headlines[2]
    # The example's hypercube takes 0.8 of the library's time, its ring 1.7.
    assert small.title == "mpi/allreduce, 4 B"
    assert small.beside.text == "hypercube"
    assert small.beside.reached == pytest.approx(0.8, rel=0.05)
    slow = [point for point in analysis.points if point.axes.get("algorithm") != "hypercube"]
    without = verdict_of(run, replace(analysis, points=tuple(slow)))
    assert [headline.beside for headline in without.headlines] == [None] * 5


def test_a_way_that_takes_no_time_at_all_is_none_to_compare_with(run, analysis):
    """As an import says of a time that was rounded to 0.00 us."""

    def rounded(point):
        return replace(point, median_s=0.0, ci95_low_s=0.0, ci95_high_s=0.0, bandwidth_MBps=None)

    def with_zero(chosen):
        points = [rounded(point) if chosen(point) else point for point in analysis.points]
        return verdict_of(run, replace(analysis, points=tuple(points)))

    small = with_zero(lambda point: point.axes.get("algorithm") == "hypercube").headlines[2]
    assert (small.title, small.beside) == ("mpi/allreduce, 4 B", None)
    bounded = [replace(p, bound=LowerBound(seconds=0.0, figure=1)) for p in analysis.points]
    for points in (bounded, [rounded(point) for point in bounded]):
        found = verdict_of(run, replace(analysis, points=tuple(points)))
        assert [one for one in found.headlines if one.beside and not one.beside.reached] == []
    assert with_zero(lambda _: True).standing.grade == "unknown"


def test_the_first_mpi_stands_by_its_gaps_to_what_is_known(run, analysis):
    found = verdict_of(run, analysis)
    # The example's mpich is the fastest of two; its hypercube takes 0.8 of the library's time.
    assert [one.gap for one in found.headlines] == [
        None, None, pytest.approx(1 / 0.8, rel=0.03), pytest.approx(1 / 0.8, rel=0.03), None,
    ]  # fmt: skip
    assert [one.ahead for one in found.headlines] == ["", "", "hypercube", "hypercube", ""]
    assert (found.standing.mpi, found.standing.compared) == ("mpich", 2)
    last = replace(
        analysis, points=tuple(sorted(analysis.points, key=lambda p: p.mpi != "openmpi"))
    )
    behind = verdict_of(run, last)
    # openmpi takes 1.3 of mpich's times, and of its hypercube's 1.3 / 0.8.
    assert behind.standing.mpi == "openmpi"
    assert behind.headlines[0].gap == pytest.approx(1.3, rel=0.05)
    assert behind.headlines[0].ahead == "mpich"
    assert (behind.standing.grade, behind.standing.near) == ("poor", 0)
    assert behind.standing.largest == pytest.approx(1.3 / 0.8, rel=0.05)
    worst = max(behind.headlines, key=lambda one: one.gap)
    assert behind.standing.text.startswith(
        f"{worst.title} is {worst.gap:.1f}x slower than hypercube. None of 5 figures of openmpi is"
    )


def stretched(point, times=1.0, half=0.01, mpi="mpich"):
    """Return a figure: that of `mpi` takes `times` as long; intervals reach `half` either way."""
    median = point.median_s * (times if point.mpi == mpi else 1)
    rate = point.bandwidth_MBps and point.bandwidth_MBps * point.median_s / median
    return replace(
        point,
        median_s=median,
        ci95_low_s=median * (1 - half),
        ci95_high_s=median * (1 + half),
        bandwidth_MBps=rate,
    )


@pytest.mark.parametrize(
    ("times", "grade"), [(1.2, "good"), (1.3, "fair"), (3.9, "fair"), (4.2, "poor")]
)
def test_the_worst_figure_decides(run, analysis, times, grade):
    """Of mpich's figures only the barrier takes longer, than openmpi's."""
    points = [p for p in analysis.points if p.axes.get("algorithm", "library") == "library"]
    barriers = [stretched(p, 1.3 * times if p.benchmark == "mpi/barrier" else 1) for p in points]
    standing = verdict_of(run, replace(analysis, points=tuple(barriers))).standing
    assert standing.compared == 1
    assert standing.grade == grade
    assert ("mpi/barrier is within" in standing.text) == (grade == "good")


def test_an_unclear_figure_does_not_count(run, analysis):
    unclear = [stretched(point, 1, 0.9) for point in analysis.points]
    nothing = verdict_of(run, replace(analysis, points=tuple(unclear))).standing
    assert (nothing.grade, nothing.compared, nothing.largest) == ("unclear", 0, None)


def test_disturbed_figures_are_neither_good_nor_poor(run, analysis):
    for times in (1, 10):
        disturbed = [
            replace(stretched(p, times), flags={"preempted": p.samples // 2})
            for p in analysis.points
        ]
        standing = verdict_of(run, replace(analysis, points=tuple(disturbed))).standing
        assert standing.grade == "unclear"
        assert standing.text == "mend what the line on trust names, and measure again."


def test_a_time_stands_to_what_is_usual_of_its_machine(run, analysis):
    pingpong = [p for p in analysis.points if p.benchmark == "mpi/pingpong" and p.mpi == "mpich"]
    model = next(p for p in pingpong if p.bytes == 2**20)
    for median, gap, grade in ((0.5e-6, 1, "good"), (1.28e-6, 2, "fair"), (3.2e-6, 5, "poor")):
        known = {"median_s": median, "launch_medians_s": (median,) * 3}
        small = stretched(replace(model, bytes=8, axes={**model.axes, "bytes": 8}, **known))
        verdict = verdict_of(run, replace(analysis, points=(small,)))
        assert verdict.headlines[0].usual.text == "inside a node"
        assert verdict.standing.grade == grade
        assert verdict.standing.largest == pytest.approx(gap, rel=0.01)
        assert ("slower than usual inside a node" in verdict.standing.text) == (gap > 1)


def test_one_mpi_without_another_way_has_nothing_to_compare_with(run, analysis):
    mine = [p for p in analysis.points if p.mpi == "mpich" and p.benchmark == "mpi/pingpong"]
    standing = verdict_of(run, replace(analysis, points=tuple(mine))).standing
    assert standing.grade == "unknown"


def test_an_exchange_with_noise_keeps_its_time(run, analysis):
    heard = Noise(
        point=0,
        observed_s=1.0,
        quantum_s=1e-6,
        lost_fraction=0.1,
        ci95_low=0.05,
        ci95_high=0.2,
        detours_fraction=0.1,
        detours_per_s=3.0,
        together_fraction=None,
        shortest_period_s=1e-5,
        longest_period_s=0.5,
        false_alarm_fraction=0.01,
        ranks=(),
    )
    loud = replace(analysis, noise=(heard,))
    assert titles(verdict_of(run, loud)) == titles(verdict_of(run, analysis))
    works = Series(name="work", definition="one quantum on each rank")
    computing = titles(verdict_of(described(run, "mpi/pingpong", series=(works,)), loud))
    assert computing[-1] == "Processor time lost"
    assert not any("pingpong" in title for title in computing)


def with_copies(run, analysis, ratio, half=0.01, **changes):
    """Return the headline of a bandwidth beside copies of `ratio` times that rate."""
    pingpong = [p for p in analysis.points if p.benchmark == "mpi/pingpong" and p.mpi == "mpich"]
    message = next(stretched(p, 1, half) for p in pingpong if p.bytes == 2**20)
    copied = replace(
        message,
        benchmark="node/handover",
        bandwidth_MBps=ratio * message.bandwidth_MBps,
    )
    yardstick = Yardstick(benchmark="node/handover", title="a copy between the cores")
    known = described(
        run,
        "mpi/pingpong",
        headlines=(KnownFigure(of="rate", title="Bandwidth"),),
        yardsticks=(yardstick,),
    )
    points = (message, replace(copied, **changes))
    return verdict_of(known, replace(analysis, points=points))


def test_a_rate_stands_beside_the_yardstick_of_its_size_and_state(run, analysis):
    found = with_copies(run, analysis, 1.25)
    assert found.headlines[0].beside.reached == pytest.approx(0.8)
    assert found.headlines[0].gap == pytest.approx(1.25)
    assert with_copies(run, analysis, 3).standing.grade == "fair"
    assert with_copies(run, analysis, 5).standing.grade == "poor"
    other = {"mpi": "openmpi"}
    assert with_copies(run, analysis, 1.25, **other).headlines[0].beside is None
    cold = {"settings": {"cache": "cold"}}
    assert with_copies(run, analysis, 1.25, **cold).headlines[0].beside is None
    smaller = {"bytes": 2**19}
    assert with_copies(run, analysis, 1.25, **smaller).headlines[0].beside is None
    wide = {"ci95_low_s": 0.0, "ci95_high_s": 1.0}
    assert with_copies(run, analysis, 1.25, **wide).headlines[0].beside is None


@given(ratio=st.floats(0.05, 20), half=st.floats(0.001, 0.19))
@settings(max_examples=100, deadline=None)
def test_a_figure_above_its_bound_refutes_it(ratio, half):
    run, analysis = example_run(), replace(example_analysis(), findings=())
    found = with_copies(run, analysis, ratio, half)
    beside = found.headlines[0].beside
    if ratio * (1 + half) < 0.999:
        assert beside is None
    elif ratio > 1:
        assert beside.reached == pytest.approx(1 / ratio)
    if beside is not None:
        assert 0 < beside.reached <= 1


def test_wrong_figures_are_no_headlines(run, analysis):
    wrong = [replace(p, verified=p.benchmark != "mpi/pingpong") for p in analysis.points]
    verdict = verdict_of(run, replace(analysis, points=tuple(wrong)))
    assert not any("pingpong" in title for title in titles(verdict))
    assert verdict.trust.grade == "poor"
    assert verdict.trust.text.startswith("26 figures with wrong data")


def finding(kind="kind", severity="notice", topic="choice", **more):
    return Finding(kind=kind, severity=severity, topic=topic, text=kind, evidence={}, **more)


def texts_of(run, analysis, *found):
    verdict = verdict_of(run, replace(analysis, findings=found))
    return [action.text for action in verdict.actions]


def test_problems_come_first_then_what_costs_most(run, analysis):
    sure = finding("sure", command="leadline a", gain=Gain(times=2.0, low=1.9, high=2.1))
    unsure = finding("unsure", command="leadline b", gain=Gain(times=2.5, low=0.9, high=4.0))
    cost = finding("cost", topic="speed", effect=2.0)
    wrong = finding("wrong", severity="problem", topic="trust")
    assert texts_of(run, analysis, unsure, cost, sure, wrong) == ["wrong", "sure", "unsure"]


def test_findings_about_measuring_and_facts_are_no_actions(run, analysis):
    measuring = finding("measuring", topic="trust", effect=30.0)
    fact = finding("fact", severity="fact", effect=30.0)
    small = finding("small", gain=Gain(times=1.01, low=1.005, high=1.02))
    assert texts_of(run, analysis, measuring, fact, small) == []


def test_what_one_command_cures_is_one_action(run, analysis):
    allreduce = next(n for n, p in enumerate(analysis.points) if p.benchmark == "mpi/allreduce")
    barrier = next(n for n, p in enumerate(analysis.points) if p.benchmark == "mpi/barrier")
    gains = [
        finding(
            f"kind {n}.",
            command=f"leadline tune mpi/{n} --mpi m",
            gain=Gain(times=n, low=1.5, high=9),
            points=(point,),
        )
        for n, point in ((2, barrier), (4, 0), (3, allreduce))
    ]
    (action,) = verdict_of(run, replace(analysis, findings=tuple(gains))).actions
    assert action.short == "kind 4."
    assert action.text == "kind 4. Also: mpi/allreduce 3.0x, mpi/barrier 2.0x."
    assert action.commands[0] == "leadline tune mpi/4 mpi/3 mpi/2 --mpi m"
    assert action.commands[1] == "leadline exec --mpi m mpiexec ./app"
    assert action.findings == (1, 2, 0)


def test_a_cost_without_a_cure_never_outweighs_a_sure_gain(run, analysis):
    noise = finding("noise", topic="steadiness", effect=339.0)
    sure = finding("sure", command="leadline a", gain=Gain(times=1.5, low=1.4, high=1.6))
    assert texts_of(run, analysis, noise, sure) == ["sure", "noise"]


def test_an_action_is_headed_by_the_clause_that_states_it(run, analysis):
    text = "MPI_Bcast, 8 B: ring is 2.0x faster (1.9, 2.1) than the library at 8 B, most at 8 B."
    told = replace(
        finding(command="leadline a", gain=Gain(times=2.0, low=1.9, high=2.1)), text=text
    )
    (action,) = verdict_of(run, replace(analysis, findings=(told,))).actions
    assert action.short == "MPI_Bcast, 8 B: ring is 2.0x faster (1.9, 2.1) than the library at 8 B"


def test_disturbed_figures_have_fewer_actions(run, analysis):
    disturbed = [replace(p, flags={"preempted": p.samples // 2}) for p in analysis.points]
    sure = [finding(f"k{n}", command=f"x {n}", gain=Gain(times=2, low=1.9, high=3)) for n in "abcd"]
    assert len(texts_of(run, analysis, *sure)) == 3
    assert len(texts_of(run, replace(analysis, points=tuple(disturbed)), *sure)) == 2


def test_on_a_disturbed_machine_its_unsteadiness_is_no_action(run, analysis):
    disturbed = [replace(p, flags={"preempted": p.samples // 2}) for p in analysis.points]
    noise = finding("noise", topic="steadiness", effect=339.0)
    found = replace(analysis, points=tuple(disturbed), findings=(noise,))
    assert verdict_of(run, found).actions == ()


def test_the_grade_says_what_it_rests_on(run, analysis):
    trust = verdict_of(run, analysis).trust
    assert trust.grade == "good"
    assert trust.between_launches == pytest.approx(0.025, abs=0.01)
    assert "launches agree within" in trust.text
    disturbed = [replace(p, flags={"preempted": p.samples // 2}) for p in analysis.points]
    poor = verdict_of(run, replace(analysis, points=tuple(disturbed)))
    assert poor.trust.grade == "poor"
    assert poor.trust.disturbed_fraction == pytest.approx(0.5, abs=0.01)
    assert poor.next_command == "leadline check"


def test_a_run_that_was_cut_short_is_at_best_fair(run, analysis):
    cut = replace(run, outcome=Outcome(state="interrupted", message=""))
    trust = verdict_of(cut, analysis).trust
    assert (trust.grade, trust.text.split(",")[0]) == ("fair", "the run is interrupted")


def test_no_figures_have_no_grade(run):
    verdict = verdict_of(run, Analysis(points=(), sweeps=()))
    assert verdict.headlines == () and verdict.actions == ()
    assert verdict.trust.grade == "unknown"


def test_choices_that_are_not_default_are_no_headlines(run, analysis):
    axis = Axis(
        name="algorithm",
        kind="choice",
        summary="",
        default="ring",
        choices=("library", "ring", "hypercube"),
    )
    bytes_axis = next(b for b in run.benchmarks if b.name == "mpi/allreduce").axes[0]
    ring = described(run, "mpi/allreduce", axes=(bytes_axis, axis))
    value = verdict_of(ring, analysis).headlines[2].values[0]
    assert analysis.points[value.point].axes["algorithm"] == "ring"


def test_an_unclear_figure_of_another_mpi_proves_nothing(run, analysis):
    """One launch of it may have been lucky."""
    pingpong = [p for p in analysis.points if p.benchmark == "mpi/pingpong" and p.bytes == 2**20]
    mine, other = (next(p for p in pingpong if p.mpi == mpi) for mpi in ("mpich", "openmpi"))
    slow = stretched(mine, 8)
    for half, grade in ((0.01, "poor"), (0.4, "unknown")):
        points = (slow, stretched(other, 1, half))
        (headline,) = verdict_of(run, replace(analysis, points=points)).headlines
        assert [value.best for value in headline.values] == [False, grade == "poor"]
        assert (headline.gap is None) == (grade == "unknown")


def test_nothing_is_usual_of_cold_caches(run, analysis):
    model = next(p for p in analysis.points if p.benchmark == "mpi/pingpong" and p.mpi == "mpich")
    small = replace(model, bytes=8, axes={"bytes": 8})
    (warm,) = verdict_of(run, replace(analysis, points=(small,))).headlines
    cold = replace(small, settings={"cache": "cold"})
    (other,) = verdict_of(run, replace(analysis, points=(cold,))).headlines
    assert warm.usual and other.usual is None


def test_nothing_rests_on_one_launch(run, analysis):
    pingpong = [p for p in analysis.points if p.benchmark == "mpi/pingpong" and p.bytes == 2**20]
    mine, other = (next(p for p in pingpong if p.mpi == mpi) for mpi in ("mpich", "openmpi"))
    for launches, grade in ((3, "poor"), (1, "unclear")):
        points = [replace(p, launches=launches) for p in (stretched(mine, 8), stretched(other))]
        verdict = verdict_of(run, replace(analysis, points=tuple(points)))
        assert verdict.standing.grade == grade
        assert any(value.best for value in verdict.headlines[0].values) == (launches > 1)


def test_what_another_program_printed_is_not_to_be_measured_in_more_launches(run, analysis):
    mine = next(p for p in analysis.points if p.benchmark == "mpi/pingpong")
    alone = replace(mine, launches=1, samples=0, excluded=0)
    standing = verdict_of(run, replace(analysis, points=(alone,))).standing
    assert standing.grade == "unknown" and "another program printed" in standing.text
    nothing = verdict_of(run, replace(analysis, points=())).standing
    assert (nothing.grade, nothing.text) == ("unknown", "there is no figure to judge.")


def test_one_simulated_launch_is_enough(run, analysis):
    exact = replace(run, platform=machine({"kind": "crossbar"}, 2))
    mine = next(p for p in analysis.points if p.benchmark == "mpi/pingpong")
    points = tuple(
        replace(stretched(mine, times, 0), launches=1, simulated=True, mpi=mpi)
        for mpi, times in (("mpich", 2), ("openmpi", 1))
    )
    verdict = verdict_of(exact, replace(analysis, points=points))
    assert verdict.headlines[0].values[1].best
    assert (verdict.trust.grade, verdict.trust.text) == ("good", "simulated times are exact")


def test_a_message_without_data_stands_for_small_ones_where_there_are_none(tmp_path):
    path = tmp_path / "osu.txt"
    head = "# OSU MPI Latency Test v7.3\n# Size  Latency (us)\n"
    path.write_text(f"{head}0  1.20\n16384  4.20\n")
    imported = subject(str(path), tmp_path)
    found = verdict_of(imported.run, analysis_of(imported.run, imported.samples))
    assert titles(found) == ["mpi/pingpong, 0 B", "mpi/pingpong, 16 KiB"]


def test_of_several_series_a_headline_names_its_own(run, analysis):
    (*others, last) = analysis.points
    both = replace(analysis, points=(*others, last, replace(last, series="other")))
    named = [one for one in titles(verdict_of(run, both)) if f"({last.series})" in one]
    assert named, titles(verdict_of(run, both))


def test_a_publication_says_which_of_its_figures_heads_it(tmp_path):
    path = CHECKOUT / "datasets" / "arsc-hydrology-mpi-1997.csv"
    published = subject(str(path), tmp_path)
    verdict = verdict_of(published.run, analysis_of(published.run, published.samples))
    assert titles(verdict) == ["application/hydrology (initialization, T3D, on 2x1)"]
