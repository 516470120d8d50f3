"""The scatter of samples: what processors lose to other programs, and the shape of figures."""

from typing import Literal

import msgspec


class RankNoise(msgspec.Struct, frozen=True, kw_only=True):
    """What one rank lost. Its shares are of the time observed on it.

    `quantum_s` is the time of a call that nothing disturbed. A detour is a stretch of calls that
    took longer than their surroundings; the quantiles of its duration are None without any.
    """

    rank: int
    quantum_s: float
    lost_fraction: float
    detours_fraction: float
    detours_per_s: float
    detour_median_s: float | None
    detour_p99_s: float | None
    detour_max_s: float | None


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """Something that takes time again and again, every `period_s`.

    `duration_s` is the median of its detours, of which `detours_per_period` were seen on the
    `ranks` that have it. `lost_fraction` is of the time observed on them, `preempted_fraction` of
    its detours. `together` tells whether it hits these ranks at the same instants, None for one
    rank. `source` is what has such a period: a `timer tick` of the kernel, several of them
    (`timer ticks`), that of the kernel below (`hypervisor tick`), or a `daemon` that sleeps for a
    round time; None where nothing known has. `rate_hz` is the tick's.
    """

    period_s: float
    ci95_low_s: float
    ci95_high_s: float
    duration_s: float
    detours_per_period: float
    lost_fraction: float
    preempted_fraction: float
    ranks: tuple[int, ...]
    together: bool | None
    source: Literal["timer tick", "timer ticks", "hypervisor tick", "daemon"] | None = None
    rate_hz: float | None = None


class NoiseCost(msgspec.Struct, frozen=True, kw_only=True):
    """How many times longer phases of `phase_s` take a program whose ranks wait for the slowest.

    `slowdown` is for as many `tasks` as are hit independently of each other, with its 95 %
    interval, and `together_slowdown` for any number that is always hit at once. `reach` says what
    that rests on: so many phases were seen (`samples`), a tail that is fitted to them (`tail`, up
    to ten times as many tasks), or neither (`beyond`): then it is a lower bound without upper end.
    """

    phase_s: float
    tasks: int
    slowdown: float
    ci95_low: float
    ci95_high: float | None
    together_slowdown: float
    reach: Literal["samples", "tail", "beyond"]


class Noise(msgspec.Struct, frozen=True, kw_only=True):
    """What the ranks of a figure lost to the machine while they made the same call again and again.

    `point` is the index of the figure. `observed_s` is the time of all calls of all ranks and
    launches. `lost_fraction` is what these took beyond calls that nothing disturbed, of that time,
    with its 95 % interval; `detours_fraction` is the part of single detours, the rest a slower
    pace. `together_fraction` is the part of detours that hit two ranks at once, beyond chance, None
    for one rank. Periods are looked for between `shortest_period_s` and `longest_period_s`; the one
    that costs most is first; in figures without any, one is found with the probability
    `false_alarm_fraction`. `costs` are there where ranks do nothing but work.
    """

    point: int
    observed_s: float
    quantum_s: float
    lost_fraction: float
    ci95_low: float
    ci95_high: float
    detours_fraction: float
    detours_per_s: float
    together_fraction: float | None
    shortest_period_s: float
    longest_period_s: float
    false_alarm_fraction: float
    ranks: tuple[RankNoise, ...]
    periods: tuple[Period, ...] = ()
    costs: tuple[NoiseCost, ...] = ()


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

    Modes, warm-up and changes only where chance is less than 1 in 1000. `effective_samples`
    is how many independent samples they are worth. The 95 % intervals of the quantiles are those of
    a typical launch, as that of the median is. `modes` ascend;
    `modes_follow` says what a repetition's mode depends on: its launch, the time, its place in a
    `modes_period` of so many repetitions, or none of these (`chance`); None where there is one
    mode. The first `warm_up_repetitions` of each launch take `warm_up_factor` times as long as the
    others.
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
    changes: tuple[LevelChange, ...] = ()
