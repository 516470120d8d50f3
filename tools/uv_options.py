"""Prints, as words of a shell, the options by which uv does what pip is configured to do.

Reads what `pip config list` prints: pip's files and variables, which uv does not know. Proxies, and
where certificates are, uv reads from the environment as pip does. Exit status 1 where pip is told
something that uv has no such option for.
"""

import ast
import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

_SECTIONS = ("global", "install", ":env:")
_SAME = ("cert", "index-url")
_LISTS = ("extra-index-url", "find-links", "trusted-host")
_FLAGS = ("no-index",)
# What changes nothing of what is installed.
_IDLE = re.compile(
    r"(no-)?cache-dir|log|no-color|no-input|progress-bar|quiet|require-virtualenv|root-user-action"
    r"|verbose|.*(retries|timeout|version-check)|.*warn.*"
)


def options(lines: Iterable[str]) -> list[str]:
    """Return the words of the options. Raises `ValueError` for what uv has no option for."""
    found: dict[str, str] = {}
    for section in _SECTIONS:
        for line in lines:
            key, equals, value = line.partition("=")
            if equals and key.startswith(f"{section}."):
                found[key.removeprefix(f"{section}.")] = str(ast.literal_eval(value)).strip()
    words: list[str] = []
    for name, value in found.items():
        if name in _SAME and value:
            words += (f"--{name}", value)
        elif name in _LISTS:
            for each in filter(_is_there, value.split()):
                words += (f"--{name}", each)
        elif name in _FLAGS:
            words += [f"--{name}"] if value.lower() in ("1", "true", "yes", "on") else []
        elif value and not _IDLE.fullmatch(name):
            raise ValueError(name)
    # Of all indexes the newest version, as pip does.
    return words + (["--index-strategy", "unsafe-best-match"] if "extra-index-url" in found else [])


def _is_there(place: str) -> bool:
    """Tell whether a place is no folder that is missing: pip passes over those."""
    return "/" not in place or "://" in place or Path(place).exists()


if __name__ == "__main__":
    try:
        print(shlex.join(options(sys.stdin.read().splitlines())))
    except (ValueError, SyntaxError):
        sys.exit(1)
