"""Where the checkout is that the tests belong to."""

from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
TESTS = CHECKOUT / "tests"
