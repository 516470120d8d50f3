"""The keys of a platform's topology, and the elements of a SimGrid platform."""

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, TypeVar

import msgspec

from leadline.core.errors import UserError
from leadline.core.schema import explain
from leadline.model.platform import Platform

Kind = TypeVar("Kind", bound=msgspec.Struct)


def shape_of(platform: Platform, kind: type[Kind]) -> Kind:
    """Return the keys of the platform's topology as `kind`. Raises `UserError`."""
    given: dict[str, Any] = {
        key: value for key, value in platform.topology.items() if key != "kind"
    }
    if unknown := [key for key in given if key not in kind.__struct_fields__]:
        raise refuse(
            platform, f"topology.{unknown[0]} is not known: {_format_keys(kind.__struct_fields__)}"
        )
    try:
        return msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise refuse(platform, f"topology: {explain(error, kind)}") from None


def check_nodes(platform: Platform, parts: Sequence[int], key: str) -> None:
    """Hold the number of nodes to the product of `parts`, which `key` of the topology holds."""
    if any(part < 1 for part in parts) or not parts:
        raise refuse(
            platform, f"topology.{key} {_format_parts(parts)} has to be of whole numbers from 1 on"
        )
    if math.prod(parts) != platform.nodes:
        raise refuse(
            platform,
            f"nodes is {platform.nodes}, but topology.{key} {_format_parts(parts)} makes "
            f"{math.prod(parts)}: change both",
        )


def digits_of(number: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the digits of a number, each below its size, the fastest first.

    >>> digits_of(5, (4, 2))
    (1, 1)
    """
    digits = []
    for size in sizes:
        number, digit = divmod(number, size)
        digits.append(digit)
    return tuple(digits)


def number_of(digits: Sequence[int], sizes: Sequence[int]) -> int:
    """Return the number that has these digits: the inverse of `digits_of`."""
    number = 0
    for digit, size in zip(reversed(digits), reversed(sizes), strict=True):
        number = number * size + digit
    return number


def refuse(platform: Platform, reason: str) -> UserError:
    """Return the error that says what is wrong with the platform."""
    return UserError(f"platform {platform.name}: {reason}")


def _format_parts(parts: Sequence[int]) -> str:
    return "x".join(map(str, parts)) or "[]"


def _format_keys(names: Sequence[str]) -> str:
    return f"there is {', '.join(names)}" if names else "this kind has no keys but kind"


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
    words = " ".join([name, *(f'{key}="{escape(text)}"' for key, text in attributes.items())])
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
