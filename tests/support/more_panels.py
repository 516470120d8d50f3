"""Panels that the made-up run has none of: pairs, process counts, generations, ratios."""

import msgspec
import numpy as np
from kernel_run import run_of

from leadline.analysis.compare.compare import compare
from leadline.analysis.results.program import WORK
from leadline.model.description import Series
from leadline.model.imported import Bound, Column, Import, Remark, Table
from leadline.model.placement import Placement
from leadline.model.run import PointResult
from leadline.model.summary import Analysis, PairShare, PairShares, PointSummary
from leadline.output.html.charts import keep_samples, panels_with_data
from leadline.output.html.comparison import comparison_panels
from leadline.output.html.plots.generations import generation_panels
from leadline.output.html.plots.over_ranks import node_panels, scaling_panels
from leadline.output.html.plots.pairs import pair_panels
from leadline.output.html.plots.rate import rate_panels
from leadline.output.html.report_data import KeptSamples, ReportData

MACHINES = Table(
    name="machines",
    title="Four generations of machines",
    columns=(
        Column(name="year", role="year"),
        Column(name="machine"),
        Column(name="peak", role="peak_flops", unit="flop/s"),
        Column(name="note"),
    ),
    rows=(
        (1992.0, "first", 160e6, None),
        (1994.0, "second", 10e9, "bought"),
        (2000.0, "third", None, None),
        (2007.0, "fourth", 8e12, None),
    ),
)


def on_processes(point: PointSummary, nodes: int, each: int, factor: float) -> PointSummary:
    """Return the figure as if on so many processes it took `factor` times as long."""
    return msgspec.structs.replace(
        point,
        nodes=nodes,
        processes_per_node=each,
        processes=nodes * each,
        median_s=point.median_s * factor,
        ci95_low_s=point.ci95_low_s and point.ci95_low_s * factor,
        ci95_high_s=point.ci95_high_s and point.ci95_high_s * factor,
        launch_medians_s=tuple(each * factor for each in point.launch_medians_s),
    )


def shared_work(points):
    """Return figures of the same work on 1, 2 and 4 processes: ideal, and stopped at 2."""
    chosen = [msgspec.structs.replace(points[at], metrics={WORK: 1e6}) for at in (4, 9)]
    return tuple(
        on_processes(point, nodes, 1, factor)
        for point, factors in zip(chosen, ((1, 0.5, 0.25), (1, 0.5, 0.5)), strict=True)
        for nodes, factor in zip((1, 2, 4), factors, strict=True)
    )


class PairedSamples:
    """Samples of the points of `example_run` between four ranks: 0-1 and 2-3 are near."""

    def columns(self, point):
        pairs = [(a, b) for a in range(4) for b in range(4) if a != b]
        rank, peer = (np.repeat([pair[at] for pair in pairs], 50) for at in (0, 1))
        near = rank // 2 == peer // 2
        count = len(rank)
        return {
            "launch": np.zeros(count, int),
            "repetition": np.tile(np.arange(50), len(pairs)),
            "rank": rank,
            "peer": peer,
            "batch": np.ones(count, int),
            "series": np.zeros(count, int),
            "flags": np.where(np.tile(np.arange(50), len(pairs)) == 7, 1 << 3, 0),
            "seconds": np.where(near, 1e-6, 5e-6) * (1 + np.tile(np.linspace(-0.1, 0.1, 50), 12)),
        }


def of_no_samples(run, analysis):
    """Return the data of plots that draw no samples."""
    return ReportData(run, analysis, KeptSamples())


def on_ranks(run, count, points):
    """Return the run with so many of its points, on so many ranks."""
    place = Placement(1, count)
    some = [msgspec.structs.replace(point, placement=place) for point in run.points[:points]]
    return msgspec.structs.replace(run, points=some)


def paired(run, analysis):
    """Return a panel of four sizes on four ranks, with its matrices."""
    points = tuple(msgspec.structs.replace(p, processes=4) for p in analysis.points[:4])
    kept = keep_samples(on_ranks(run, 4, 4), PairedSamples())
    return panels_with_data(run, Analysis(points=points, sweeps=()), kept)


def compared(points):
    """Return a comparison of the figures with others that take 1.3 times as long."""
    slower = tuple(on_processes(p, p.nodes, p.processes_per_node, 1.3) for p in points)
    return compare("before", points, "after", slower)


def imported(points, **more):
    """Return figures as another program prints them, in an import with tables and remarks."""
    bare = tuple(
        msgspec.structs.replace(
            point, samples=0, excluded=0, launches=1, statistic="mean", stopped_by="",
            ci95_low_s=None, ci95_high_s=None, p90_s=None, p99_s=None, max_s=None, min_s=None,
            mean_s=None, ci95_method="", launch_medians_s=(point.median_s,), flags={},
            point=None, series_index=-1,
        )
        for point in points
    )  # fmt: skip
    return Import(
        program="OtherMarks 3.1",
        files=("other.txt",),
        figures=bare,
        tables=(MACHINES,),
        remarks=(Remark(file="other.txt", line=17, text="cut in the middle of a row"),),
        bounds=(
            Bound(quantity="bandwidth_MBps", value=12000.0, where="node", source="made-up link"),
        ),
        source="Newsletter 117",
        when="8 April 1997",
        **more,
    )


