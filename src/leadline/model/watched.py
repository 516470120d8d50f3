"""What `watch` says of a run and of the nights before it: each figure against its own past."""

from typing import Literal

import msgspec

from leadline.model.summary import PointSummary

# What is said of a figure: nothing yet (`learning`), that it takes its usual time, that it looks
# slower and nobody measured again (`open`) or that did not repeat (`noise`) or that has no usual
# level (`unsteady`), that it is slower or faster, or that the whole machine was.
WatchVerdict = Literal[
    "learning", "usual", "open", "noise", "unsteady", "slower", "faster", "machine"
]


class WatchedFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of the run against its earlier nights.

    `said` is `slower` or `faster` where that is sure; `open` where it looks slower and is not sure;
    `noise` where it looked slower and did not when it was measured again; `unsteady` where it looks
    slower and has no usual level; `machine` where the whole machine was slower or faster;
    `learning` where fewer than three nights are known; else `usual`.
    `ratio` is how many times its usual time it took, without what the whole machine took longer;
    `since` the run since which it has been so, empty for the newest one. `fresh_ratio` is that of
    the `fresh_launches` made afterwards; `old_ratio` how many times as long it took there as with
    the `old_mpi`, in turn, with its 95 % interval.
    """

    name: str
    said: WatchVerdict
    ratio: float
    chance: float
    since: str = ""
    fresh_ratio: float | None = None
    fresh_launches: int = 0
    old_mpi: str = ""
    old_ratio: float | None = None
    old_low: float | None = None
    old_high: float | None = None


class WatchedNight(msgspec.Struct, frozen=True, kw_only=True):
    """All that is said of a run against its past, and first of all in one line: `summary`.

    `machine_ratio` is how many times as long most figures took, 1 where they did not move alike.
    `measured_again` names the run that measured again what looked slower, empty where none did.
    """

    summary: str
    figures: tuple[WatchedFigure, ...]
    machine_ratio: float = 1.0
    slow_launches: int = 0
    measured_again: str = ""

    @property
    def slower(self) -> tuple[WatchedFigure, ...]:
        """The figures that are slower for sure."""
        return tuple(each for each in self.figures if each.said == "slower")


class NightFigure(msgspec.Struct, frozen=True, kw_only=True):
    """A figure in the night of `run`, and what is said of it there, as in `WatchedFigure`."""

    run: str
    said: WatchVerdict
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
