"""The figures of a watched plan over its last nights, and what `watch` says of each."""

import msgspec

from leadline.model.summary import PointSummary
from leadline.model.watched import Said, WatchedNight


class NightFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure in the night of `run`, and what is said of it there, as in `WatchedFigure`."""

    run: str
    said: Said
    ratio: float
    figure: PointSummary
    fresh_ratio: float | None = None
    fresh_launches: int = 0


class FollowedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of the newest night in all nights that have it, the oldest first."""

    name: str
    nights: tuple[NightFigure, ...]


class Nights(msgspec.Struct, frozen=True, kw_only=True):
    """The last nights of a plan, the oldest first in `runs`.

    `newest` is what `watch` says of the last one. By the name of its run `machine_ratios` has how
    many times as long as usual most figures took, and `measured_again` which run measured again
    what looked slower.
    """

    runs: tuple[str, ...]
    newest: WatchedNight
    figures: tuple[FollowedFigure, ...]
    machine_ratios: dict[str, float]
    measured_again: dict[str, str]
