"""The headline figures of a run, each with a comparison, and how near they are to the best."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from leadline.analysis.findings.limits import bounds_of
from leadline.analysis.results.rates import fraction_of_bound
from leadline.analysis.verdict.classes import usual_of
from leadline.core.units import format_bytes, times
from leadline.model.description import Axis, Benchmark, Yardstick
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary
from leadline.model.verdict import Beside, Headline, HeadlineValue, Standing, Trust, Usual

# The sizes that people compare, where they were measured.
_SMALL_BYTES, _LARGE_BYTES = 8, 2**20
_SAME_SIZE = 0.02
_STILL_SMALL_BYTES = 2**10
_MOST = 12
# The worst figure decides: within 25 % of what is known it is good, beyond four times that poor.
# So is it where no figure of several is good.
_GOOD_GAP, _POOR_GAP = 1.25, 4.0
_FEW = "figures are known too little for a verdict: measure them in more launches."
_OF_OTHERS = "another program printed these figures: how far they vary is not known."
_NO_FIGURES = "there is no figure to judge."
_NOTHING = (
    "no bound is known for these figures: leadline survey compares with what this machine can do."
)
_POOR_TRUST = "mend what the line on trust names, and measure again."


class Curve(NamedTuple):
    """The figures of one benchmark, series and choice: by MPI, then by size (-1: without)."""

    benchmark: Benchmark
    by_mpi: dict[str, dict[int, int]]


def headlines(run: Run, analysis: Analysis) -> tuple[Headline, ...]:
    """Return the headlines of each benchmark in the run's order, of its default choices."""
    found = [one for curve in curves(run, analysis) for one in _of_curve(run, analysis, curve)]
    return tuple([*found, *_noise(run, analysis)][:_MOST])


def _described(run: Run, analysis: Analysis) -> list[Benchmark]:
    noisy = _noisy(run, analysis)
    known = {benchmark.name: benchmark for benchmark in run.benchmarks}
    names = dict.fromkeys(point.benchmark for point in analysis.points)
    return [known[name] for name in names if name in known and name not in noisy]


def _noisy(run: Run, analysis: Analysis) -> set[str]:
    compute = {each.name for each in run.benchmarks if each.only_works}
    return {analysis.points[noise.point].benchmark for noise in analysis.noise} & compute


def curves(run: Run, analysis: Analysis) -> Iterator[Curve]:
    """Yield the curve of each benchmark's default choice."""
    for benchmark in _described(run, analysis):
        indices = [i for i, each in enumerate(analysis.points) if each.benchmark == benchmark.name]
        indices = [i for i in indices if analysis.points[i].verified]
        if not indices:
            continue
        chosen = min(indices, key=lambda i: (_unusual(benchmark, analysis.points[i]), i))
        key = _choice(benchmark, analysis.points[chosen])
        by_mpi: dict[str, dict[int, int]] = {}
        for i in indices:
            point = analysis.points[i]
            if _choice(benchmark, point) == key:
                size = -1 if point.bytes is None else point.bytes
                by_mpi.setdefault(point.mpi, {})[size] = i
        yield Curve(benchmark, by_mpi)


def _unusual(benchmark: Benchmark, point: PointSummary) -> int:
    return sum(
        str(point.axes[axis.name]) != axis.default.partition(",")[0]
        for axis in benchmark.axes
        if axis.name in point.axes and axis.name != "bytes"
    )


def _choice(benchmark: Benchmark, point: PointSummary) -> tuple[object, ...]:
    axes = sorted((name, str(value)) for name, value in point.axes.items() if name != "bytes")
    conditions = sorted((name, str(value)) for name, value in point.conditions.items())
    return point.series, point.nodes, point.processes_per_node, tuple(axes), tuple(conditions)


