"""Scaling that ends because processes wait for small messages, and what puts would gain."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.scaling import GAIN, Curve, curves_of_work, name_of_curve, series_of
from leadline.analysis.findings.words import again, compared_text, gain_of, name_of
from leadline.analysis.results.program import WORK
from leadline.analysis.stats.comparison import clearly_longer, time_ratio
from leadline.core.units import count, format_bytes, format_seconds, percent
from leadline.model.summary import Advice, Finding, Gain, PointSummary

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


@rule(
    "speed",
    cure="Where puts were measured to be faster, put instead of send.",
    evidence={
        "stops_at_processes": "where scaling ends",
        "most_processes": "most",
        "exchanges": "messages that follow each other",
        "exchange_us": "time of each, in us",
        "waiting_s": "time of all",
        "waiting_fraction": "part of the whole",
        "rest_s": "time of the rest",
        "even_processes": "where waiting and work take as long",
        "one_sided_exchange_us": "time of an exchange by puts, in us",
        "one_sided_s": "whole time by puts",
        "one_sided_gain": "gain by puts, measured",
        "put_us": "delivery of a put, in us",
        "message_us": "delivery of a message, in us",
        "expected_one_sided_s": "whole time by puts, expected",
        "gain_factor": "time over that of the faster library",
    },
)
def latency_stops_scaling(evidence: Evidence) -> Iterator[Finding]:
    """Scaling that ends because processes wait for small messages, and what puts would gain."""
    # Of several ways to send messages the fastest speaks for them; puts are held against it. Where
    # nothing is known of the exchanges, two libraries that take as long on few processes tell it.
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
    gain = _gain(evidence, one, puts, numbers)
    size = format_bytes(round(evidence.points[one.figure].metrics[_SIZE]))
    yield Finding(
        severity="notice",
        text=f"Latency stops {name_of_curve(evidence, curve)} at "
        f"{count(curve.stops_at, 'process')}. On {curve.most}, {one.exchanges:.0f} messages of "
        f"{size} take {format_seconds(one.each_s)} each: {format_seconds(one.waiting_s)} of "
        f"{format_seconds(one.waiting_s + one.rest_s)} ({percent(numbers['waiting_fraction'])})."
        f"{gain.text}",
        evidence=numbers,
        advice=gain.advice,
        command=gain.command,
        gain=gain.expected,
        points=(*curve.points.values(), *([puts.figure] if puts else [])),
    )


class _Gain(NamedTuple):
    """What one-sided communication gains, as a sentence, and what to do."""

    text: str
    advice: Advice | None = None
    command: str | None = None
    expected: Gain | None = None


def _gain(
    evidence: Evidence, one: _Waiting, puts: _Waiting | None, numbers: dict[str, float]
) -> _Gain:
    if one.one_sided:
        return _Gain("")
    if puts is None:
        return _expect_gain(evidence, one, numbers)
    mine, other = evidence.points[one.figure], evidence.points[puts.figure]
    ratio = time_ratio(mine, other)
    numbers["one_sided_exchange_us"] = puts.each_s * 1e6
    numbers["one_sided_s"] = other.median_s
    name = name_of(evidence, puts.figure, without=["place", "mpi"])
    if ratio is not None:
        numbers |= ratio.evidence("one_sided_gain")
    if ratio is None or not clearly_longer(ratio, useful=GAIN):
        loses = clearly_longer(time_ratio(other, mine), useful=GAIN)
        return _Gain(f" One-sided ({name}) {'is slower' if loses else 'gains nothing'}.")
    apart = mine.benchmark != other.benchmark
    return _Gain(
        f" One-sided ({name}) is {compared_text(ratio, 'faster')}.",
        Advise.PUT(way=name),
        None if apart else again(evidence, [one.figure, puts.figure], launches=10),
        gain_of(ratio),
    )


def _expect_gain(evidence: Evidence, one: _Waiting, numbers: dict[str, float]) -> _Gain:
    fastest: dict[str, PointSummary] = {}
    mine = evidence.points[one.figure]
    wanted = mine.metrics[_SIZE]
    for point in evidence.points:
        side = evidence.delivery(point)
        if not side or point.mpi != mine.mpi or (point.nodes > 1) != (mine.nodes > 1):
            continue
        best = fastest.get(side)
        if best is None or _nearer(point, best, wanted):
            fastest[side] = point
    if len(fastest) < 2:
        return _Gain("")
    put, message = fastest["one-sided"], fastest["two-sided"]
    factor = put.median_s / message.median_s
    expected = one.rest_s + one.waiting_s * factor
    numbers["put_us"] = put.median_s * 1e6
    numbers["message_us"] = message.median_s * 1e6
    numbers["expected_one_sided_s"] = expected
    deliveries = (
        f" {evidence.title(put.benchmark)} delivers in {format_seconds(put.median_s)}, "
        f"{evidence.title(message.benchmark)} in {format_seconds(message.median_s)}"
    )
    if factor * GAIN > 1:
        return _Gain(f"{deliveries}: one-sided gains nothing.")
    return _Gain(f"{deliveries}: one-sided likely takes {format_seconds(expected)}.")


def _nearer(point: PointSummary, best: PointSummary, wanted: float) -> bool:
    """Tell whether a figure is of a size nearer to the one wanted, or faster at the same."""
    off, least = (abs((each.bytes or 0) - wanted) for each in (point, best))
    return (off, point.median_s) < (least, best.median_s)


def _against(evidence: Evidence, one: Curve, other: Curve) -> Iterator[Finding]:
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
        text=f"Latency stops {name_of_curve(evidence, one)} at "
        f"{count(one.stops_at, 'process')}: on {one.most} it takes {format_seconds(slow)}, with "
        f"{second.mpi} {format_seconds(fast)}. On {one.fewest} both take as long, so at least "
        f"{percent(1 - fast / slow)} is latency.",
        effect=slow / fast,
        evidence={
            "stops_at_processes": float(one.stops_at),
            "most_processes": float(one.most),
            "waiting_s": slow - fast,
            "waiting_fraction": 1 - fast / slow,
            "gain_factor": slow / fast,
        },
        points=(*one.points.values(), *other.points.values()),
    )
