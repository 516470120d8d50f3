"""Calling the programs of a batch system, which may hang, fail or be missing."""

import subprocess
from collections.abc import Sequence

import msgspec

ANSWER_S = 30.0
_NOT_HERE = "not on the PATH: start leadline where the batch system's programs are"


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a program printed, and its exit status."""

    status: int
    output: str
    errors: str


def ask(argv: Sequence[str], limit_s: float = ANSWER_S) -> Said:
    """Call a program.

    One that is not there, or does not end in time, has status 127 and says so.
    """
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit_s,
            check=False,
            # Ctrl-C is for leadline, which has something to ask afterwards.
            start_new_session=True,
        )
    except FileNotFoundError:
        return Said(status=127, output="", errors=_NOT_HERE)
    except subprocess.TimeoutExpired:
        return Said(status=127, output="", errors=f"no answer in {limit_s:g} s")
    return Said(status=done.returncode, output=done.stdout, errors=done.stderr)
