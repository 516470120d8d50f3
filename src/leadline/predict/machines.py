"""The LogGP parameters of a machine: of a platform, or from what a run measured."""

from collections.abc import Iterator, Sequence

from leadline.core.errors import UserError
from leadline.model.platform import Factor, Platform, Step
from leadline.model.prediction import LogGPMachine, Way
from leadline.model.run import Run
from leadline.model.summary import Analysis, Finding, Sweep

_DOUBLE_BYTES = 8


def machine_of_platform(platform: Platform) -> LogGPMachine:
    """Return what LogGP takes of the platform: its overheads, rates, latencies and ports.

    A message that waits for its receiver has no overheads, as in a simulation. A reduction takes
    one operation for each double, a copy the bandwidth within a node.
    """
    network, node, software = platform.network, platform.node, platform.software
    rate, port, latency_s = _port(platform)
    more_links = latency_s / network.latency_s if network.latency_s else 0.0
    between = _wire(network.latency_s, rate, network.latency_factors, network.bandwidth_factors)
    send, receive = (
        _up_to(software.eager_bytes, steps) for steps in (software.send, software.receive)
    )
    within = _wire(node.latency_s, node.bandwidth, node.latency_factors, node.bandwidth_factors)
    return LogGPMachine(
        name=platform.name,
        origin="platform",
        between=Way(send=send, receive=receive, wire=between),
        within=Way(send=send, receive=receive, wire=within),
        port_fraction=rate / port,
        one_medium=platform.topology.get("kind") == "bus",
        links=more_links,
        by_distance=True,
        contention=True,
        eager_bytes=software.eager_bytes,
        reduce_s_per_byte=1 / (_DOUBLE_BYTES * node.flops),
        copy_s_per_byte=1 / node.bandwidth,
        nodes=platform.nodes,
        assumed=("ways through the network are fixed",),
    )


def _port(platform: Platform) -> tuple[float, float, float]:
    """Return the rate of one message, that of all of a node's together, and the latency beside the
    links: two ways between node and network.
    """
    shape = platform.topology
    link = platform.network.bandwidth
    if nic := float(shape.get("nic_bandwidth", 0.0)):
        return min(nic, link), nic, 2 * float(shape.get("nic_latency_s", 0.0))
    if shape.get("kind") == "torus":
        return link, link * sum(1 if size == 2 else 2 for size in shape["shape"] if size > 1), 0.0
    rails = shape.get("rails") or (shape.get("up") or [1])[0]
    return link, link * rails, 0.0


