"""The machines that are known, leadline's and the user's own, and changes of their numbers."""

import math
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from leadline.core import paths
from leadline.core.errors import UserError
from leadline.core.names import suggestion
from leadline.core.schema import explain
from leadline.core.shipped import source_folder
from leadline.core.toml import format_toml
from leadline.model.platform import Platform
from leadline.topology.platforms.elements import refuse
from leadline.topology.platforms.simulation import description

PLATFORM_FORMAT = 1


def known_platforms() -> dict[str, Path]:
    """Return the files of the platforms by name; the user's own come before shipped ones."""
    folders = (source_folder() / "platforms", paths.platforms())
    return {path.stem: path for folder in folders for path in sorted(folder.glob("*.toml"))}


def read_platform(word: str) -> Platform:
    """Return the platform of that name, or the one in the file `word`.

    Raises `UserError` that names what is wrong, and for a misspelt name what is alike.
    """
    path = Path(word)
    if path.suffix != ".toml":
        known = known_platforms()
        if word not in known:
            hint = suggestion(word, sorted(known), cutoff=0.5)
            raise UserError(f"no platform {word!r}: {hint} (`leadline platforms` lists them)")
        path = known[word]
    try:
        table = tomllib.loads(path.read_text())
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise UserError(f"platform {path} cannot be read ({reason}): name a TOML file") from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"platform {path} is not TOML: {error}") from None
    return to_platform(table, path.stem, str(path))


def to_platform(table: dict[str, Any], name: str, where: str) -> Platform:
    """Return the platform that the table spells, `name` where it has none. Raises `UserError`."""
    version = table.get("format")
    if version != PLATFORM_FORMAT:
        raise UserError(
            f"platform {where} has format {version!r}, not {PLATFORM_FORMAT}: this leadline reads "
            "no other"
        )
    try:
        platform = msgspec.convert({"name": name, **table}, Platform)
    except msgspec.ValidationError as error:
        raise UserError(f"platform {where}: {explain(error, Platform)}") from None
    check(platform)
    return platform


def to_toml(platform: Platform) -> str:
    """Return the text of the platform's file, without the fields that have their defaults.

    >>> from leadline.model.platform import Network, Node
    >>> mine = Platform(format=1, name="mine", summary="s", source="t", nodes=2,
    ...     topology={"kind": "crossbar"}, network=Network(bandwidth=1e9, latency_s=1e-6),
    ...     node=Node(cores=2, flops=1e9, bandwidth=1e9, latency_s=1e-7))
    >>> print(to_toml(mine).splitlines()[-5:-1])
    ['[node]', 'cores = 2', 'flops = 1000000000.0', 'bandwidth = 1000000000.0']
    """
    return format_toml(_without_defaults(platform))


def _without_defaults(value: Any) -> Any:
    """Return tables and lists in place of structs, without the fields that have their defaults."""
    if isinstance(value, msgspec.Struct) and not value.__struct_config__.array_like:
        fields = msgspec.structs.fields(value)
        return {
            field.name: _without_defaults(getattr(value, field.name))
            for field in fields
            if field.default is msgspec.NODEFAULT or getattr(value, field.name) != field.default
        }
    if isinstance(value, tuple | list):
        return [_without_defaults(each) for each in value]
    return msgspec.to_builtins(value)


def check(platform: Platform) -> None:
    """Hold the numbers to what a machine can have. Raises `UserError` for the first that is off."""
    for key, value, fits, allowed in _numbers(platform):
        if not fits(value):
            raise refuse(platform, f"{key} is {value:g}: it has to be {allowed}")
    for key, steps in (
        ("network.bandwidth_factors", platform.network.bandwidth_factors),
        ("network.latency_factors", platform.network.latency_factors),
        ("node.bandwidth_factors", platform.node.bandwidth_factors),
        ("node.latency_factors", platform.node.latency_factors),
        ("software.send", platform.software.send),
        ("software.receive", platform.software.receive),
    ):
        sizes = [step.bytes for step in steps]
        if sizes[:1] != [0] or sizes != sorted(set(sizes)):
            raise refuse(platform, f"{key} begin at {sizes} bytes: begin at 0 and ascend")
    description(platform, 1)


def _numbers(platform: Platform) -> Iterator[tuple[str, float, Callable[[float], bool], str]]:
    network, node, noise = platform.network, platform.node, platform.noise
    for key, value in (("nodes", platform.nodes), ("node.cores", node.cores)):
        yield key, value, lambda number: 1 <= number <= 2**20, "from 1 to 1048576"
    for key, rate in (
        ("network.bandwidth", network.bandwidth),
        ("node.bandwidth", node.bandwidth),
        ("node.flops", node.flops),
        *(("network.bandwidth_factors", each.factor) for each in network.bandwidth_factors),
        *(("node.bandwidth_factors", each.factor) for each in node.bandwidth_factors),
    ):
        yield key, rate, lambda number: 0 < number < 1e18, "above 0, in bytes/s or flop/s"
    for key, span in (
        ("network.latency_s", network.latency_s),
        ("node.latency_s", node.latency_s),
        *(("network.latency_factors", each.factor) for each in network.latency_factors),
        *(("node.latency_factors", each.factor) for each in node.latency_factors),
        *(("software.send", each.seconds) for each in platform.software.send),
        *(("software.send", each.seconds_per_byte) for each in platform.software.send),
        *(("software.receive", each.seconds) for each in platform.software.receive),
        *(("software.receive", each.seconds_per_byte) for each in platform.software.receive),
        ("noise.latency", noise.latency),
        ("noise.delay_s", noise.delay_s),
    ):
        yield key, span, lambda number: 0 <= number < 1e6, "0 or more"
    yield "noise.probability", noise.probability, lambda number: 0 <= number <= 1, "from 0 to 1"
    eager = platform.software.eager_bytes
    yield "software.eager_bytes", eager, lambda number: 0 <= number < 2**31, "below 2 GiB"
    for each in platform.calibration:
        yield "calibration.error", each.error, lambda number: 0 <= number < 1, "from 0 to 1"


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
