"""app/fem2d: conjugate gradients on 1025^2 unknowns, two sums over all ranks an iteration."""

from pathlib import Path

from comparison import own
from comparison.application import Application, Ended, Prepared
from leadline.core.errors import UserError
from leadline.model.installation import Installation

_TOLERANCE = "1e-8"
_OPTIONS = ("--level", "6", "--method", "fused", "--tolerance", _TOLERANCE)


def prepare(installation: Installation, _folder: Path) -> Prepared:
    """Return leadline's command."""
    counts = ("--minimum", "5", "--maximum", "5")
    return own.prepared("app/fem2d", (*_OPTIONS, *counts), installation)


def read(ended: Ended) -> float:
    """Return the time of a solve. The residual is part of its result."""
    point = own.point(ended.output, "pcg")
    if not point["metrics"]["reduction"] <= float(_TOLERANCE):
        raise UserError(f"residual {point['metrics']['reduction']} instead of {_TOLERANCE}")
    return float(point["median_s"])


APPLICATION = Application("app-fem2d", prepare, read)
