"""Runs a program to its end, as the benchmarks of leadline itself do."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from leadline.core.errors import UserError


def ended(
    argv: Sequence[str],
    environment: Mapping[str, str],
    name: str,
    patience_s: float,
    folder: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program in `folder` to its end, and return its status and output.

    `name` is what an error calls it. Raises `UserError` where it cannot be started or takes longer
    than `patience_s` seconds.
    """
    try:
        return subprocess.run(
            argv,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=patience_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{name} did not end: {error}") from None


def succeeded(
    argv: Sequence[str], environment: Mapping[str, str], name: str, patience_s: float
) -> str:
    """Return the output of a program that ends well. Raises `UserError` where it does not."""
    done = ended(argv, environment, name, patience_s)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
        raise UserError(f"{name} ended with status {done.returncode}: {said}")
    return done.stdout
