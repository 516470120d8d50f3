"""Several runs as one, and a part of a run: the figures stay what they are."""

import msgspec
import pytest
from example_run import MadeUpSamples

from leadline.analysis.compare.matching import of_benchmark, only
from leadline.core.errors import UserError
from leadline.model.imported import Import
from leadline.model.summary import LowerBound
from leadline.output.html.charts import panels_with_data, sample_collector
from leadline.output.html.panels import panels
from leadline.output.html.report_data import KeptSamples
from leadline.output.html.together import Part, together


def replaced(value, **changes):
    return msgspec.structs.replace(value, **changes)


@pytest.fixture(scope="module")
def part(run, analysis, kept):
    return Part("first", run, analysis, kept)


@pytest.fixture(scope="module")
def single(run, part):
    """The same with one library alone."""
    analysis = part.analysis
    points = tuple(point for point in analysis.points if point.mpi == "mpich")
    kept = replaced(analysis, points=points, sweeps=(), jitter=())
    return Part("single", only(run, "mpi", ["mpich"]), kept, part.kept)


def test_each_run_is_a_curve(single):
    whole = together([single, single._replace(name="again"), single])
    assert whole.run.run == "single, again, single (2)"
    (panel, *_) = panels(whole.run, whole.analysis)
    assert panel.curves == ("single", "again", "single (2)")
    assert len(panel.points) == 3 * len(panels(single.run, single.analysis)[0].points)


def test_a_run_with_several_libraries_keeps_their_names(part):
    whole = together([part, part._replace(name="again")])
    assert {point.mpi for point in whole.analysis.points} == {
        f"{name}, {mpi}" for name in ("first", "again") for mpi in ("mpich", "openmpi")
    }


def test_a_choice_that_the_names_tell_is_not_said_again(part):
    def with_algorithm(name):
        run = only(part.run, "mpi", ["mpich"])
        run = only(run, "algorithm", [name])
        points = tuple(
            point for point in part.analysis.points
            if point.mpi == "mpich" and point.axes.get("algorithm") == name
        )  # fmt: skip
        kept = replaced(part.analysis, points=points, sweeps=(), jitter=())
        return Part(f"with {name}", run, kept, part.kept)

    parts = [with_algorithm("ring"), with_algorithm("hypercube")]
    whole = together(parts)
    (panel,) = panels_with_data(whole.run, whole.analysis, whole.kept)
    assert panel.curves == ("with ring", "with hypercube")
    slowest = {row["curve"]: row["time_us"][-1] for row in panel.data["distribution"]}
    for one in parts:
        (alone,) = panels_with_data(one.run, one.analysis, one.kept)
        assert slowest[one.name] == alone.data["distribution"][-1]["time_us"][-1]
    whole = together([parts[0], part])
    assert {"algorithm"} <= set(whole.analysis.points[0].axes)


def test_numbers_point_at_the_same_things(part):
    whole = together([part, part._replace(name="again")])
    indices = [point.index for point in whole.run.points]
    assert len(set(indices)) == len(indices) == 2 * len(part.run.points)
    launches = [launch.launch for launch in whole.run.launches]
    assert len(set(launches)) == len(launches) == 2 * len(part.run.launches)
    reported = {result.point for launch in whole.run.launches for result in launch.points}
    assert reported == set(indices)
    half = len(part.analysis.points)
    for kind, alone in (("sweeps", part.analysis.sweeps), ("jitter", part.analysis.jitter)):
        again = getattr(whole.analysis, kind)[len(alone) :]
        assert len(again) == len(alone) > 0
        for one, other in zip(alone, again, strict=True):
            one_points = one.points if kind == "sweeps" else (one.point,)
            other_points = other.points if kind == "sweeps" else (other.point,)
            assert tuple(index + half for index in one_points) == other_points
            assert whole.analysis.points[other_points[0]].mpi.startswith("again")


def test_a_bound_stays_that_of_its_own_run(part):
    above = LowerBound(seconds=1e-9, figure=1)
    first, *others = part.analysis.points
    points = (replaced(first, bound=above), *others)
    bounded = part._replace(analysis=replaced(part.analysis, points=points))
    whole = together([bounded, bounded._replace(name="again")]).analysis.points
    assert [point.bound.figure for point in whole if point.bound] == [1, 1 + len(points)]


