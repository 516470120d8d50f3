"""-div grad u = 1 on the unit square: what the programs that solve it print, and its answer."""

import json

from leadline.core.errors import UserError

INTERVALS = 1024
TOLERANCE = "1e-8"
# u(1/2,1/2), with u = 0 on the boundary.
_CENTRE = 0.073671353281


def solve_seconds(output: str) -> float:
    """Return the seconds of all that was solved. Raises `UserError` for a wrong answer."""
    try:
        answer = json.loads(next(line for line in output.splitlines() if line.startswith("{")))
    except (StopIteration, ValueError):
        raise UserError("it printed no answer") from None
    error = abs(answer["centre"] - _CENTRE)
    if not (error <= 1.0 / INTERVALS**2 and answer["residual"] <= 1.01 * float(TOLERANCE)):
        raise UserError(
            f"{answer['centre']} at the centre instead of {_CENTRE}, residual {answer['residual']}"
        )
    return float(answer["assembly_s"] + answer["setup_s"] + answer["solve_s"])
