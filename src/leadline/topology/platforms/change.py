"""What if: a platform with some of its numbers changed."""

import math
from typing import Any

import msgspec

from leadline.core.errors import UserError
from leadline.core.schema import explain
from leadline.model.platform import Platform
from leadline.topology.platforms.catalogue import check
from leadline.topology.platforms.shape import refuse


def change_platform(platform: Platform, text: str) -> Platform:
    """Return the platform with the changes of `text`: `KEY=VALUE,...`.

    A value is a number, `xFACTOR` of the one there, or whole numbers joined by `x` for a list such
    as `topology.shape`. What was measured of the machine as it is goes: its calibration.

    Raises `UserError` for a key that the platform has not, and for what does not fit.
    """
    table = msgspec.to_builtins(platform)
    for word in text.split(","):
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise UserError(f"change {word!r} is not KEY=VALUE: write network.bandwidth=x2")
        _set(platform, table, key.strip(), value.strip())
    table |= {"calibration": [], "changes": [*platform.changes, text]}
    try:
        found = msgspec.convert(table, Platform)
    except msgspec.ValidationError as error:
        raise refuse(platform, f"change {text}: {explain(error, Platform)}") from None
    check(found)
    return found


def numbers(platform: Platform) -> dict[str, Any]:
    """Return the numbers, and lists of whole numbers, that may be changed, by key."""
    found: dict[str, Any] = {}
    for name, value in msgspec.to_builtins(platform).items():
        for key, each in value.items() if isinstance(value, dict) else [("", value)]:
            plain = isinstance(each, int | float) and not isinstance(each, bool)
            whole = isinstance(each, list) and each and all(isinstance(n, int) for n in each)
            if name != "format" and (plain or whole):
                found[f"{name}.{key}" if key else name] = each
    return found


def _set(platform: Platform, table: dict[str, Any], key: str, value: str) -> None:
    known = numbers(platform)
    if key not in known:
        raise refuse(platform, f"there is no number {key}: there is {', '.join(known)}")
    section, _, name = key.rpartition(".")
    (table[section] if section else table)[name] = _value(platform, key, known[key], value)


def _value(platform: Platform, key: str, now: Any, text: str) -> Any:
    try:
        if isinstance(now, list):
            return [int(part) for part in text.split("x")]
        number = now * float(text[1:]) if text[:1] == "x" else float(text)
    except ValueError:
        example = "x".join(map(str, now)) if isinstance(now, list) else f"{now:g} or x2"
        raise refuse(platform, f"{key}={text}: write it like {example}") from None
    if not isinstance(now, int):
        return number
    if not (math.isfinite(number) and number == int(number)):
        raise refuse(platform, f"{key}={text} makes {number:g}: it has to be a whole number")
    return int(number)
