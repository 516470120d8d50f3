"""A ping-pong, and a stream of messages that follow each other faster."""

import msgspec

from leadline.model.description import Delivery

SOURCE = "synthetic"


def evidence(makers):
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
