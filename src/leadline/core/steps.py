"""Long steps of other programs, such as builds: watched while they run, and ended together."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar, copy_context
from pathlib import Path
from typing import Protocol, TypeVar

T = TypeVar("T")

_LOOK_S = 0.2
# What Ninja prints before each command; the last such line is near the end of its output.
_DONE = re.compile(rb"^\[(\d+)/(\d+)\]", re.M)
_TAIL_BYTES = 16_384


class Watcher(Protocol):
    """Who is told of steps: calls may arrive from several threads."""

    def begin(self, what: str) -> None:
        """A step begins."""

    def at(self, what: str, done: int, total: int) -> None:
        """So many of its commands are done."""

    def end(self, what: str, seconds: float) -> None:
        """A step has ended well."""

    def leave(self, what: str) -> None:
        """A step has ended, however it did; the last call for it."""


class _Steps:
    """Steps at the same time; each may start `jobs` processes at once, any number for 0."""

    def __init__(self, jobs: int = 0) -> None:
        self.jobs = jobs
        self.ended = threading.Event()


_steps: ContextVar[_Steps | None] = ContextVar("steps", default=None)
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
_what: ContextVar[str] = ContextVar("what", default="")


@contextlib.contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Tell `watcher` of the steps in this block."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextlib.contextmanager
def step(what: str, say: Callable[[str], None]) -> Iterator[None]:
    """Tell who watches, or else `say`, when the block begins and ends."""
    watcher, named = _watcher.get(), _what.set(what)
    began = time.monotonic()
    try:
        if watcher:
            watcher.begin(what)
        else:
            say(f"building {what}")
        yield
        seconds = time.monotonic() - began
        if watcher:
            watcher.end(what, seconds)
        else:
            say(f"built {what} in {seconds:.0f} s")
    finally:
        if watcher:
            watcher.leave(what)
        _what.reset(named)


def run(argv: Sequence[str], environment: Mapping[str, str], log: Path) -> int:
    """Run a program of the step, its output added to the file `log`; return its exit status.

    It is ended with all that it started when the step ends early. It has a process group, so that
    an interrupt reaches leadline first.
    """
    import subprocess

    steps, watcher = _steps.get() or _Steps(), _watcher.get()
    with log.open("ab") as file:
        process = subprocess.Popen(
            argv,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            process_group=0,
        )
    try:
        while not steps.ended.is_set():
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.wait(_LOOK_S)
            if watcher and (done := _progress(log)):
                watcher.at(_what.get(), *done)
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()
    return process.returncode


def jobs() -> int:
    """Return how many processes a program of the step may start at once; 0 where it is alone."""
    steps = _steps.get()
    return steps.jobs if steps else 0


def ended() -> bool:
    """Tell whether the steps that run together are to end."""
    steps = _steps.get()
    return steps is not None and steps.ended.is_set()


def together(functions: Sequence[Callable[[], T]], building: int, cores: int) -> list[T]:
    """Return what the functions return, in their order; steps in them run at the same time.

    `building` is how many of them are expected to have steps: these share the cores. The first
    exception, or an interrupt, ends all steps and is raised.
    """
    from concurrent.futures import ThreadPoolExecutor

    workers = max(1, min(len(functions), cores))
    steps = _Steps(max(1, cores // min(building, workers)) if building > 1 else 0)
    token = _steps.set(steps)
    try:
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(copy_context().run, each) for each in functions]
            try:
                return [future.result() for future in futures]
            except BaseException:
                steps.ended.set()
                for future in futures:
                    future.cancel()
                raise
    finally:
        _steps.reset(token)


def _progress(log: Path) -> tuple[int, int] | None:
    """Return how many commands are done, and of how many, as the log says."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        said = _DONE.findall(file.read())
    return (int(said[-1][0]), int(said[-1][1])) if said else None
