"""What the samples of a figure show beside their median."""

from typing import Literal

import msgspec


class Mode(msgspec.Struct, frozen=True, kw_only=True):
    """A typical time: the median of the samples of this mode, and their part of all."""

    at_s: float
    fraction: float


class LevelChange(msgspec.Struct, frozen=True, kw_only=True):
    """From here on times are `factor` times what they were.

    `launch` is the first launch of the new level, or the one within which it changes; `repetition`
    counts that launch's used repetitions, None where the launches themselves change.
    """

    launch: int
    repetition: int | None
    factor: float


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What the used repetitions of a figure show beside their median.

    Modes, warm-up, drift and changes only where chance is less than 1 in 1000. `effective_samples`
    is how many independent samples they are worth. The 95 % intervals of the quantiles are those of
    a typical launch, as that of the median is. `modes` ascend;
    `modes_follow` says what a repetition's mode depends on: its launch, the time, its place in a
    `modes_period` of so many repetitions, or none of these (`chance`); None where there is one
    mode. The first `warm_up_repetitions` of each launch take `warm_up_factor` times as long as the
    others. `drift_factor` is how many times its start the end of a launch takes, on a line.

    Of the samples above `tail_from_s`, `tail_fraction` of all, `tail_index` is the shape of a
    generalised Pareto distribution: 0 for an exponential tail, 0.5 from where the variance, 1 from
    where the mean is not finite; with its 95 % interval. `tail_fits` where that distribution
    describes them. All None for too few samples.
    """

    effective_samples: float
    p90_low_s: float | None = None
    p90_high_s: float | None = None
    p99_low_s: float | None = None
    p99_high_s: float | None = None
    modes: tuple[Mode, ...]
    modes_follow: Literal["launch", "time", "repetition", "chance"] | None = None
    modes_period: int | None = None
    warm_up_repetitions: int = 0
    warm_up_factor: float | None = None
    drift_factor: float | None = None
    changes: tuple[LevelChange, ...] = ()
    tail_from_s: float | None = None
    tail_fraction: float | None = None
    tail_index: float | None = None
    tail_index_low: float | None = None
    tail_index_high: float | None = None
    tail_fits: bool | None = None
