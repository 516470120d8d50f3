"""LogGP: the numbers by which a model of communication knows a library."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from leadline.analysis.findings.advice import Advise
from leadline.analysis.findings.evidence import Evidence
from leadline.analysis.findings.rule import rule
from leadline.analysis.findings.words import name_of
from leadline.analysis.results import scaling as model_of
from leadline.analysis.results.scaling import LogGP, Parameter
from leadline.core.units import format_seconds, percent, rate_text, times
from leadline.model.summary import Advice, Finding, PointSummary

# A stream of messages no larger than this is paced by their number, not by their bytes.
_SMALL_BYTES = 64


@rule(
    "hardware",
    cure="Where g is far below L + 2 o, start many messages before waiting for any.",
    evidence={
        "latency_and_overheads_s": "L + 2 o",
        "G_s_per_byte": "time of a byte, in s",
        "g_s": "gap between messages",
        "o_s": "overhead of a send",
        "L_s": "latency",
        "mean_residual_fraction": "mean error of the lines",
        "*": "ends of the 95 % intervals",
    },
)
def loggp(evidence: Evidence) -> Iterator[Finding]:
    """LogGP: the numbers by which a model of communication knows a library."""
    # Ping-pongs are the benchmarks that declare the delivery of two-sided messages; of several ways
    # the one with the lowest latency counts.
    declared = {
        one.name: one.delivery.series
        for one in evidence.run.benchmarks
        if one.delivery and one.delivery.sides == "two-sided"
    }
    streams = _streams(evidence)
    found: dict[object, list[int]] = defaultdict(list)
    for number_, sweep in enumerate(evidence.sweeps):
        if declared.get(sweep.benchmark) == sweep.series and sweep.regimes:
            found[_place(evidence.points[sweep.points[0]])].append(number_)
    for place, sweeps in found.items():
        if place in streams:
            best = min(sweeps, key=lambda one: evidence.sweeps[one].regimes[0].latency_s)
            yield _finding(evidence, best, streams[place], _find_sending(evidence, place))


def _place(point: PointSummary) -> object:
    return (point.mpi, point.nodes, point.processes_per_node, tuple(sorted(point.knobs.items())))


def _streams(evidence: Evidence) -> dict[object, int]:
    found: dict[object, int] = {}
    for index, point in enumerate(evidence.points):
        small = point.bytes is not None and point.bytes <= _SMALL_BYTES
        one_way = round((point.message_rate_per_s or 0.0) * point.median_s) == 1
        if "window" in point.axes and small and one_way and point.processes == 2:
            other = found.setdefault(_place(point), index)
            if point.median_s < evidence.points[other].median_s:
                found[_place(point)] = index
    return found


def _find_sending(evidence: Evidence, place: object) -> tuple[int, int] | None:
    """Return a computation alone and with the sending of the smallest message, if both are here."""
    both: dict[object, dict[str, int]] = defaultdict(dict)
    for index, point in enumerate(evidence.points):
        if point.axes.get("side") == "sender" and _place(point) == place and point.bytes:
            both[point.bytes, evidence.choices(point)][point.series] = index
    pairs = [
        (one["computation"], one["together"])
        for one in both.values()
        if {"computation", "together"} <= one.keys()
    ]
    small = [pair for pair in pairs if (evidence.points[pair[0]].bytes or 0) <= _SMALL_BYTES]
    return min(small, key=lambda pair: evidence.points[pair[0]].bytes or 0, default=None)


def _finding(evidence: Evidence, sweep: int, stream: int, sending: Sequence[int] | None) -> Finding:
    curve = evidence.sweeps[sweep]
    computation, together = (evidence.points[i] for i in sending) if sending else (None, None)
    model = model_of.loggp(curve.regimes, evidence.points[stream], computation, together)
    assert model is not None
    name = name_of(evidence, curve.points[0], without=["bytes"])
    return Finding(
        severity="fact",
        text=f"{name}, LogGP: {', '.join(_format_model(model))}. "
        f"Mean error {percent(model.residual)}.",
        evidence=_numbers(model),
        advice=_advice(model),
        points=(*curve.points, stream, *(sending or ())),
    )


def _format_model(model: LogGP) -> Iterator[str]:
    yield f"L + 2 o {_seconds(model.start)}"
    if model.gap:
        yield f"g {_seconds(model.gap)}"
    if model.overhead and model.latency_s is not None:
        left = _plain(model.latency_s)
        yield f"o {_seconds(model.overhead)}, L {left}"
    if model.per_byte.value > 0:
        per_kilobyte = Parameter(
            model.per_byte.value * 1e3,
            model.per_byte.interval
            and (model.per_byte.interval[0] * 1e3, model.per_byte.interval[1] * 1e3),
        )
        rate = rate_text(1e-6 / model.per_byte.value)
        yield f"1000 G {_seconds(per_kilobyte)}, or {rate}"


def _seconds(parameter: Parameter) -> str:
    if parameter.interval is None:
        return _plain(parameter.value)
    low, high = parameter.interval
    return f"{_plain(parameter.value)} ({_plain(low)} to {_plain(high)})"


def _plain(seconds: float) -> str:
    return format_seconds(max(seconds, 0.0))


def _numbers(model: LogGP) -> dict[str, float]:
    numbers = model.start.evidence("latency_and_overheads", "s")
    numbers |= model.per_byte.evidence("G", "s_per_byte")
    if model.gap:
        numbers |= model.gap.evidence("g", "s")
    if model.overhead and model.latency_s is not None:
        numbers |= model.overhead.evidence("o", "s") | {"L_s": model.latency_s}
    return numbers | {"mean_residual_fraction": model.residual}


def _advice(model: LogGP) -> Advice | None:
    if model.on_the_way is None or model.on_the_way < 2:
        return None
    return Advise.START_ALL(factor=times(model.on_the_way))
