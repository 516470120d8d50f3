"""The user's own command while it runs: signals that leadline is sent are passed on to it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import IO

from leadline.core.errors import UserError
from leadline.core.interrupts import Requests

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


def start(
    command: Sequence[str],
    environment: Mapping[str, str],
    output_to_errors: bool,
    errors: int | IO[bytes] | None = None,
    program: str | None = None,
) -> subprocess.Popen[bytes]:
    """Start the user's command with standard input and output of its own.

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
        )
    except FileNotFoundError:
        raise UserError(
            f"{command[0]}: command not found: give the command that starts your program"
        ) from None
    except OSError as error:
        raise UserError(f"cannot execute {command[0]}: {error.strerror}") from None


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
