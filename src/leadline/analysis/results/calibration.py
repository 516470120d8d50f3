"""A platform from what a run measured: the ping-pongs within a node and between nodes.

A message of n bytes takes a latency and n times a time per byte, and another pair of them from each
size on where the curve bends. What LogGP calls L and G becomes the links', and o the software's.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np

from leadline.analysis.stats.line import fit_line
from leadline.core.errors import UserError
from leadline.model.description import Benchmark
from leadline.model.platform import Calibration, Factor, Network, Node, Platform, Software, Step
from leadline.model.run import Run
from leadline.model.summary import Analysis, PointSummary, Sweep

# Where nothing times a send, both sides of a message take this part of the shortest one.
_USUAL_OVERHEAD = 0.8
# From so many bytes on a jump of the curve is taken for the eager limit.
_SMALLEST_EAGER_BYTES = 512
_USUAL_EAGER_BYTES = 65536
# Straight pieces of a curve miss none of its sizes by more than this part.
_MOST_MISSED = 0.05
# So many sizes of a curve are kept to hold the simulation against.
_MOST_SIZES = 12
# SMPI adds these to the bytes of each message.
_ENVELOPE_BYTES = 16


class Curve(NamedTuple):
    """A measured ping-pong: its figures by ascending size, and what they say together."""

    figures: tuple[PointSummary, ...]
    sweep: Sweep

    @property
    def mpi(self) -> str:
        """The library that was measured."""
        return self.sweep.mpi

    @property
    def start_s(self) -> float:
        """What the fastest message takes, in seconds: the smallest one, unless it was disturbed."""
        return min(figure.median_s for figure in self.figures)


class Line(NamedTuple):
    """From `bytes` on a message takes `seconds` and `per_byte` seconds for each byte."""

    bytes: int
    seconds: float
    per_byte: float


class Measured(NamedTuple):
    """What a platform is made of: the curves (None where not measured), o of a send, cores."""

    within: Curve | None
    between: Curve | None
    overhead_s: float | None
    cores: int
    nodes: int
    runs: tuple[str, ...]

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The curves that were measured, in the order of the platform's calibrations."""
        return tuple(each for each in (self.between, self.within) if each)


def measured(found: Sequence[tuple[Run, Analysis]], mpi: str | None) -> Measured:
    """Return the ping-pongs of the runs: those of the library whose messages start fastest.

    Raises `UserError` in one line where there is none with enough sizes, or not of that `mpi`.
    """
    runs = [run for run, _ in found]
    if any(run.platform for run in runs):
        raise UserError("a simulated run cannot calibrate a machine: name a run that was measured")
    curves = _curves_of_one_library(found, mpi)
    within = _fastest(each for each in curves if each.sweep.nodes == 1)
    return Measured(
        within=within,
        between=_fastest(each for each in curves if each.sweep.nodes == 2),
        overhead_s=_overhead(analysis for _, analysis in found),
        cores=max(2 if within else 1, *(int(run.machine.get("cores") or 1) for run in runs)),
        nodes=max(each.nodes for run in runs for each in run.launches),
        runs=tuple(run.run for run in runs),
    )


def _curves_of_one_library(
    found: Sequence[tuple[Run, Analysis]], mpi: str | None
) -> Sequence[Curve]:
    """Return the curves of `mpi`, or of the library whose messages start fastest, over nodes first.

    Raises `UserError` for none.
    """
    curves = [each for run, analysis in found for each in _curves(run.benchmarks, analysis)]
    chosen = [each for each in curves if mpi in (None, each.mpi)]
    if not chosen:
        of_it = f" with {mpi}" if mpi else ""
        there = ", ".join(sorted({each.mpi for each in curves}))
        raise UserError(
            f"these runs have no ping-pong{of_it} of two processes and 8 sizes or more"
            f"{f', but with {there}' if there else ''}: run the one of two-sided messages with "
            "--place 1x2,2x1 and all its sizes"
        )
    apart = [each for each in chosen if each.sweep.nodes == 2] or chosen
    best = min(apart, key=lambda each: each.start_s).mpi
    return [each for each in chosen if each.mpi == best]


def platform_of(
    found: Measured, name: str, topology: dict[str, Any], nodes: int, links: int
) -> Platform:
    """Return the platform; `links` are those between the first two nodes of its topology."""
    between, within = found.between or found.within, found.within or found.between
    assert between and within
    start_s = min(between.start_s, within.start_s)
    send_s = min(found.overhead_s or math.inf, _USUAL_OVERHEAD * start_s / 2)
    eager = _eager_bytes(between)
    network = _links(_lines(between, 2 * send_s, eager), 2 * send_s, eager, links)
    inside = _links(_lines(within, 2 * send_s, eager), 2 * send_s, eager, 1)
    return Platform(
        format=1,
        name=name,
        summary=f"calibrated from {', '.join(found.runs)} with {between.mpi}",
        source=f"leadline platforms calibrate {' '.join(found.runs)}",
        assumed=" ".join(_assumptions(found)),
        nodes=nodes,
        topology=topology,
        network=Network(**network),
        node=Node(cores=found.cores, flops=1e9, **inside),
        software=Software(
            send=(Step(0, _round(send_s)),), receive=(Step(0, _round(send_s)),), eager_bytes=eager
        ),
        calibration=tuple(_calibration_of(curve) for curve in found.curves),
    )


def with_errors(platform: Platform, errors: Iterable[float]) -> Platform:
    """Return the platform whose calibrations state these errors, one each, rounded up to 1 %."""
    stated = (
        msgspec.structs.replace(each, error=min(0.99, math.ceil(100 * error) / 100))
        for each, error in zip(platform.calibration, errors, strict=True)
    )
    return msgspec.structs.replace(platform, calibration=tuple(stated))


