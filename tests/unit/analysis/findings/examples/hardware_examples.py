"""Examples of findings on hardware: a function makes the evidence of its kind."""

from dataclasses import replace

import msgspec
from kernel_run import WAYS, memory, run_of

from leadline.analysis.findings.evidence import Evidence
from leadline.model.description import Delivery
from leadline.model.imported import Bound
from leadline.model.interference import Interference, Link


def latency_limit(makers):
    """A message that software slows down."""
    bound = Bound(quantity="latency_s", value=2e-7, where="network", source="link hfi0")
    between = makers.figure(1.1e-6, 0, nodes=2, processes_per_node=1)
    whole = makers.evidence([between], benchmarks=[])
    return replace(whole, bounds=(bound,))


def link_errors(makers):
    """A link that counted errors in one of three launches."""
    link = Link(name="ib0", received_bytes=10**9, sent_bytes=10**9, errors=3, dropped=7)
    company = Interference(host="a", seconds=1.0, looks=1, looks_cpu_s=0.0, links=(link,))
    return makers.evidence([makers.figure()], launch={"company": company})


def link_shared(makers):
    """Four pairs that share a link, and two that do not."""
    return makers.evidence(
        [
            msgspec.structs.replace(
                makers.figure(
                    seconds, 65536, axes={"pairs": pairs}, metrics={"pairs": float(pairs)}
                ),
                nodes=8,
                processes=8,
                processes_per_node=1,
            )
            for pairs, seconds in ((1, 1e-5), (2, 1.01e-5), (4, 2.1e-5))
        ]
    )


def loggp(makers):
    """A ping-pong, and a stream of messages that follow each other faster."""
    echo = [
        makers.figure(1e-6 + size / 1e10, size, benchmark="family/echo", axes={})
        for size in (2**power for power in range(0, 21, 2))
    ]
    stream = makers.figure(
        2e-7, 8, benchmark="family/flow", axes={"window": 64}, message_rate_per_s=5e6
    )
    whole = makers.evidence([*echo, stream])
    (model,) = whole.run.benchmarks
    delivery = Delivery(sides="two-sided", series="time")
    whole.run.benchmarks = [msgspec.structs.replace(model, name="family/echo", delivery=delivery)]
    return whole


def roof_beaten(makers):
    """A roof that a right answer beats."""
    run, analysis = run_of([*WAYS, *memory({100: 400, 1000: 80, 10000: 90})])
    return Evidence(run, analysis.points, ())
