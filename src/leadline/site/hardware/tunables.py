"""What can be tuned in this machine's C library from outside a program."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import msgspec

_PATIENCE_S = 5
# Where the system's binary interface puts the loader, which alone can tell.
_LOADERS = ("lib64/ld-linux-x86-64.so.2", "lib/ld-linux-aarch64.so.1", "lib64/ld64.so.2")
_LINE = re.compile(
    r"(?P<name>[\w.]+): (?P<value>0x[0-9a-f]+) \(min: (?P<low>0x[0-9a-f]+), "
    r"max: (?P<high>0x[0-9a-f]+)\)"
)


class Tunable(msgspec.Struct, frozen=True):
    """A number that the variable GLIBC_TUNABLES sets: its value here, and what is allowed."""

    value: int
    low: int
    high: int


def parse_tunables(text: str) -> dict[str, Tunable]:
    """Return the numbers that `ld.so --list-tunables` prints, by name.

    >>> parse_tunables("glibc.cpu.x86_rep_movsb_threshold: 0x840 (min: 0x200, max: 0xffff)")
    {'glibc.cpu.x86_rep_movsb_threshold': Tunable(value=2112, low=512, high=65535)}
    """
    found = (_LINE.fullmatch(line.strip()) for line in text.splitlines())
    return {
        each["name"]: Tunable(*(int(each[part], 16) for part in ("value", "low", "high")))
        for each in found
        if each
    }


@cache
def tunables(root: Path = Path("/")) -> dict[str, Tunable]:
    """Return what the C library lists (glibc 2.33 or newer); nothing with any other."""
    for loader in _LOADERS:
        try:
            answer = subprocess.run(
                [root / loader, "--list-tunables"],
                capture_output=True, text=True, errors="replace", timeout=_PATIENCE_S,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            continue
        if answer.returncode == 0:
            return parse_tunables(answer.stdout)
    return {}
