"""Calling the programs of a batch system, which may hang, fail or be missing."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence

import msgspec

ANSWER_S = 30.0
NOT_HERE = "not on the PATH: start leadline where the batch system's programs are"


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a program printed, and its exit status."""

    status: int
    output: str
    errors: str


def ask(
    argv: Sequence[str], limit_s: float = ANSWER_S, environment: Mapping[str, str] | None = None
) -> Said:
    """Call a program, in this process's environment unless told otherwise.

    One that is not there, or does not end in time, has status 127 and says so.
    """
    try:
        # Ctrl-C is for leadline, which has something to ask afterwards.
        process = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=environment,
            start_new_session=True,
        )
    except FileNotFoundError:
        return Said(status=127, output="", errors=NOT_HERE)
    with process:
        try:
            output, errors = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            _end(process)
            return Said(status=127, output="", errors=f"no answer in {limit_s:g} s")
        except BaseException:
            _end(process)
            raise
    return Said(status=process.returncode, output=output, errors=errors)


def _end(process: "subprocess.Popen[str]") -> None:
    """End the program with all that it started: sites wrap such programs in scripts."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
