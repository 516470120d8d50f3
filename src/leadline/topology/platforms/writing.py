"""A platform as the TOML file that it is read from."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from leadline.model.platform import Platform


def to_toml(platform: Platform) -> str:
    """Return the text of the platform's file. What is as usual is left out.

    >>> from leadline.model.platform import Network, Node
    >>> mine = Platform(format=1, name="mine", summary="s", source="t", nodes=2,
    ...     topology={"kind": "crossbar"}, network=Network(bandwidth=1e9, latency_s=1e-6),
    ...     node=Node(cores=2, flops=1e9, bandwidth=1e9, latency_s=1e-7))
    >>> print(to_toml(mine).splitlines()[-5:-1])
    ['[node]', 'cores = 2', 'flops = 1000000000.0', 'bandwidth = 1000000000.0']
    """
    table = _unusual(platform)
    plain = {key: value for key, value in table.items() if not _is_table(value)}
    lines = list(_lines(plain))
    for key, value in table.items():
        if isinstance(value, dict):
            lines += ["", f"[{key}]", *_lines(value)]
        elif _is_table(value):
            for each in value:
                lines += ["", f"[[{key}]]", *_lines(each)]
    return "\n".join(lines) + "\n"


def _unusual(value: Any) -> Any:
    """Return tables and lists in place of structs, without the fields that have their defaults."""
    if isinstance(value, msgspec.Struct) and not value.__struct_config__.array_like:
        fields = msgspec.structs.fields(value)
        return {
            field.name: _unusual(getattr(value, field.name))
            for field in fields
            if field.default is msgspec.NODEFAULT or getattr(value, field.name) != field.default
        }
    if isinstance(value, tuple | list):
        return [_unusual(each) for each in value]
    return msgspec.to_builtins(value)


def _is_table(value: Any) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], dict)
    )


def _lines(table: dict[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        # JSON's texts, numbers and lists are TOML's too.
        yield f"{key} = {json.dumps(value, ensure_ascii=False)}"
