"""Whether the machine is quiet enough to compare anything on it."""

from leadline.core.errors import UserError
from leadline.site.doctor import examine

_DISTURBING = ("other-load", "left-over-processes", "stolen-time")


def require_quiet() -> None:
    """Raise `UserError` where other programs take processor time, and name them."""
    for result in examine():
        if result.name in _DISTURBING and result.status in ("warn", "bad"):
            raise UserError(
                f"this machine is not quiet ({result.name}: {result.observed}): "
                "measure when it is, or take --anyway"
            )
