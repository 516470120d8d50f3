"""Operating system, C library and compilers."""

import os
import platform
import shutil
import subprocess
from typing import Any

from leadline.site.hardware.files import Files

_COMPILERS = ("gcc", "g++", "gfortran", "clang", "icx", "ifx", "nvc")
_PATIENCE_S = 5


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
    found = {name: shutil.which(name) for name in _COMPILERS}
    versions = {name: _first_line(path) for name, path in found.items() if path}
    return {name: version for name, version in versions.items() if version}


def _first_line(compiler: str) -> str | None:
    try:
        answer = subprocess.run(
            [compiler, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = answer.stdout.splitlines()
    return lines[0].strip() if answer.returncode == 0 and lines else None
