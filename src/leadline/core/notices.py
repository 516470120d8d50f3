"""What a user is told once, however often the code that tells it is called."""

import sys
from functools import cache


@cache
def say_once(text: str) -> None:
    """Print a line on standard error, unless this process has printed it before."""
    sys.stderr.write(f"leadline: {text}\n")
