"""Operating system, C library and compilers."""

import os
import platform
import shutil
from pathlib import Path
from typing import Any

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
        "timer_hz": _timer_hz(files),
        "architecture": platform.machine(),
        "c_library": " ".join(platform.libc_ver()) or None,
        "python": platform.python_version(),
    }


def _operating_system(files: Files) -> str:
    for line in (files.text("/etc/os-release") or "").splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip("\"'")
    return platform.system()


def _timer_hz(files: Files) -> int | None:
    """Return how often a second the kernel's timer ticks, where its configuration can be read."""
    for path in (f"/boot/config-{platform.release()}", "/proc/config.gz"):
        for line in (files.text(path) or "").splitlines():
            name, _, value = line.partition("=")
            if name == "CONFIG_HZ" and value.isdigit():
                return int(value)
    return None


def _compilers() -> dict[str, str]:
    """Return the first line that each compiler says of its version; one loads 100 MB to say it."""
    answers = Answers()
    found = {name: shutil.which(name) for name in _COMPILERS}
    said = {
        name: answers.ask(Path(path), [path, "--version"], os.environ).splitlines()
        for name, path in found.items()
        if path
    }
    answers.keep()
    return {name: lines[0].strip() for name, lines in said.items() if lines}