def _of_curve(run: Run, analysis: Analysis, curve: Curve) -> Iterator[Headline]:
    sizes = sorted(set.intersection(*(set(by_size) for by_size in curve.by_mpi.values())))
    if not sizes:
        return
    benchmark = curve.benchmark
    # Where no small message was measured, a message of 0 bytes is shown in its place.
    some = [size for size in sizes if size > 0]
    small = _nearest(some if some and some[0] <= _STILL_SMALL_BYTES else sizes, _SMALL_BYTES)
    large = _nearest(sizes, _LARGE_BYTES)
    name = benchmark.title or benchmark.name
    first = analysis.points[next(iter(next(iter(curve.by_mpi.values())).values()))]
    if marks := list(_marks(run, analysis, first)):
        name += f" ({', '.join(marks)})"
    usual = [(False, name, size) for size in dict.fromkeys((small, large))]
    known = [
        (each.of == "rate", each.title, large if each.of == "rate" else small)
        for each in benchmark.headlines
    ]
    for rate, title, size in known or usual:
        points = {mpi: by_size[size] for mpi, by_size in curve.by_mpi.items()}
        if rate and not all(analysis.points[i].bandwidth_MBps for i in points.values()):
            continue
        named = title if size < 0 else f"{title}, {format_bytes(size)}"
        yield _headline(run, analysis, curve, named, points, rate=rate)


def _marks(run: Run, analysis: Analysis, point: PointSummary) -> Iterator[str]:
    """Yield what tells a figure from the others of its benchmark.

    That is its series, and in a publication, which has no usual choice, the choices and the
    placement.
    """
    every = [each for each in analysis.points if each.benchmark == point.benchmark]
    if len({each.series for each in every}) > 1:
        yield point.series.replace("_", " ")
    if not run.imported:
        return
    for name, value in point.axes.items():
        if name != "bytes" and len({each.axes.get(name) for each in every}) > 1:
            yield value if isinstance(value, str) else f"{name} {value}"
    if len({(each.nodes, each.processes_per_node) for each in every}) > 1:
        yield f"on {point.nodes}x{point.processes_per_node}"


def _nearest(sizes: Sequence[int], wanted: int) -> int:
    below = [size for size in sizes if size <= wanted]
    return max(below) if below else min(sizes)


def _headline(
    run: Run, analysis: Analysis, curve: Curve, title: str, points: dict[str, int], *, rate: bool
) -> Headline:
    figures = [analysis.points[index] for index in points.values()]
    unit, scale = _rate_unit(figures) if rate else _time_unit(figures)
    ranked = sorted(points, key=lambda mpi: analysis.points[points[mpi]].median_s)
    by_mpi = {
        mpi: _value(analysis.points[index], mpi, index, scale, rate)
        for mpi, index in points.items()
    }
    if curve.benchmark.messages:
        best = by_mpi[ranked[0]]
        if len(ranked) > 1 and _is_surely_better(best, by_mpi[ranked[1]], rate=rate):
            by_mpi[best.mpi] = replace(best, best=True)
        values = tuple(by_mpi.values())
    else:
        # What a process does alone is the machine's, whatever MPI started it.
        best = replace(next(iter(by_mpi.values())), mpi="")
        values = (best,)
    beside = None if best.is_unclear else _beside(run, analysis, curve, best.point, scale, rate)
    usual = None if rate else usual_of(run, analysis.points[best.point], scale)
    gap, ahead = _gap(values, beside, usual, rate=rate)
    return Headline(
        title=title,
        unit=unit,
        rate=rate,
        values=values,
        beside=beside,
        gap=gap,
        ahead=ahead,
        usual=usual,
    )


def _gap(
    values: Sequence[HeadlineValue], beside: Beside | None, usual: Usual | None, *, rate: bool
) -> tuple[float | None, str]:
    """Return how many times slower the first MPI is than the best known, and what that is.

    None of an unclear figure, and where nothing but another MPI is known that is no faster.
    """
    mine, *rest = values
    if mine.value <= 0 or mine.is_unclear:
        return None, ""
    known = [(beside.value, beside.text)] if beside else []
    known += [(usual.high, f"usual {usual.text}")] if usual else []
    known += [(each.value, each.mpi) for each in rest if _is_surely_better(each, mine, rate=rate)]
    gaps = [
        (value / mine.value if rate else mine.value / value, name)
        for value, name in known
        # A published time may be rounded to nothing.
        if value > 0
    ]
    if not gaps:
        return None, ""
    largest = max(gaps)
    return largest if largest[0] > 1 else (1.0, "")