def test_samples_are_those_of_their_run(part):
    whole = together([part, part._replace(name="again")])
    half = len(part.analysis.points)
    again = len(part.run.points)
    for index in (0, 5, half - 1):
        figures = (whole.analysis.points[index], whole.analysis.points[index + half])
        assert [each.point for each in figures] == [index, index + again]
        for name in ("distribution", "strip"):
            own = part.kept.of(name, part.analysis.points[index])
            assert [whole.kept.of(name, each) for each in figures] == [own, own]


def test_distributions_are_drawn_as_of_one_run(single):
    whole = together([single, single._replace(name="again")])
    alone = panels_with_data(single.run, single.analysis, single.kept)[0].data["distribution"]
    both = panels_with_data(whole.run, whole.analysis, whole.kept)[0].data["distribution"]
    assert {row["curve"] for row in both} == {"single", "again"}
    slowest = {(row["size"], row["time_us"][-1]) for row in both}
    assert slowest == {(row["size"], row["time_us"][-1]) for row in alone}


def test_an_import_stands_beside_a_run(single):
    figures = tuple(
        replaced(point, samples=0, point=None, series_index=-1) for point in single.analysis.points
    )
    imported = replaced(
        single.run,
        points=[], launches=[], benchmarks=[], flags=[],
        imported=Import(program="other", files=("a",), figures=figures),
    )  # fmt: skip
    published = Part(
        "published", imported, replaced(single.analysis, points=figures), KeptSamples()
    )
    for parts in ([single, published], [published, single]):
        whole = together(parts)
        assert whole.run.benchmarks == single.run.benchmarks
        assert set(panels(whole.run, whole.analysis)[0].curves) == {"single", "published"}
        drawn = panels_with_data(whole.run, whole.analysis, whole.kept)[0]
        assert {row["curve"] for row in drawn.data["distribution"] if row["samples"]} == {"single"}


def test_what_means_something_else_is_refused(single):
    other = replaced(single.run.benchmarks[0], series=())
    differing = replaced(single.run, benchmarks=[other, *single.run.benchmarks[1:]])
    with pytest.raises(UserError, match="its series differ"):
        together([single, single._replace(run=differing)])
    flagged = replaced(single.run, flags=["other"])
    with pytest.raises(UserError, match="flags of other probes"):
        together([single, single._replace(run=flagged, name="odd")])


def test_a_run_of_fewer_flags_is_no_other(single):
    older = single._replace(run=replaced(single.run, flags=single.run.flags[:3]))
    assert together([older, single]).run.flags == single.run.flags


def test_only_keeps_points_with_the_values(run):
    assert {point.mpi for point in only(run, "mpi", ["openmpi"]).points} == {"openmpi"}
    ring = only(run, "algorithm", ["ring", "hypercube"])
    assert {point.axes["algorithm"] for point in ring.points} == {"ring", "hypercube"}
    assert only(run, "mpi", ["open"]).points == only(run, "mpi", ["openmpi"]).points
    assert only(run, "place", ["1x2"]).points == run.points
    small = only(run, "bytes", ["4K", "16"])
    assert {point.axes["bytes"] for point in small.points} == {16, 4096}
    kept = {point.index for point in small.points}
    assert {each.point for launch in small.launches for each in launch.points} == kept


@pytest.mark.parametrize(
    ("choice", "value", "words"),
    [
        ("algorithm", "bogus", "its values are hypercube, library, ring"),
        ("mpi", "impi", "its values are mpich, openmpi"),
        ("bogus", "1", "it has benchmark, bytes, cache, mpi, place, algorithm"),
        ("place", "2x2", "its values are 1x2"),
        ("bytes", "3", "its values are 0, 1"),
    ],
)
def test_only_says_what_there_is(run, choice, value, words):
    with pytest.raises(UserError, match=words):
        only(run, choice, [value])


def test_a_benchmark_alone_is_drawn_as_among_all(part):
    from leadline.analysis.findings.conclude import conclude

    def drawn(run):
        kept = sample_collector(run)
        analysis = conclude(run, MadeUpSamples(part.run), collectors=[kept])
        found = panels_with_data(run, analysis, kept)
        return [each for each in found if each.benchmark == "mpi/barrier"]

    few = of_benchmark(part.run, "mpi/barrier")
    assert len(few.points) < len(part.run.points)
    for one, other in zip(drawn(few), drawn(part.run), strict=True):
        assert (one.points, one.curves) == (other.points, other.curves)
        assert one.data["calls"] == other.data["calls"]


def test_without_the_benchmark_a_run_stays(run):
    assert of_benchmark(run, "mpi/bogus") is run
