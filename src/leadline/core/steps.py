"""Long steps of other programs, such as builds: watched while they run, and ended with leadline."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol

_LOOK_S = 0.2
_SAY_S = 10.0
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


_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
_what: ContextVar[str] = ContextVar("what", default="")
_say: ContextVar[Callable[[str], None] | None] = ContextVar("say", default=None)


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
    watcher, named, told = _watcher.get(), _what.set(what), _say.set(say)
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
        _say.reset(told)


def run(argv: Sequence[str], environment: Mapping[str, str], log: Path) -> int:
    """Run a program of the step, its output added to the file `log`; return its exit status.

    Who watches is told how far it is; without anybody the step says it every few seconds. The
    program is ended with all that it started when leadline is interrupted or ended. It has a
    process group, so that an interrupt reaches leadline first.
    """
    import subprocess

    watcher, say, what = _watcher.get(), _say.get(), _what.get()
    began = said = time.monotonic()
    with log.open("ab") as file, ended_by_signals():
        process = subprocess.Popen(
            argv,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            process_group=0,
        )
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    return process.wait(_LOOK_S)
                if not (done := _progress(log)):
                    continue
                if watcher:
                    watcher.at(what, *done)
                elif say and done[0] and time.monotonic() - said >= _SAY_S:
                    said = time.monotonic()
                    left = (said - began) * (done[1] / done[0] - 1)
                    # The first files of many say nothing of the others.
                    known = f", about {left:.0f} s left" if 10 * done[0] >= done[1] else ""
                    say(f"{what}: {done[0]} of {done[1]} done{known}")
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
                process.wait()


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the block as an interrupt does, where they would end leadline."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    fatal = [
        each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) is signal.SIG_DFL
    ]
    for each in fatal:
        signal.signal(each, end)
    try:
        yield
    finally:
        for each in fatal:
            signal.signal(each, signal.SIG_DFL)


def _progress(log: Path) -> tuple[int, int] | None:
    """Return how many commands are done, and of how many, as the log says."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        said = _DONE.findall(file.read())
    return (int(said[-1][0]), int(said[-1][1])) if said else None
