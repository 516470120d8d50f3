"""Sizes: the best ones, and those that others of the same curve beat."""

import math
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.curve_causes import (
    HELD,
    LossyCurve,
    lossy_curves,
    places_text,
    plateau,
    points_of,
    private_cache,
    slow_sizes,
    splits,
    switches,
)
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.limits import sustained
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import (
    again,
    compared_text,
    gain_of,
    library_axis,
    name_of,
    sizes_text,
    span,
    worst_of,
)
from leadline.core.units import format_bytes, format_seconds, percent, rate_text, times
from leadline.model.summary import Advice, Finding, PointSummary, Sweep

# Small messages take no longer than this factor of the smallest.
_FLAT = 1.5

# A rate that counts more than the bytes of one message by this factor says so.
_COUNTED = 1.05


@rule(
    "speed",
    cure="Send messages of the sizes at which nine tenths of the peak rate are there.",
    evidence={
        "best_size_bytes": "size with the peak rate",
        "best_MBps": "peak rate",
        "plateau_from_bytes": "smallest size with 90 % of it",
        "plateau_to_bytes": "largest size with 90 % of it",
        "largest_size_MBps": "rate at the largest size",
        "half_size_bytes": "size at which half of the asymptotic rate is reached",
        "asymptotic_MBps": "slope of the line through the largest sizes",
    },
)
def best_size(evidence: Evidence) -> Iterator[Finding]:
    """The time of small messages, the peak rate, and the sizes at which most of the rate is
    there.
    """
    for sweep in evidence.curves:
        if evidence.describes(sweep.benchmark) and not evidence.may("join", sweep.benchmark):
            continue
        usable = sustained(evidence, sweep)
        if sweep.best_MBps is not None and usable:
            yield _best_finding(evidence, sweep, usable)


def _best_finding(evidence: Evidence, sweep: Sweep, usable: Sequence[int]) -> Finding:
    curve = [evidence.points[index] for index in usable]
    rates = [point.bandwidth_MBps or 0.0 for point in curve]
    best, first, last = plateau(rates, HELD)
    numbers = {
        "best_size_bytes": float(curve[best].bytes or 0),
        "best_MBps": rates[best],
        "plateau_from_bytes": float(curve[first].bytes or 0),
        "plateau_to_bytes": float(curve[last].bytes or 0),
        "largest_size_MBps": rates[-1],
    }
    if sweep.half_size_bytes is not None and sweep.asymptotic_MBps is not None:
        numbers["half_size_bytes"] = sweep.half_size_bytes
        numbers["asymptotic_MBps"] = sweep.asymptotic_MBps
    rises = first == len(curve) - 1
    advice, command = _advice(evidence, usable, rises, curve[first], curve[last])
    return Finding(
        severity="fact",
        text=f"{name_of(evidence, usable[best], without=['bytes'])}: "
        f"{'; '.join(_small(evidence, sweep))}. Peak {rate_text(rates[best])} at "
        f"{format_bytes(curve[best].bytes)}{_plateau(curve, first, last)}."
        f"{_counted(curve[best])}{_cached(evidence, curve[best])}",
        evidence=numbers,
        advice=advice,
        command=command,
        points=(usable[first], usable[best]),
    )


def _small(evidence: Evidence, sweep: Sweep) -> Iterator[str]:
    points = [evidence.points[index] for index in sweep.points]
    flat = points[0]
    for point in points:
        if point.median_s > _FLAT * points[0].median_s:
            break
        flat = point
    ends = [format_seconds(time) for time in (points[0].median_s, flat.median_s)]
    size = "up to " * (flat is not points[0]) + format_bytes(flat.bytes)
    yield f"{' to '.join(dict.fromkeys(ends))} {size if flat is not points[0] else f'at {size}'}"
    for one in switches(evidence, sweep):
        if one.factor > 1:
            slow = evidence.points[one.after]
            what = f"{format_seconds(slow.median_s)} at {format_bytes(slow.bytes)}"
            yield f"{what} (protocol switch)"


