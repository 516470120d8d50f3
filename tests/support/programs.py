"""Small programs of the tests: compiled, run to their end, and the profiles that they run with."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from leadline.site.hardware.files import Files
from leadline.site.processes import descendants, processes

_CAUTIOUS = ("-O1", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations", "-pthread")


def run(
    *words: object,
    status: int | None = None,
    environment: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """Return what a command said, which must end with `status` unless that is None."""
    done = subprocess.run(
        [*map(str, words)],
        env={**(os.environ if environment is None else environment), **variables},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=cwd,
    )  # fmt: skip
    assert status in (None, done.returncode), done.stdout + done.stderr
    return done


def kill_all(launcher: subprocess.Popen[str], spared: str = "") -> None:
    """Kill a launcher and all that it started: some put each rank into a session of its own.

    Programs of the name `spared` go on.
    """
    table = {process.pid: process for process in processes(Files())}
    for pid in descendants(table, [launcher.pid] if launcher.poll() is None else []):
        with suppress(ProcessLookupError):
            if table[pid].command != spared:
                os.kill(pid, signal.SIGKILL)


def compiled(
    compiler: str | Path | None, source: Path, folder: Path, *flags: object, **variables: str
) -> Path:
    """Compile a program, or with -shared a library, into a folder, and return its path."""
    made = folder / (f"lib{source.stem}.so" if "-shared" in flags else source.stem)
    # Fortran's modules are written to the working folder.
    words = (compiler, source, *(flags or _CAUTIOUS), "-o", made)
    run(*words, status=0, cwd=folder, **variables)
    return made


def library(compiler: str | Path | None, source: Path, folder: Path, **variables: str) -> Path:
    """Compile a library that is preloaded, and return its path."""
    return compiled(compiler, source, folder, "-shared", "-fPIC", "-ldl", *_CAUTIOUS, **variables)


def rule(collective: str, algorithm: str = "shared", **keys: object) -> str:
    """Return a rule of a profile."""
    numbers = "".join(f"{key} = {value}\n" for key, value in keys.items())
    return f'[[rule]]\ncollective = "{collective}"\nalgorithm = "{algorithm}"\n{numbers}'


def write_profile(path: Path, runtime: Path, version: str, *rules: str, machine: str = "") -> Path:
    """Write a profile of rules for this machine, whose name the runtime's library knows."""
    name = ctypes.create_string_buffer(256)
    ctypes.CDLL(str(runtime)).leadline_machine(name, ctypes.c_size_t(256))
    head = f'format = 1\nmachine = "{machine or name.value.decode()}"\nlibrary = "{version}"\n'
    path.write_text(head + "".join(rules))
    return path
