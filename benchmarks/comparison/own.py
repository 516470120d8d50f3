"""leadline's own applications, started by leadline: its words, and what it prints."""

import json
import sys
from typing import Any

from comparison.application import Prepared
from leadline.core.errors import UserError
from leadline.model.installation import Installation


def prepared(benchmark: str, options: tuple[str, ...], installation: Installation) -> Prepared:
    """Return one launch of a benchmark on two ranks, which verifies its data."""
    words = (
        *(sys.executable, "-m", "leadline", "run", benchmark, *options),
        *("--mpi", installation.name, "--place", "1x2", "--knob", "runtime={runtime}"),
        *("--launches", "1", "--runs", "runs", "--anyway", "--json"),
    )
    return Prepared(words, starts_itself=True)


def point(output: str, series: str) -> dict[str, Any]:
    """Return the one point of a series. Raises `UserError` unless its data are right."""
    try:
        found = [each for each in json.loads(output)["points"] if each["series"] == series]
    except (ValueError, KeyError):
        raise UserError("it printed no result") from None
    if len(found) != 1:
        raise UserError(f"{len(found)} results of {series} instead of one")
    if found[0]["verified"] is not True:
        raise UserError(f"{series}: its data are wrong")
    return dict(found[0])
