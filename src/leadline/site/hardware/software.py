"""Operating system, compilers, and the C library with what can be tuned in it."""

from __future__ import annotations

import os
import platform
import re
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from leadline.core.processes import ask
from leadline.site.hardware.files import Files
from leadline.site.programs import Answers

_COMPILERS = ("gcc", "g++", "gfortran", "clang", "icx", "ifx", "nvc")


def describe(files: Files) -> dict[str, Any]:
    """Return the facts about software for `run.json`."""
    return {**system(files), "compilers": _compilers()}


def system(files: Files) -> dict[str, Any]:
    """Return what of `describe` can be read without starting a program."""
    return {
        "host": platform.node(),
        "operating_system": _operating_system(files),
        "kernel": platform.release(),
        "timer_hz": timer_hz(files),
        "architecture": platform.machine(),
        "c_library": " ".join(platform.libc_ver()) or None,
        "python": platform.python_version(),
    }


def _operating_system(files: Files) -> str:
    for line in (files.text("/etc/os-release") or "").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip("\"'")
    return platform.system()


def timer_hz(files: Files) -> int | None:
    """Return how often a second the kernel's timer ticks, where its configuration can be read."""
    release = files.text("/proc/sys/kernel/osrelease") or platform.release()
    for path in (f"/boot/config-{release}", "/proc/config.gz"):
        if match := re.search(r"^CONFIG_HZ=(\d+)$", files.text(path) or "", re.MULTILINE):
            return int(match[1])
    return None


def _compilers() -> dict[str, str]:
    """Return the first line of each compiler's version text; one loads 100 MB to print it."""
    answers = Answers()
    found = {name: shutil.which(name) for name in _COMPILERS}
    versions = {
        name: answers.ask(Path(path), [path, "--version"], os.environ).splitlines()
        for name, path in found.items()
        if path
    }
    answers.keep()
    return {name: lines[0].strip() for name, lines in versions.items() if lines}


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
        result = ask([str(root / loader), "--list-tunables"], _PATIENCE_S)
        if not result.status:
            return parse_tunables(result.output)
    return {}