def _is_surely_better(one: HeadlineValue, other: HeadlineValue, *, rate: bool) -> bool:
    """Tell whether the intervals lie apart; an unclear figure proves nothing."""
    if one.is_unclear:
        return False
    better, worse = (other.high, one.low) if rate else (one.high, other.low)
    return better is not None and worse is not None and better < worse


def _value(point: PointSummary, mpi: str, index: int, scale: float, rate: bool) -> HeadlineValue:
    # The interval within one launch says nothing of other launches; a simulation has no others.
    interval = point.interval if point.launches > 1 or point.simulated else None
    if rate:
        value = (point.bandwidth_MBps or 0.0) * scale
        ends = [value * point.median_s / end for end in reversed(interval or ()) if end > 0]
    else:
        value = point.median_s * scale
        ends = [end * scale for end in interval or ()]
    low, high = ends if len(ends) == 2 else (None, None)
    return HeadlineValue(mpi=mpi, value=value, low=low, high=high, point=index)


def _apart(faster: PointSummary, slower: PointSummary) -> bool:
    return bool(faster.interval and slower.interval and faster.interval[1] < slower.interval[0])


def _is_wide(point: PointSummary) -> bool:
    """Tell whether a figure is unclear: its interval is wider than a headline's may be."""
    interval = point.interval
    return bool(interval and interval[1] - interval[0] > HeadlineValue.WIDEST * point.median_s)


def _time_unit(points: Iterable[PointSummary]) -> tuple[str, float]:
    least = min(point.median_s for point in points)
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if least * scale >= 1:
            return unit, scale
    return ("us", 1e6) if least * 1e6 >= 0.01 else ("ns", 1e9)


def _rate_unit(points: Iterable[PointSummary]) -> tuple[str, float]:
    slowest = min(point.bandwidth_MBps or 0.0 for point in points)
    return ("GB/s", 1e-3) if slowest >= 1e3 else ("MB/s", 1.0)


def _beside(
    run: Run, analysis: Analysis, curve: Curve, index: int, scale: float, rate: bool
) -> Beside | None:
    """Return what the best MPI's figure is compared with, the strongest comparison first.

    A figure that is surely above a bound refutes it: it is none.
    """
    point = analysis.points[index]
    if reached := fraction_of_bound(point):
        value = point.bandwidth_MBps or 0.0 if rate else point.median_s
        bound = value / reached if rate else value * reached
        return Beside(text="the hardware", value=bound * scale, reached=reached)
    if rate:
        found = _link(run, point, scale) or _yardstick(analysis, curve.benchmark, point, scale)
    else:
        found = _faster_way(analysis, curve.benchmark, index, scale)
    if found is None or found.reached <= 1:
        return found
    slowest = point.interval[1] if point.interval else point.median_s
    return replace(found, reached=1.0) if found.reached * point.median_s <= slowest else None


def _link(run: Run, point: PointSummary, scale: float) -> Beside | None:
    where = "node" if point.nodes == 1 else "network"
    known = [
        bound.value
        for bound in bounds_of(run)
        if bound.quantity == "bandwidth_MBps" and bound.where == where
    ]
    if not known or point.processes != 2:
        return None
    rate = min(known)
    return Beside(text="the link", value=rate * scale, reached=(point.bandwidth_MBps or 0.0) / rate)


def _yardstick(
    analysis: Analysis, benchmark: Benchmark, point: PointSummary, scale: float
) -> Beside | None:
    """Return the rate that the hardware has for as many bytes in the same state of the caches."""
    for yardstick in benchmark.yardsticks if point.nodes == 1 else ():
        found = [each for each in analysis.points if _measures(yardstick, each, point)]
        if found:
            rate = max(each.bandwidth_MBps or 0.0 for each in found)
            return Beside(
                text=yardstick.title,
                value=rate * scale,
                reached=(point.bandwidth_MBps or 0.0) / rate,
            )
    return None


def _measures(yardstick: Yardstick, each: PointSummary, point: PointSummary) -> bool:
    named = {**each.axes, **each.conditions}
    return (
        (each.benchmark, each.mpi) == (yardstick.benchmark, point.mpi)
        and each.verified
        and bool(each.bandwidth_MBps)
        and not _is_wide(each)
        and (each.nodes, each.processes) == (1, point.processes)
        and abs((each.bytes or 0) - (point.bytes or 0)) <= _SAME_SIZE * (point.bytes or 0)
        and each.conditions.get("cache") == point.conditions.get("cache")
        and all(str(named.get(name)) == value for name, value in yardstick.values.items())
    )


