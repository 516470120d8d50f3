"""Whether settings of a library are worth it: better over all sizes, and worse at none for sure.

A setting holds for a whole program. So its values are compared by one figure of each launch, the
geometric mean over all benchmarks and sizes, in which each counts as much as any other; and what
makes a size slower for sure is refused, whatever it gains elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import geometric_mean
from typing import NamedTuple

from leadline.analysis.stats.comparison import Ratio
from leadline.analysis.stats.rivals import ratios as ratios_of
from leadline.core.units import format_bytes
from leadline.model.profile import LIBRARY
from leadline.model.tuning import Trial
from leadline.tune.candidates import Cell
from leadline.tune.contest import EQUAL
from leadline.tune.proof import FEWEST_LAUNCHES, HARMLESS, is_sure

# A benchmark at one size is a cell. Medians of launches in seconds, of one value of a setting.
LaunchTimes = Mapping[Cell, Sequence[float]]

_LEVEL = 0.05


class Overall(NamedTuple):
    """The gain of settings over all that was measured; refused where there is a `reason`."""

    gain: float
    low: float
    high: float
    p_value: float
    reason: str


def overall(times: LaunchTimes) -> list[float]:
    """Return the geometric mean of each launch over all cells, as long as all of them have it.

    >>> overall({Cell("a", 8): [1.0, 4.0], Cell("a", 64): [4.0, 9.0, 1.0]})
    [2.0, 6.0]
    """
    return [geometric_mean(launch) for launch in zip(*times.values(), strict=False)]


def standings(of_setting: Mapping[str, LaunchTimes]) -> dict[str, list[float]]:
    """Return the launches of each value of a setting, and `LIBRARY`'s, as a contest takes them.

    Left out is what harms a size for sure, and what failed in a launch or delivered wrong bytes.
    """
    library = of_setting[LIBRARY]
    found = {LIBRARY: overall(library)}
    for name, times in of_setting.items():
        if name != LIBRARY and ran_well(times, library) and harm(times, library) is None:
            found[name] = overall(times)
    return found


def ran_well(times: LaunchTimes, library: LaunchTimes) -> bool:
    """Tell whether every launch has every cell that the library's own have."""
    return bool(library) and all(
        len(times.get(cell, ())) >= len(launches) > 0 for cell, launches in library.items()
    )


def harm(times: LaunchTimes, library: LaunchTimes) -> Cell | None:
    """Return the cell that is slower for sure and loses most, or None."""
    cells = [
        cell
        for cell, launches in library.items()
        if cell in times
        and min(len(launches), len(times[cell])) > 1
        and min(*launches, *times[cell]) > 0
    ]
    if not cells:
        return None
    found = ratios_of([(times[cell], library[cell]) for cell in cells])
    slower = [
        (ratio.median, cell)
        for ratio, cell in zip(found, cells, strict=True)
        if ratio.interval and ratio.interval.low > 1 and (ratio.p_value or 0.0) <= _LEVEL
    ]
    return max(slower)[1] if slower else None


def gain_of(times: LaunchTimes, library: LaunchTimes) -> Ratio | None:
    """Return how many times as long the library takes by itself, over all cells."""
    above, below = overall(library), overall(times)
    if min(len(above), len(below)) < 2 or min(*above, *below) <= 0:
        return None
    return ratios_of([(above, below)])[0]


def judge_settings(trials: Sequence[Trial]) -> Overall:
    """Return the verdict on settings that were proved together: the trials are all of theirs.

    Those of one shape are of the same launches. The test of the gain is one-sided, at 5 %; none of
    the sizes may be slower, at 5 % for all of them together (`leadline.analysis.stats.rivals`), nor
    take 5 % longer where nobody can tell.
    """
    import numpy as np

    from leadline.analysis.stats.rivals import judge

    unknown = Overall(math.nan, 0.0, math.inf, 1.0, "")
    if not trials:
        return unknown._replace(reason="not proved")
    if not all(trial.verified for trial in trials):
        return unknown._replace(reason="wrong data")
    fewest = [min(len(side) for side in sides) for sides in _sides(trials)]
    everything = [time for trial in trials for time in (*trial.without_s, *trial.with_s)]
    if min(fewest) < FEWEST_LAUNCHES or min(everything) <= 0:
        return unknown._replace(reason="too few launches")
    without, with_them = (
        np.array([side[:count] for side in sides])
        for sides, count in zip(_sides(trials), fewest, strict=True)
    )
    whole_without, whole_with = (
        np.exp(np.log(side).mean(axis=0, keepdims=True)) for side in (without, with_them)
    )
    ((gain, ends, *_), p_value) = judge(whole_with, whole_without, longer_only=True)[0]
    low, high = ends or (0.0, math.inf)
    found = Overall(gain, low, high, p_value, "")
    if gain <= EQUAL:
        return found._replace(reason="not faster")
    if not is_sure(low, high, p_value):
        return found._replace(reason="not for sure")
    judged = zip(judge(without, with_them, longer_only=True), trials, strict=True)
    losing = [
        (each.ratio.median, each.p_value, Cell(trial.collective, trial.bytes))
        for each, trial in judged
        if each.ratio.median > (1 if each.p_value <= _LEVEL else 1 / HARMLESS)
    ]
    if losing:
        _, chance, cell = max(losing)
        return found._replace(reason=("" if chance <= _LEVEL else "perhaps ") + slower_at(cell))
    return found


def slower_at(cell: Cell) -> str:
    """Return in words that settings lose there.

    >>> slower_at(Cell("a/b", 65536))
    'slower at a/b 64 KiB'
    """
    return f"slower at {cell.collective} {format_bytes(cell.bytes)}"


def _sides(trials: Sequence[Trial]) -> tuple[list[Sequence[float]], list[Sequence[float]]]:
    return [trial.without_s for trial in trials], [trial.with_s for trial in trials]
