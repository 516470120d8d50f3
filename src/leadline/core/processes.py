"""Processes: the cores of this one, the signals that stop it, programs asked or followed."""

from __future__ import annotations

import contextlib
import os
import select
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import IO

import msgspec

from leadline.core.errors import UserError

ANSWER_S = 30.0
NOT_HERE = "not on the PATH: start leadline where the batch system's programs are"


class ProgramOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a program printed, and its exit status; `hung` where it did not end in time."""

    status: int
    output: str
    errors: str
    hung: bool = False


_CANNOT_ANSWER = 127
# How often to see whether a program ended that left its output open to others.
_LOOK_S = 0.05
# A program that prints without end must not fill the memory.
_MOST_BYTES = 256 << 20


def ask(
    argv: Sequence[str],
    limit_s: float = ANSWER_S,
    environment: Mapping[str, str] | None = None,
    *,
    merged: bool = False,
    folder: Path | None = None,
    end_leftovers: bool = False,
) -> ProgramOutput:
    """Call a program, in this process's environment and folder unless told otherwise.

    Its errors are part of the output where that is `merged`. What it leaves running is not waited
    for, and ended with `end_leftovers`: a batch system's may go on. One that cannot be started, or
    does not end in time, has status 127 and says so.
    """
    try:
        # Ctrl-C is for leadline, which has something to ask afterwards.
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if merged else subprocess.PIPE,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
    except FileNotFoundError:
        return ProgramOutput(status=_CANNOT_ANSWER, output="", errors=NOT_HERE)
    except (OSError, ValueError) as error:
        return ProgramOutput(status=_CANNOT_ANSWER, output="", errors=f"cannot be started: {error}")
    until = time.monotonic() + limit_s
    try:
        output, errors = _read(process, until)
        status = process.wait(max(until - time.monotonic(), _LOOK_S))
    except subprocess.TimeoutExpired:
        _end(process)
        hung = f"no answer in {limit_s:g} s"
        return ProgramOutput(status=_CANNOT_ANSWER, output="", errors=hung, hung=True)
    except BaseException:
        _end(process)
        raise
    if end_leftovers:
        _end(process)
    for pipe in filter(None, (process.stdout, process.stderr)):
        pipe.close()
    return ProgramOutput(status=status, output=output, errors=errors)


def _read(process: subprocess.Popen[bytes], until: float) -> tuple[str, str]:
    """Return what a program prints until it ends or closes its output.

    Raises `TimeoutExpired` where it goes on after the time `until`.
    """
    texts = {pipe: bytearray() for pipe in (process.stdout, process.stderr) if pipe}
    with selectors.DefaultSelector() as selector:
        for pipe, text in texts.items():
            selector.register(pipe, selectors.EVENT_READ, text)
        while selector.get_map():
            ended = process.poll() is not None
            ready = selector.select(0 if ended else _LOOK_S)
            for key, _ in ready:
                part = os.read(key.fd, 1 << 16)
                key.data.extend(part)
                if not part or len(key.data) > _MOST_BYTES:
                    selector.unregister(key.fileobj)
            if ended and not ready:
                break
            if not ended and time.monotonic() >= until:
                raise subprocess.TimeoutExpired(process.args, 0)
    output, errors, *_ = [text.decode(errors="replace") for text in texts.values()] + [""]
    return output, errors


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program with all that it started: sites wrap such programs in scripts."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in filter(None, (process.stdout, process.stderr)):
        # What it started holds the pipe until it is gone, too.
        held = select.poll()
        held.register(pipe, select.POLLIN)
        while held.poll(1000 * _LOOK_S) and os.read(pipe.fileno(), 1 << 16):
            pass
        pipe.close()


_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


def own_cores() -> list[int]:
    """Return one processor of each physical core, hardware threads not counted twice."""
    firsts: dict[str, int] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        core = str(cpu)
        with contextlib.suppress(OSError):
            core = Path(_SIBLINGS.format(cpu)).read_text()
        firsts.setdefault(core, cpu)
    return list(firsts.values())


Handler = Callable[[int, FrameType | None], None]

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Requests(list[signal.Signals]):
    """The signals that came, in their order; the list itself is their handler."""

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        """Note a signal."""
        self.append(signal.Signals(number))


@contextmanager
def stop_requests(numbers: Sequence[signal.Signals] = STOPPING) -> Iterator[Requests]:
    """Give the list to which signals that ask leadline to stop are added while the block runs.

    Handlers raise nothing. A block inside another one shares its list, so that no request falls
    between the two. Signals that leadline was told to ignore (as by `nohup`) stay ignored.
    """
    handlers = map(signal.getsignal, numbers)
    outer = next((each for each in handlers if isinstance(each, Requests)), None)
    if outer is not None and threading.current_thread() is threading.main_thread():
        yield outer
        return
    requests = Requests()
    with _handled(requests, numbers):
        yield requests


@contextmanager
def deferred(numbers: Sequence[signal.Signals] = STOPPING) -> Iterator[None]:
    """Let a signal that asks leadline to stop wait until the block has ended.

    A second one does not wait: it raises `KeyboardInterrupt` inside the block.
    """
    requests = Requests()

    def wait(number: int, frame: FrameType | None) -> None:
        requests(number, frame)
        if len(requests) > 1:
            raise KeyboardInterrupt

    with _handled(wait, numbers):
        yield
    if requests:
        signal.raise_signal(requests[0])


@contextmanager
def _handled(handler: Handler, numbers: Sequence[signal.Signals]) -> Iterator[None]:
    """Have `handler` handle the signals while the block runs; only the main thread can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in numbers}
    heard = [number for number in numbers if before[number] != signal.SIG_IGN]
    for number in heard:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number in heard:
            # None: a library that the user preloads, and so leadline loads, had a handler.
            earlier = before[number]
            signal.signal(number, signal.SIG_DFL if earlier is None else earlier)


