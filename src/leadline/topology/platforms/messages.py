"""What SimGrid's platform files cannot say of messages, for the probe that is simulated."""

from collections.abc import Sequence

from leadline.model.platform import Factor, Platform, Step

# The variable that probes/comm/simulated_messages.cpp reads.
VARIABLE = "LEADLINE_MESSAGES"


def messages(platform: Platform) -> str:
    """Return the factors of messages by size and the noise, as words with their numbers.

    `NAME BYTES,FACTOR,BYTES,FACTOR,...` for each kind of factor, then
    `noise SEED,LATENCY,PROBABILITY,DELAY`.
    """
    network, node, noise = platform.network, platform.node, platform.noise
    words = [
        f"network_latency {_pairs(network.latency_factors)}",
        f"network_bandwidth {_pairs(network.bandwidth_factors)}",
        f"node_latency {_pairs(node.latency_factors)}",
        f"node_bandwidth {_pairs(node.bandwidth_factors)}",
        f"noise {noise.seed},{noise.latency!r},{noise.probability!r},{noise.delay_s!r}",
    ]
    return " ".join(words)


def options(platform: Platform) -> tuple[str, ...]:
    """Return the simulator's options that belong to the platform, without `--cfg=`.

    Blocking and other sends cost the same. The library copies what is below the eager limit, and
    sends it without asking.
    """
    software = platform.software
    eager = software.eager_bytes
    return (
        f"smpi/os:{_overheads(software.send)}",
        f"smpi/ois:{_overheads(software.send)}",
        f"smpi/or:{_overheads(software.receive)}",
        f"smpi/async-small-thresh:{eager}",
        f"smpi/send-is-detached-thresh:{eager}",
        # No window of TCP: the links alone limit what flows.
        "network/TCP-gamma:1e18",
        "network/crosstraffic:0",
    )


def _pairs(factors: Sequence[Factor]) -> str:
    return ",".join(f"{each.bytes},{each.factor!r}" for each in factors)


def _overheads(steps: Sequence[Step]) -> str:
    """Return the steps as SMPI writes them: each holds for more bytes than it begins with."""
    return ";".join(
        f"{max(0, each.bytes - 1)}:{each.seconds!r}:{each.seconds_per_byte!r}" for each in steps
    )
