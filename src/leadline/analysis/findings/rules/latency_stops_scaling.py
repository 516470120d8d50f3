"""Work that stops scaling because it waits many times for few data, and what puts would gain."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from leadline.analysis.findings.deliveries import ONE_SIDED, TWO_SIDED, deliveries
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.scaling import GAIN, Curve, curves_of_work, name_of_curve, series_of
from leadline.analysis.findings.words import command, name_of, ratio_text
from leadline.analysis.results.program import WORK
from leadline.analysis.stats.comparison import clearly_longer, time_ratio
from leadline.core.units import count, format_bytes, format_seconds, number, percent
from leadline.model.summary import Finding, PointSummary

TOPIC = "speed"
ADVICE = "Wait less often: join messages, put instead of send, let communication and work overlap."

# What a benchmark tells of exchanges that follow each other within one operation: how many there
# are, how long one takes, the size of its messages, and how many of these are puts.
_COUNT, _TIME, _SIZE, _PUTS = "exchanges", "exchange_us", "message_bytes", "one_sided_percent"
# Larger messages cost more than their latency.
_SMALL_BYTES = 4096
# Two ways of the same work differ by no more than this on the fewest processes.
_ALIKE = 1.1


class _Waiting(NamedTuple):
    """What the exchanges of one operation cost on the most processes of a curve, in seconds."""

    curve: Curve
    figure: int
    exchanges: float
    each_s: float
    waiting_s: float
    rest_s: float
    one_sided: bool


def find(evidence: Evidence) -> Iterator[Finding]:
    """Yield a notice for each work and library that latency stops.

    Of several ways to send messages the fastest speaks for them; puts are held against it. Where
    nothing is known of the exchanges, two libraries that take as long on few processes tell it.
    """
    curves = list(curves_of_work(evidence))
    ways: dict[object, list[_Waiting]] = defaultdict(list)
    for curve in curves:
        if waiting := _find_waiting(evidence, curve):
            point = evidence.points[waiting.figure]
            metrics = (point.metrics[WORK], point.metrics[_SIZE], waiting.exchanges)
            place = (point.nodes, point.processes_per_node)
            ways[point.series, point.mpi, place, metrics, evidence.task(point)].append(waiting)
    for alike in ways.values():
        yield from _find_measured(evidence, alike)
    for one, other in product(curves, repeat=2):
        if _TIME not in evidence.points[one.points[one.most]].metrics:
            yield from _against(evidence, one, other)


def _find_waiting(evidence: Evidence, curve: Curve) -> _Waiting | None:
    index = curve.points[curve.most]
    point = evidence.points[index]
    metrics = point.metrics
    if not metrics.keys() >= {_COUNT, _TIME, _SIZE} or metrics[_SIZE] > _SMALL_BYTES:
        return None
    each = metrics[_TIME] * 1e-6
    waiting = min(metrics[_COUNT] * each, point.median_s)
    rest = point.median_s - waiting
    return _Waiting(
        curve, index, metrics[_COUNT], each, waiting, rest, metrics.get(_PUTS, 0.0) > 50
    )


def _find_measured(evidence: Evidence, ways: Sequence[_Waiting]) -> Iterator[Finding]:
    """Yield the finding of one work with one library, if it would scale on without waiting."""
    ordered = sorted(ways, key=lambda way: way.waiting_s + way.rest_s)
    one = next((way for way in ordered if not way.one_sided), ordered[0])
    curve = one.curve
    stops = curve.seconds[curve.stops_at]
    if curve.stops_at == curve.most or stops < GAIN * one.rest_s:
        return
    puts = next((way for way in ordered if way.one_sided and way is not one), None)
    numbers = {
        "stops_at_processes": float(curve.stops_at),
        "most_processes": float(curve.most),
        "exchanges": one.exchanges,
        "exchange_us": one.each_s * 1e6,
        "waiting_s": one.waiting_s,
        "waiting_fraction": one.waiting_s / (one.waiting_s + one.rest_s),
        "rest_s": one.rest_s,
    }
    # Where the work of one process, divided, is as long as the waiting, which is not divided.
    even = curve.fewest * curve.seconds[curve.fewest] / one.waiting_s
    numbers["even_processes"] = even
    gain, advice = _gain(evidence, one, puts, numbers)
    longer = (
        f"from {number(even)} processes on it is the longer part"
        if even > curve.fewest
        else f"it is longer than the whole on {curve.fewest}"
    )
    size = format_bytes(round(evidence.points[one.figure].metrics[_SIZE]))
    yield Finding(
        severity="notice",
        text=f"Latency stops {name_of_curve(evidence, curve)} at "
        f"{count(curve.stops_at, 'process')}: on {curve.most} it "
        f"waits {one.exchanges:.0f} times for messages of {size}, "
        f"{format_seconds(one.each_s)} each, {format_seconds(one.waiting_s)} of "
        f"{format_seconds(one.waiting_s + one.rest_s)} or "
        f"{percent(numbers['waiting_fraction'])}; all else takes {format_seconds(one.rest_s)} and "
        f"gets less with more processes, the waiting does not: {longer}. {gain}",
        evidence=numbers,
        advice=advice,
        points=(*curve.points.values(), *([puts.figure] if puts else [])),
    )


def _gain(
    evidence: Evidence, one: _Waiting, puts: _Waiting | None, numbers: dict[str, float]
) -> tuple[str, str]:
    """Return what one-sided gains, as a sentence, and what to do; and add the numbers."""
    fewer = "Exchange less often, a wider edge at once, or join the messages of several exchanges"
    if one.one_sided:
        return "These are puts already.", f"{fewer}."
    if puts is None:
        return _expect_gain(evidence, one, numbers, fewer)
    mine, other = evidence.points[one.figure], evidence.points[puts.figure]
    ratio = time_ratio(mine, other)
    numbers["one_sided_exchange_us"] = puts.each_s * 1e6
    numbers["one_sided_s"] = other.median_s
    name = name_of(evidence, puts.figure, without=["place", "mpi"])
    takes = f"One-sided ({name}) takes {format_seconds(puts.each_s)} an exchange"
    if ratio is not None:
        numbers |= ratio.evidence("one_sided_gain")
    if ratio is None or not clearly_longer(ratio, useful=GAIN):
        loses = clearly_longer(time_ratio(other, mine), useful=GAIN)
        told = f"{takes}: it {'is slower' if loses else 'gains nothing'} here."
        return told, f"{fewer}: one-sided is no way out here."
    again = command(evidence, [one.figure, puts.figure], launches=10)
    apart = mine.benchmark != other.benchmark
    proof = "" if apart or evidence.run.imported else f"; prove it first with `{again}`"
    return (
        f"{takes}: messages take {ratio_text(ratio)} as long for the whole.",
        f"Put the values into the neighbours' memory ({name}){proof}. {fewer}.",
    )


def _expect_gain(
    evidence: Evidence, one: _Waiting, numbers: dict[str, float], fewer: str
) -> tuple[str, str]:
    """Return what puts would gain by the measured times of single deliveries."""
    fastest: dict[str, PointSummary] = {}
    mine = evidence.points[one.figure]
    wanted = mine.metrics[_SIZE]
    for index, side in deliveries(evidence):
        point = evidence.points[index]
        if point.mpi != mine.mpi or (point.nodes > 1) != (mine.nodes > 1):
            continue
        best = fastest.get(side)
        if best is None or _nearer(point, best, wanted):
            fastest[side] = point
    if fastest.keys() < {ONE_SIDED, TWO_SIDED}:
        return "What one-sided would gain was not measured.", f"{fewer}, or measure it with puts."
    put, message = fastest[ONE_SIDED], fastest[TWO_SIDED]
    factor = put.median_s / message.median_s
    expected = one.rest_s + one.waiting_s * factor
    numbers["put_us"] = put.median_s * 1e6
    numbers["message_us"] = message.median_s * 1e6
    numbers["expected_one_sided_s"] = expected
    told = (
        f"A put ({put.benchmark}) is delivered in {format_seconds(put.median_s)}, a message "
        f"({message.benchmark}) in {format_seconds(message.median_s)}"
    )
    if factor * GAIN > 1:
        return f"{told}: one-sided would gain nothing.", f"{fewer}."
    return (
        f"{told}: one-sided should bring the whole to {format_seconds(expected)}.",
        f"Try puts. {fewer}.",
    )


def _nearer(point: PointSummary, best: PointSummary, wanted: float) -> bool:
    """Tell whether a figure is of a size nearer to the one wanted, or faster at the same."""
    off, least = (abs((each.bytes or 0) - wanted) for each in (point, best))
    return (off, point.median_s) < (least, best.median_s)


def _against(evidence: Evidence, one: Curve, other: Curve) -> Iterator[Finding]:
    """Yield a notice where one library stops and another, with the same work, goes on."""
    first, second = (evidence.points[curve.points[curve.fewest]] for curve in (one, other))
    same = (
        first.mpi != second.mpi
        and list(one.points) == list(other.points)
        and series_of(evidence, one) == series_of(evidence, other)
        and evidence.choices(first) == evidence.choices(second)
        and evidence.amounts(first) == evidence.amounts(second)
        and first.metrics[WORK] == second.metrics[WORK]
    )
    if not same or one.stops_at == one.most or other.stops_at != other.most:
        return
    alike = one.seconds[one.fewest] / other.seconds[one.fewest]
    slow, fast = one.seconds[one.most], other.seconds[one.most]
    if not 1 / _ALIKE < alike < _ALIKE or slow < GAIN * fast:
        return
    yield Finding(
        severity="notice",
        text=f"Waiting stops {name_of_curve(evidence, one)} at {one.stops_at} processes, not work: "
        f"with {second.mpi} the same takes as long on {one.fewest} "
        f"({format_seconds(one.seconds[one.fewest])} and "
        f"{format_seconds(other.seconds[one.fewest])}), but on {one.most} "
        f"{format_seconds(fast)} instead of {format_seconds(slow)}: at least "
        f"{format_seconds(slow - fast)} or {percent(1 - fast / slow)} is the latency of messages, "
        "which does not get less with more processes as data and work do (no interval).",
        effect=slow / fast,
        evidence={
            "stops_at_processes": float(one.stops_at),
            "most_processes": float(one.most),
            "waiting_s": slow - fast,
            "waiting_fraction": 1 - fast / slow,
            "gain_factor": slow / fast,
        },
        advice=f"Communicate as with {second.mpi}, one-sided if that is what it does, or exchange "
        "less often and more at once.",
        points=(*one.points.values(), *other.points.values()),
    )