def error_of(calibration: Calibration, figures: Iterable[PointSummary]) -> float:
    """Return by which part the figures miss the calibration's times most; infinity for none."""
    times = {figure.bytes: figure.median_s for figure in figures}
    return max(
        abs(times.get(size, math.inf) / seconds - 1) for size, seconds in calibration.one_way
    )


def _curves(benchmarks: Sequence[Benchmark], analysis: Analysis) -> Iterator[Curve]:
    declared = {
        each.name: each.delivery
        for each in benchmarks
        if each.delivery and each.delivery.sides == "two-sided"
    }
    for sweep in analysis.sweeps:
        delivery = declared.get(sweep.benchmark)
        figures = tuple(analysis.points[index] for index in sweep.points)
        if (
            delivery
            and delivery.series == sweep.series
            and sweep.processes == 2
            and sweep.regimes
            and all(figures[0].axes.get(k) in values for k, values in delivery.where.items())
            and all(figure.verified and figure.median_s > 0 for figure in figures)
        ):
            yield Curve(figures, sweep)


def _fastest(curves: Iterable[Curve]) -> Curve | None:
    return min(curves, key=lambda each: each.start_s, default=None)


def _overhead(analyses: Iterable[Analysis]) -> float | None:
    """Return o of a send in seconds where a finding has it."""
    found = (each.evidence.get("o_s") for analysis in analyses for each in analysis.findings)
    return min((each for each in found if each), default=None)


def _eager_bytes(curve: Curve) -> int:
    switches = (size for size in curve.sweep.switches_bytes if size >= _SMALLEST_EAGER_BYTES)
    return next(switches, _USUAL_EAGER_BYTES)


def _lines(curve: Curve, overhead_s: float, eager: int) -> list[Line]:
    """Return straight pieces that miss no size by more than 5 %, the first from 0 bytes on.

    A piece that misses one is cut in two where that leaves the least (binary segmentation). None
    goes beyond the eager limit, from which on the software takes nothing.
    """
    figures = [figure for figure in curve.figures if figure.bytes]
    sizes = [figure.bytes or 0 for figure in figures]
    seconds = [figure.median_s for figure in figures]
    lowest = [overhead_s if size < eager else 0.0 for size in sizes]
    lines = [
        _line(sizes[low:high], seconds[low:high], lowest[low])
        for first, last in itertools.pairwise(sorted({0, lowest.count(overhead_s), len(sizes)}))
        for low, high in _pieces(sizes, seconds, lowest, first, last)
    ]
    return [lines[0]._replace(bytes=0), *lines[1:]]


def _pieces(
    sizes: Sequence[int], seconds: Sequence[float], lowest: Sequence[float], low: int, high: int
) -> list[tuple[int, int]]:
    def missed(start: int, end: int) -> float:
        line = _line(sizes[start:end], seconds[start:end], lowest[start])
        return max(
            abs((line.seconds + line.per_byte * size) / time - 1)
            for size, time in zip(sizes[start:end], seconds[start:end], strict=True)
        )

    if high - low == 1 or missed(low, high) <= _MOST_MISSED:
        return [(low, high)]
    cut = min(range(low + 1, high), key=lambda at: max(missed(low, at), missed(at, high)))
    return [*_pieces(sizes, seconds, lowest, low, cut), *_pieces(sizes, seconds, lowest, cut, high)]


def _line(sizes: Sequence[int], seconds: Sequence[float], lowest: float) -> Line:
    """Return the line through the times, which begins no lower than what the software takes."""
    if len(sizes) > 1:
        line = fit_line(np.array(sizes, float), np.array(seconds))
        if line.latency_s >= lowest and line.seconds_per_byte > 0:
            return Line(sizes[0], line.latency_s, line.seconds_per_byte)
    rates = sorted((time - lowest) / size for size, time in zip(sizes, seconds, strict=True))
    return Line(sizes[0], lowest, max(rates[len(rates) // 2], 1e-13))


def _links(lines: Sequence[Line], overhead_s: float, eager: int, links: int) -> dict[str, Any]:
    """Return the bandwidth and latency of each of so many links in a row, and their factors."""
    bandwidth = max(1 / line.per_byte for line in lines)
    left = [
        line.seconds - _ENVELOPE_BYTES * line.per_byte - (overhead_s if line.bytes < eager else 0.0)
        for line in lines
    ]
    latency_s = max(left[0], 1e-9) / links
    return {
        "bandwidth": _round(bandwidth),
        "latency_s": _round(latency_s),
        "bandwidth_factors": tuple(
            Factor(line.bytes, _round(1 / (line.per_byte * bandwidth))) for line in lines
        ),
        "latency_factors": tuple(
            Factor(line.bytes, _round(max(0.0, each) / (links * latency_s)))
            for line, each in zip(lines, left, strict=True)
        ),
    }


def _calibration_of(curve: Curve) -> Calibration:
    figures = [figure for figure in curve.figures if figure.bytes]
    every = max(1, math.ceil(len(figures) / _MOST_SIZES))
    return Calibration(
        source=f"{curve.sweep.benchmark} with {curve.mpi}",
        error=0.0,
        one_way=tuple((each.bytes or 0, each.median_s) for each in figures[::every]),
        within_node=curve.sweep.nodes == 1,
    )


def _assumptions(found: Measured) -> Iterator[str]:
    yield "Processors take no time. A message takes one way, and ways are shared evenly."
    if found.between is None:
        yield "Nothing was measured between nodes: a link is taken to be like the inside of a node."
    if found.within is None:
        yield "Nothing was measured within a node: it is taken to be like the way between nodes."
    if found.overhead_s is None:
        yield "What each side of a message takes was not measured: 40 % of the shortest message."


def _round(value: float) -> float:
    return float(f"{value:.4g}")
