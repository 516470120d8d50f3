"""What a platform's `[topology]` says, held to what its kind knows."""

import math
from collections.abc import Sequence
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


def refuse(platform: Platform, reason: str) -> UserError:
    """Return the error that says what is wrong with the platform."""
    return UserError(f"platform {platform.name}: {reason}")


def _format_parts(parts: Sequence[int]) -> str:
    return "x".join(map(str, parts)) or "[]"


def _format_keys(names: Sequence[str]) -> str:
    return f"there is {', '.join(names)}" if names else "this kind has no keys but kind"
