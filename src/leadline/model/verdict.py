"""The verdict on a run: what a person wants to know first."""

from typing import ClassVar, Literal

import msgspec

from leadline.model.summary import Gain

Grade = Literal["good", "fair", "poor", "unclear", "unknown"]


class HeadlineValue(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of one MPI (empty: of none), in the unit of its headline, with its 95 % interval.

    `point` is the index of the figure, `best` marks the best MPI where it is surely the best.
    """

    # Over the value, the width of an interval from which on the figure is unclear.
    WIDEST: ClassVar[float] = 0.5

    mpi: str
    value: float
    low: float | None = None
    high: float | None = None
    best: bool = False
    point: int

    @property
    def is_unclear(self) -> bool:
        """Whether the interval is wider than half the value, or not known."""
        if self.low is None or self.high is None:
            return True
        return self.high - self.low > self.WIDEST * self.value


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """What a headline is compared with: a bound, a rate of the hardware, or a faster way.

    `value` is in the unit of the headline, `reached` the part of it that the best MPI reaches, at
    most 1, and `text` says what it is, as in "the link". `is_way` tells that it is no bound, but a
    faster way to do the same.
    """

    text: str
    value: float
    reached: float
    is_way: bool = False


class Usual(msgspec.Struct, frozen=True, kw_only=True):
    """What was published for machines of a class: no bound, and no goal.

    `low` and `high` are in the unit of the headline, `text` says what the class is, as in "inside a
    node", and `sources` where the figures were published.
    """

    text: str
    low: float
    high: float
    sources: tuple[str, ...]


class Headline(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the verdict, such as the latency of 8 B, with a value for each MPI.

    `unit` is `ns`, `us`, `ms`, `s`, `MB/s`, `GB/s`, `GFlop/s`, `messages/s` or `%`; `rate` tells
    whether more is better. `gap` is how many times slower the run's first MPI is than the best
    known: a bound, a rate of the hardware, the slow end of what is `usual`, a faster way, or
    another MPI that surely is faster, which `ahead` names. 1 where the figure reaches all of these,
    None where there is nothing to compare with, or the figure is unclear. `usual` is there of
    times, where the machine's class is known.
    """

    title: str
    unit: str
    rate: bool
    values: tuple[HeadlineValue, ...]
    beside: Beside | None = None
    gap: float | None = None
    ahead: str = ""
    usual: Usual | None = None


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the run's first MPI is good: how its figures stand to what is known of them.

    Of `compared` headlines `near` have a gap of at most 1.25. `largest` is the largest gap, and
    decides; None where there is nothing to compare with. Without trust the grade is unclear.
    """

    grade: Grade = "unknown"
    text: str
    mpi: str = ""
    compared: int = 0
    near: int = 0
    largest: float | None = None


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """One of the most costly things that a run shows, and the commands that cure or prove it.

    `short` is its first clause. `findings` are indices of the findings that say so in detail.
    """

    text: str
    short: str
    commands: tuple[str, ...] = ()
    gain: Gain | None = None
    findings: tuple[int, ...] = ()


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """How far the figures of a run can be trusted: a grade, one line, and the findings behind it.

    `disturbed_fraction` is of all repetitions, `between_launches` how far the launches of a typical
    figure lie apart, and `precision` half the width of a typical interval, both over the median.
    None where nothing tells.
    """

    grade: Grade
    text: str
    disturbed_fraction: float | None = None
    between_launches: float | None = None
    precision: float | None = None
    findings: tuple[int, ...] = ()


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The first screen of a run.

    Whether the MPI is good, headline figures, at most three actions, trust, and the next step.
    """

    standing: Standing
    headlines: tuple[Headline, ...]
    actions: tuple[Action, ...]
    trust: Trust
    next: str
    next_command: str = ""
