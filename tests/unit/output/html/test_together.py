"""Several runs on one chart, and a part of a run: the figures stay what they are."""

import msgspec
import pytest
from example_run import MadeUpSamples

from leadline.analysis.compare.matching import of_benchmark, only
from leadline.core.errors import UserError
from leadline.model.imported import Import
from leadline.output.html.charts import charts, panels_with_data, sample_collector
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
    (panel, *_) = together([single, single._replace(name="again"), single])
    assert panel.curves == ("single", "again", "single (2)")
    assert len(panel.points) == 3 * len(single.panels()[0].points)


def test_a_run_with_several_libraries_keeps_their_names(part):
    (panel, *_) = together([part, part._replace(name="again")])
    assert set(panel.curves) == {
        f"{name}, {mpi}" for name in ("first", "again") for mpi in ("mpich", "openmpi")
    }
    assert {row["curve"] for row in panel.points} == set(panel.curves)


def test_samples_are_those_of_their_run(part):
    for alone, both in zip(
        part.panels(), together([part, part._replace(name="again")]), strict=True
    ):
        assert alone.data.keys() == both.data.keys()
        own = [row["time_us"] for row in alone.data["distribution"]]
        assert [row["time_us"] for row in both.data["distribution"]] == [*own, *own]
        assert all(
            row["figure"].startswith(("first", "again")) for row in both.data.get("calls", ())
        )


def test_plots_draw_what_is_joined(part):
    for plot, panel in charts(together([part, part._replace(name="again")])):
        assert plot.specification(panel)["data"]["values"], plot.name


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
        (panel, *_) = together(parts)
        assert set(panel.curves) == {"single", "published"}
        assert panel.definition == single.panels()[0].definition != ""
        assert {row["curve"] for row in panel.data["distribution"]} == {"single"}


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
