"""The writer of TOML files that people read too: platforms, profiles and plans.

The runtime reads profiles with its own small reader (`runtime/profile/toml.hpp`): comments,
`[[table]]` headers, bare keys, basic strings, numbers, arrays of numbers. So tables get a header,
and only one within a table has braces, and an array stays on few lines; tomli-w does neither.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_WIDTH = 100


def format_toml(table: Mapping[str, Any], comments: Iterable[str] = ()) -> str:
    """Return the text of a file: `comments` at its head, then plain keys, then tables.

    >>> table = {"rule": [{"to": 8, "rows": [[1, 0.5]]}], "name": "a", "node": {"cores": 2}}
    >>> print(format_toml(table, ["made by a test"]), end="")
    # made by a test
    name = "a"
    <BLANKLINE>
    [[rule]]
    to = 8
    rows = [[1, 0.5]]
    <BLANKLINE>
    [node]
    cores = 2
    """
    lines = [f"# {' '.join(comment.split())}".rstrip() for comment in comments]
    lines += _format_keys({key: each for key, each in table.items() if not _is_table(each)})
    for key, value in table.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{key}]", *_format_keys(value)]
        elif _is_table(value):
            for each in value:
                lines += ["", f"[[{key}]]", *_format_keys(each)]
    return "\n".join(lines) + "\n"


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list) and bool(value) and isinstance(value[0], Mapping)
    )


def _format_keys(table: Mapping[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        line = f"{key} = {_format_value(value)}"
        if len(line) <= _WIDTH or not isinstance(value, list):
            yield line
        else:
            yield from (f"{key} = [", *(f"  {_format_value(each)}," for each in value), "]")


def _format_value(value: Any) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{key} = {_format_value(each)}" for key, each in value.items())
        return f"{{ {', '.join(pairs)} }}"
    # JSON's texts, numbers and lists are TOML's too.
    return json.dumps(value, ensure_ascii=False)