def _up_to(eager_bytes: int, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps below a size, from which on there is nothing.

    >>> _up_to(64, [Step(0, 1.0), Step(8, 2.0), Step(80, 3.0)])
    (Step(bytes=0, seconds=1.0, seconds_per_byte=0.0), Step(bytes=8, seconds=2.0, \
seconds_per_byte=0.0), Step(bytes=64, seconds=0.0, seconds_per_byte=0.0))
    """
    return (*(step for step in steps if step.bytes < eager_bytes), Step(eager_bytes, 0.0))


def _wire(
    latency_s: float, bandwidth: float, latency: Sequence[Factor], rate: Sequence[Factor]
) -> tuple[Step, ...]:
    """Return latency and seconds per byte from each size on at which a factor changes.

    >>> _wire(1.0, 2.0, [Factor(0, 1.0), Factor(8, 3.0)], [Factor(0, 0.5)])
    (Step(bytes=0, seconds=1.0, seconds_per_byte=1.0), Step(bytes=8, seconds=3.0, \
seconds_per_byte=1.0))
    """
    sizes = sorted({each.bytes for each in (*latency, *rate)})
    return tuple(
        Step(size, latency_s * _at(latency, size), 1 / (bandwidth * _at(rate, size)))
        for size in sizes
    )


def _at(factors: Sequence[Factor], size: int) -> float:
    return [each.factor for each in factors if each.bytes <= size][-1]


# Without a measured o it is taken to be so much of L + 2 o.
_OVERHEAD_PART = 0.25


def machine_of_run(run: Run, analysis: Analysis) -> LogGPMachine:
    """Return the parameters of the run's fastest ping-pong between nodes and within one.

    Each straight piece of its curve is a piece of the machine's. Where only one of the two was
    measured it stands for both. g and o are those of the finding `loggp`. Raises `UserError` for
    a run without a ping-pong of enough sizes.

    A byte is reduced or copied as fast as a long message within a node goes, which is a copy too.
    """
    pairs = _two_sided_curves(run, analysis)
    between = _best([one for one in pairs if one.nodes > 1])
    within = _best([one for one in pairs if one.nodes == 1])
    outer, inner = between or within, within or between
    if run.imported and not (outer and inner):
        raise UserError(
            f"run {run.run} is an import, which does not tell what its ping-pong is: measure one "
            "with `leadline run mpi/pingpong --place 2x1`, or 1x2 within a node"
        )
    if not (outer and inner):
        raise UserError(
            f"run {run.run} has no ping-pong of four sizes or more, which LogGP is made of: "
            "measure one with `leadline run mpi/pingpong --place 2x1`, or 1x2 within a node"
        )
    numbers = [_numbers(analysis, one) for one in (outer, inner)]
    copying = max(0.0, within.regimes[-1].seconds_per_byte) if within else 0.0
    return LogGPMachine(
        name=run.run,
        origin="run",
        between=_way(outer, numbers[0]),
        within=_way(inner, numbers[1]),
        gap_s=numbers[0].get("g_s", 0.0),
        eager_bytes=min(outer.switches_bytes, default=None),
        reduce_s_per_byte=copying,
        copy_s_per_byte=copying,
        assumed=tuple(_assumptions(between, within, numbers)),
    )


def _two_sided_curves(run: Run, analysis: Analysis) -> list[Sweep]:
    """Return the curves of the benchmarks of two-sided messages that straight pieces describe."""
    declared = {
        one.name: one.delivery.series
        for one in run.benchmarks
        if one.delivery and one.delivery.sides == "two-sided"
    }
    return [
        sweep
        for sweep in analysis.sweeps
        if declared.get(sweep.benchmark) == sweep.series and sweep.regimes
    ]


def _assumptions(
    between: Sweep | None, within: Sweep | None, numbers: Sequence[dict[str, float]]
) -> Iterator[str]:
    if not between:
        yield "messages between nodes are as fast as those within a node, which were measured"
    if not within:
        yield "messages within a node are as fast as those between nodes, which were measured"
    if any("o_s" not in each for each in numbers):
        yield "o, which was not measured, is a quarter of L + 2 o, at most g"
    if within:
        yield "reductions and copies take as long for a byte as a long message within a node"
    else:
        yield "reductions and copies take no time"


def _best(curves: Sequence[Sweep]) -> Sweep | None:
    return min(curves, key=lambda one: one.regimes[0].latency_s, default=None)


def _numbers(analysis: Analysis, curve: Sweep) -> dict[str, float]:
    found: Finding | None = next(
        (
            finding
            for finding in analysis.findings
            if finding.kind == "loggp"
            and finding.points
            and analysis.points[finding.points[0]].nodes == curve.nodes
            and analysis.points[finding.points[0]].mpi == curve.mpi
        ),
        None,
    )
    return found.evidence if found else {}


def _way(curve: Sweep, numbers: dict[str, float]) -> Way:
    start = max(0.0, curve.regimes[0].latency_s)
    part = min(_OVERHEAD_PART * start, numbers.get("g_s", start))
    overhead = min(numbers.get("o_s", part), start / 2)
    wire = tuple(
        Step(
            0 if index == 0 else piece.from_bytes,
            max(0.0, piece.latency_s - 2 * overhead),
            max(0.0, piece.seconds_per_byte),
        )
        for index, piece in enumerate(curve.regimes)
    )
    processor = (Step(0, overhead),)
    return Way(send=processor, receive=processor, wire=wire)
