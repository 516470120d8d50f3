"""app/timestep: a hydrologic code whose ranks exchange a few values many times in a step."""

from pathlib import Path

from comparison import own
from comparison.application import Application, Ended, Prepared
from leadline.model.installation import Installation

_OPTIONS = ("--pattern", "neighbourhood", "--minimum", "100", "--maximum", "100")


def prepare(installation: Installation, _folder: Path) -> Prepared:
    """Return leadline's command."""
    return own.prepared("app/timestep", _OPTIONS, installation)


def read(ended: Ended) -> float:
    """Return the time of a step. The result is compared with that of one process."""
    return float(own.point(ended.output, "step")["median_s"])


APPLICATION = Application("app-timestep", prepare, read)