def _plateau(curve: Sequence[PointSummary], first: int, last: int) -> str:
    if first == len(curve) - 1:
        return ", still rising"
    begin, end = (format_bytes(curve[index].bytes) for index in (first, last))
    if begin == end:
        return ""
    return f", {percent(HELD)} of it from {begin} to {end}"


def _counted(point: PointSummary) -> str:
    """Return what a rate counts, where that is not the bytes of one message."""
    moved = (point.bandwidth_MBps or 0.0) * 1e6 * point.median_s / (point.bytes or 1)
    return f" The rate counts {times(moved)} the size." if moved > _COUNTED else ""


def _cached(evidence: Evidence, point: PointSummary) -> str:
    cache = private_cache(evidence, point)
    return f" The data stay in the {cache} cache." if cache else ""


def _advice(
    evidence: Evidence, usable: Sequence[int], rises: bool, first: PointSummary, last: PointSummary
) -> tuple[Advice | None, str | None]:
    what = "messages" if evidence.sends(first.benchmark) else "calls"
    if not rises:
        if not evidence.may("join", first.benchmark):
            return None, None
        if first.bytes == last.bytes:
            return None, None
        sizes = f"{format_bytes(first.bytes)} to {format_bytes(last.bytes)}"
        return Advise.JOIN(what=what, sizes=sizes), None
    axis = evidence.axis(first.benchmark, "bytes")
    largest = first.bytes or 0
    most = (axis.maximum if axis else None) or 8 * largest
    command = None
    if 2 * largest <= most:
        sizes = f"{largest}:{min(8 * largest, int(most))}:x2"
        command = again(evidence, usable[-1:], bytes=sizes)
    return Advise.LARGER(what=what), command


@rule(
    "speed",
    cure="Send the larger message there.",
    evidence={
        "sizes_slower": "sizes that a larger one beats",
        "ratio": "time of the smaller size over that of the larger one, the largest",
        "at_bytes": "smaller size",
        "faster_at_bytes": "larger size",
        "curves": "curves with such sizes",
        "most_too_slow_factor": "time over what the sizes around let expect, the largest",
    },
)
def larger_is_faster(evidence: Evidence) -> Iterator[Finding]:
    """Sizes that take longer than a larger one: there the library chooses a poor algorithm.

    The guideline of monotony: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines",
    IEEE TPDS 21(5), 2010. A program that pads its data up would gain.
    """
    # A notice, but a fact of an import where it is so at the smallest sizes alone: those are mostly
    # measured first, and pay for what is done once. leadline itself visits sizes in random order.
    for curves in lossy_curves(evidence, lambda all_of, sweep: iter(slow_sizes(all_of, sweep))):
        yield _padding_finding(evidence, curves)


def _padding_finding(evidence: Evidence, curves: Sequence[LossyCurve]) -> Finding:
    curve = curves[0]
    ratio, small, large = curve.worst
    slow, fast = evidence.points[small], evidence.points[large]
    at_first = evidence.run.imported is not None and all(map(_at_first, curves))
    # The same on other numbers of processes has the same cause.
    alike = [one for one in curves if one.variant == curve.variant]
    others = [curve, *(one for one in curves if one not in alike)]
    measured = {evidence.points[index].bytes or 0 for one in alike for index in one.points}
    lost = {evidence.points[each.slow].bytes or 0 for one in alike for each in one.losses}
    factors = [_too_slow(evidence, one, each.slow) for one in alike for each in one.losses]
    where = places_text(evidence, [one.worst.slow for one in alike])
    return Finding(
        severity="fact" if at_first else "notice",
        text=f"{name_of(evidence, small, without=['bytes', 'place'])} is {span(factors)} too slow "
        f"at {sizes_text(sorted(measured), sorted(lost))}{where}: {_times(slow, fast)}."
        f"{' Likely the cost of first calls.' if at_first else ''}{worst_of(others, 'curves')}",
        effect=ratio.median,
        evidence={
            "sizes_slower": float(len(curve.losses)),
            **ratio.evidence(),
            "at_bytes": float(slow.bytes or 0),
            "faster_at_bytes": float(fast.bytes or 0),
            "curves": float(len(curves)),
            "most_too_slow_factor": max(factors),
        },
        advice=None if at_first else Advise.PAD(size=format_bytes(fast.bytes)),
        command=None if at_first else again(evidence, [small, large], launches=10),
        gain=None if at_first else gain_of(ratio),
        points=points_of(curves),
    )


