"""The elements of SimGrid's platform files (version 4.1) that topologies are written with."""

from collections.abc import Mapping
from xml.sax.saxutils import quoteattr

from leadline.model.platform import Platform


def rate(bytes_per_second: float) -> str:
    """Return a rate with its unit.

    >>> rate(330e6)
    '330000000.0Bps'
    """
    return f"{bytes_per_second!r}Bps"


def seconds(span: float) -> str:
    """Return a time with its unit, without an exponent's sign that could be taken for a range.

    >>> seconds(1.5e-06)
    '1.5e-06s'
    """
    return f"{span!r}s"


def element(name: str, attributes: Mapping[str, str], content: str = "") -> str:
    """Return an element, on lines of its own where it has content.

    >>> element("link", {"id": "a"})
    '<link id="a"/>'
    """
    words = " ".join([name, *(f"{key}={quoteattr(text)}" for key, text in attributes.items())])
    return f"<{words}>\n{content}\n</{name}>" if content else f"<{words}/>"


def duplex(name: str, bandwidth: float, latency_s: float) -> str:
    """Return a link that carries its bandwidth in each direction."""
    return element(
        "link",
        {
            "id": name,
            "bandwidth": rate(bandwidth),
            "latency": seconds(latency_s),
            "sharing_policy": "SPLITDUPLEX",
        },
    )


def cluster(
    platform: Platform,
    changes: Mapping[str, str],
    name: str = "machine",
    first: int = 0,
    count: int | None = None,
) -> str:
    """Return a cluster of `count` nodes from number `first` on, with a loopback and links each.

    Links carry their bandwidth in each direction. `changes` are attributes beside the usual ones,
    or instead of them.
    """
    network, node = platform.network, platform.node
    last = first + (platform.nodes if count is None else count) - 1
    attributes = {
        "id": name,
        "prefix": "n",
        "radical": f"{first}-{last}",
        "suffix": "",
        "speed": f"{node.flops!r}f",
        "core": str(node.cores),
        "bw": rate(network.bandwidth),
        "lat": seconds(network.latency_s),
        "sharing_policy": "SPLITDUPLEX",
        "loopback_bw": rate(node.bandwidth),
        "loopback_lat": seconds(node.latency_s),
        **changes,
    }
    return element("cluster", attributes)
