"""The `leadline` command, which `python -m leadline` is too."""

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path

# What is imported stays: looking through it for garbage, at the end too, took a tenth of a run.
_OBJECTS = 100_000


def start() -> None:
    """Run the command line; an interrupt while it is loaded ends it in silence."""
    gc.set_threshold(_OBJECTS)
    # The user may have closed one (`2>&-`). No program that leadline starts gets these instead.
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if "LC_CTYPE" in os.environ:
        _forget_locale()
    try:
        from leadline.cli import main

        main()
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        gc.freeze()


def _forget_locale() -> None:
    """Remove the locale that Python sets where the user has none (PEP 538): programs have none."""
    with suppress(OSError):
        started_with = b"\0" + Path("/proc/self/environ").read_bytes()
        if b"\0LC_CTYPE=" not in started_with:
            os.environ.pop("LC_CTYPE", None)


if __name__ == "__main__":
    start()