def _faster_way(
    analysis: Analysis, benchmark: Benchmark, index: int, scale: float
) -> Beside | None:
    mine = analysis.points[index]
    ways = _other_ways(analysis, benchmark, mine)
    # An import may have rounded a time to 0: it is none to compare with.
    faster = [way for way in ways if way[0].median_s > 0 and _apart(way[0], mine)]
    if not faster:
        return None
    best, axis = min(faster, key=lambda way: way[0].median_s)
    return Beside(
        text=str(best.axes[axis.name]).replace("_", " "),
        value=best.median_s * scale,
        reached=best.median_s / mine.median_s,
        is_way=True,
    )


def _other_ways(
    analysis: Analysis, benchmark: Benchmark, mine: PointSummary
) -> Iterator[tuple[PointSummary, Axis]]:
    """Yield the figures of other ways to do the same, each with the axis that chooses it."""
    ways = [axis for axis in benchmark.axes if axis.kind == "choice" and axis.ways]
    for each in analysis.points:
        if each.benchmark != mine.benchmark or not each.verified or each.mpi != mine.mpi:
            continue
        differing = [axis for axis in ways if each.axes.get(axis.name) != mine.axes.get(axis.name)]
        if len(differing) == 1 and _same_but(each, mine, differing[0].name):
            yield each, differing[0]


def _same_but(one: PointSummary, other: PointSummary, axis: str) -> bool:
    def rest(point: PointSummary) -> tuple[object, ...]:
        axes = {name: value for name, value in point.axes.items() if name != axis}
        return point.series, point.nodes, point.processes_per_node, axes, point.conditions

    return rest(one) == rest(other)


def _noise(run: Run, analysis: Analysis) -> Iterator[Headline]:
    """Yield the time that the machine takes from whoever computes, once: it is of no MPI."""
    noisy = _noisy(run, analysis)
    heard = [each for each in analysis.noise if analysis.points[each.point].benchmark in noisy]
    for noise in heard[:1]:
        value = HeadlineValue(
            mpi="",
            value=100 * noise.lost_fraction,
            low=100 * noise.ci95_low,
            high=100 * noise.ci95_high,
            point=noise.point,
        )
        yield Headline(title="Processor time lost", unit="%", rate=False, values=(value,))


def standing(headlines: Sequence[Headline], trust: Trust) -> Standing:
    """Return how the figures of the first MPI stand to what is known of them; the worst decides."""
    gaps = [(each.gap, each) for each in headlines if each.gap is not None]
    if trust.grade == "poor":
        return Standing(grade="unclear", text=_POOR_TRUST)
    if not headlines:
        return Standing(text=_NO_FIGURES)
    if not gaps and trust.grade == "unknown":
        return Standing(text=_OF_OTHERS)
    if not gaps:
        unclear = any(each.values[0].is_unclear for each in headlines)
        return Standing(grade="unclear", text=_FEW) if unclear else Standing(text=_NOTHING)
    largest, worst = max(gaps, key=lambda one: one[0])
    near = sum(gap <= _GOOD_GAP for gap, _ in gaps)
    mpi = next((each.values[0].mpi for _, each in gaps if each.values[0].mpi), "")
    counted = f"{near or 'None'} of {len(gaps)} figures{f' of {mpi}' if mpi else ''}"
    subject = worst.title if len(gaps) == near == 1 else counted
    within = f"{subject} {'is' if near < 2 else 'are'} within 25 % of"
    text = f"{within} a bound, the usual or the best way here."
    if largest > _GOOD_GAP:
        text = f"{worst.title} is {times(largest)} slower than {worst.ahead}."
        text += f" {within} what is known." if len(gaps) > 1 else ""
    poor = largest > _POOR_GAP or (not near and len(gaps) > 1)
    return Standing(
        grade="good" if largest <= _GOOD_GAP else "poor" if poor else "fair",
        text=text,
        mpi=mpi,
        compared=len(gaps),
        near=near,
        largest=largest,
    )