def _times(slow: PointSummary, fast: PointSummary) -> str:
    return " but ".join(
        f"{format_seconds(each.median_s)} at {format_bytes(each.bytes)}" for each in (slow, fast)
    )


def _too_slow(evidence: Evidence, curve: LossyCurve, figure: int) -> float:
    """Return how many times as long a slow size takes as its neighbours let expect.

    That is the straight line, on logarithmic scales, between the next sizes that are not slow; the
    larger one alone where there is no smaller one.
    """
    slow = {one.slow for one in curve.losses}
    place = curve.points.index(figure)
    before = [i for i in curve.points[:place] if i not in slow and evidence.points[i].bytes][-1:]
    after = next(i for i in curve.points[place:] if i not in slow)
    here, large = evidence.points[figure], evidence.points[after]
    if not before or not here.bytes:
        return here.median_s / large.median_s
    small = evidence.points[before[0]]
    sizes = [math.log(each.bytes or 1) for each in (small, here, large)]
    share = (sizes[1] - sizes[0]) / (sizes[2] - sizes[0])
    expected = (1 - share) * math.log(small.median_s) + share * math.log(large.median_s)
    return here.median_s / math.exp(expected)


def _at_first(curve: LossyCurve) -> bool:
    small = {one.slow for one in curve.losses}
    return small == set(curve.points[: len(small)])


@rule(
    "speed",
    evidence={
        "sizes_slower": "sizes that two halves beat",
        "ratio": "time of the whole over that of two halves, the largest",
        "at_bytes": "size with the largest ratio",
        "curves": "curves with such sizes",
    },
)
def split_is_faster(evidence: Evidence) -> Iterator[Finding]:
    """Sizes at which two calls with half the data would be faster than one.

    The guideline of split-robustness: Traeff, Gropp, Thakur, "Self-Consistent MPI Performance
    Guidelines", IEEE TPDS 21(5), 2010. Told where no switch of protocol, slow size or falling rate
    is the cause.
    """
    for curves in lossy_curves(evidence, splits):
        yield _splitting_finding(evidence, curves)


def _splitting_finding(evidence: Evidence, curves: Sequence[LossyCurve]) -> Finding:
    curve = curves[0]
    ratio, whole, _ = curve.worst
    size = evidence.points[whole].bytes or 0
    sizes = [evidence.points[index].bytes or 0 for index in curve.points]
    lost = [evidence.points[one.slow].bytes or 0 for one in curve.losses]
    more = [each for each in lost if each != size]
    also = f"; also faster at {sizes_text(sizes, more)}" if more else ""
    sends = evidence.sends(evidence.points[whole].benchmark)
    collective = library_axis(evidence, evidence.points[whole].benchmark)
    what = "messages" if sends and not collective else "calls"
    return Finding(
        severity="notice",
        text=f"{name_of(evidence, whole, without=['bytes'])}: two {what} of "
        f"{format_bytes(size // 2)} are {compared_text(ratio, 'faster')} than one of "
        f"{format_bytes(size)}{also}.{worst_of(curves, 'curves')}",
        effect=ratio.median,
        evidence={
            "sizes_slower": float(len(lost)),
            **ratio.evidence(),
            "at_bytes": float(size),
            "curves": float(len(curves)),
        },
        points=points_of(curves),
    )