_TICK_S = 0.1


class Followed:
    """A running command, and the signals that ask leadline to stop."""

    def __init__(self, process: subprocess.Popen[bytes], requests: Requests) -> None:
        self.process = process
        self._requests = requests
        self._passed_on = 0

    def running(self) -> bool:
        """Tell whether the command still runs; pass on signals that leadline was sent."""
        while self._passed_on < len(self._requests):
            number = self._requests[self._passed_on]
            self._passed_on += 1
            # Ctrl-C has reached the whole group of the terminal already.
            if not (number == signal.SIGINT and _in_foreground()):
                with contextlib.suppress(ProcessLookupError):
                    self.process.send_signal(number)
        return self.process.poll() is None

    @property
    def interrupted(self) -> bool:
        """Whether leadline was asked to stop."""
        return bool(self._requests)

    def wait(self) -> int:
        """Return the exit status of the command when it has ended."""
        while self.running():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(_TICK_S)
        return self.process.returncode


def _inherited() -> list[int]:
    """Return the descriptors above 2 that leadline was started with; its own are closed."""
    found = []
    for number in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
        with contextlib.suppress(OSError):  # the one that lists them
            if number > 2 and os.get_inheritable(number):
                found.append(number)
    return found


def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    output_to_errors: bool,
    errors: int | IO[bytes] | None = None,
    program: str | None = None,
) -> subprocess.Popen[bytes]:
    """Start the user's command with standard input and output of its own.

    It has all descriptors that leadline was started with, as from a shell; leadline's own close.
    `errors` is what `Popen` takes; with `output_to_errors` the output goes to standard error.
    `program` is the file to execute where it is not the first word. Raises `UserError` where that
    cannot be done.
    """
    try:
        return subprocess.Popen(
            list(command),
            executable=program,
            env=dict(environment),
            stdout=sys.__stderr__ if output_to_errors else None,
            stderr=errors,
            # By posix_spawn, which `close_fds=False` takes, it would ignore signals 32 and 33.
            pass_fds=_inherited(),
        )
    except FileNotFoundError:
        raise UserError(
            f"{command[0]}: command not found: give the command that starts your program"
        ) from None
    except OSError as error:
        raise UserError(f"cannot execute {command[0]}: {error.strerror}") from None


# Python ignores them, and who is started in its place would too.
_OF_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)


def become(program: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Put a program in the place of this process, with signals as they were before Python.

    Raises `OSError` where it cannot be executed.
    """
    before = {number: signal.signal(number, signal.SIG_DFL) for number in _OF_PYTHON}
    try:
        os.execve(program, tuple(command), environment)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def exit_status(status: int) -> int:
    """Return the exit status with which a shell would tell that of a program.

    >>> exit_status(3), exit_status(-9)
    (3, 137)
    """
    return status if status >= 0 else 128 - status


def _in_foreground() -> bool:
    for stream in (0, 2):
        with contextlib.suppress(OSError):
            return os.tcgetpgrp(stream) == os.getpgrp()
    return False