class NoisySamples:
    """Calls of 100 us on two ranks, of which every 40th takes 3 us longer, and some far longer."""

    def columns(self, point):
        random = np.random.default_rng(point)
        shape = (4000, 2)
        call, rank = np.indices(shape)
        seconds = 1e-4 * (1 + 1e-4 * random.random(shape))
        seconds += np.where(call % 40 == 7 + 20 * rank, 3e-6, 0.0)
        seconds += (random.random(shape) < 0.005) * random.exponential(5e-5, shape)
        begin = np.cumsum(seconds, axis=0) - seconds
        same = {"launch": 0, "peer": -1, "batch": 1, "series": 0, "flags": 0}
        return {
            **{name: np.full(seconds.size, value) for name, value in same.items()},
            "repetition": call.ravel(),
            "rank": rank.ravel(),
            "seconds": seconds.ravel(),
            "begin": begin.ravel(),
        }


def of_table(run, *tables):
    """Return the run as an import of published tables."""
    return msgspec.structs.replace(run, imported=Import(program="", files=(), tables=tables))


def noisy_run(run):
    """Return a run with one point, in which ranks only work."""
    work = msgspec.structs.replace(
        run.benchmarks[2],
        name="node/work",
        series=(Series(name="work", definition="the same work"),),
    )
    point = msgspec.structs.replace(run.points[-1], index=0, benchmark="node/work", mpi="mpich")
    result = PointResult(point=0, start="back_to_back", stopped_by="repetitions")
    launch = msgspec.structs.replace(run.launches[0], points=(result,))
    return msgspec.structs.replace(run, benchmarks=[work], points=[point], launches=[launch])


def every_kind(run, analysis):
    """Return one panel of each kind that the run itself has not."""
    scaled = Analysis(points=shared_work(analysis.points), sweeps=())
    (comparison, _), *_ = comparison_panels(compared(analysis.points))
    return (
        *paired(run, analysis),
        *scaling_panels(of_no_samples(run, scaled)),
        *pair_panels(of_no_samples(run, pairs_on_places(analysis))),
        *node_panels(of_no_samples(run, sweep_over_nodes(analysis))),
        *generation_panels(of_no_samples(of_table(run, MACHINES), scaled)),
        *rate_panels(of_no_samples(*run_of(caches_bytes={"L1d": 32768, "L1i": 32768}))),
        msgspec.structs.replace(
            comparison, points=(), curves=("after",), data={"ratio": comparison.data["ratio"]}
        ),
    )


def calls_on_nodes(analysis, limit, nodes, maximum_s):
    """Return the barrier of the example run as a halo of `limit` on so many nodes would be."""
    (one, *_) = [each for each in analysis.jitter if each.predictions]
    point = msgspec.structs.replace(
        analysis.points[one.point],
        nodes=nodes,
        processes=2 * nodes,
        bytes=4096,
        knobs={"eager_limit": limit},
    )
    times = {"average_s": 1e-6, "maximum_s": maximum_s, "maximum_over_average": maximum_s / 1e-6}
    rates = {"average_GBps": 2.0, "maximum_GBps": 2e-6 / maximum_s}
    return point, msgspec.structs.replace(one, tasks=2 * nodes, **times, **rates)


def sweep_over_nodes(analysis):
    """Return an analysis of two eager limits on 4, 1 and 2 nodes, and one of a single number."""
    found = [
        calls_on_nodes(analysis, limit, nodes, (1 + slower * nodes) * 1e-6)
        for limit, slower in (("64K", 0.5), ("32K", 1.0))
        for nodes in (4, 1, 2)
    ]
    found.append(calls_on_nodes(analysis, "8K", 1, 1e-6))
    return msgspec.structs.replace(
        analysis,
        points=tuple(point for point, _ in found),
        jitter=tuple(msgspec.structs.replace(one, point=at) for at, (_, one) in enumerate(found)),
    )


def pairs_on_places(analysis):
    """Return an analysis of pairs on 1x2, 2x1 and 4x1: on the last one, one gets a third."""
    figure = analysis.points[1]
    found = []
    for nodes, each, shares in ((4, 1, (1 / 3, 2 / 3)), (2, 1, (1.0,)), (1, 2, (1.0,))):
        point = msgspec.structs.replace(
            figure, nodes=nodes, processes_per_node=each, processes=nodes * each, axes={"bytes": 16}
        )
        rates = tuple(
            PairShare(
                rank=2 * at, peer=2 * at + 1, seconds=1e-6 / share, MBps=12 * share, share=share,
                share_low=share * 0.9, share_high=min(1.0, share * 1.1),
            )
            for at, share in enumerate(shares)
        )  # fmt: skip
        shared = PairShares(
            point=len(found), fair_share=1 / len(rates), total_MBps=12.0, pairs=rates
        )
        found.append((point, shared))
    points, pairs = zip(*found, strict=True)
    return Analysis(points=points, sweeps=(), pairs=pairs)
