"""The verdict on a run: what a person wants to know first."""

from typing import Literal

import msgspec

from leadline.model.summary import Gain


class HeadlineValue(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of one MPI (empty: of none), in the unit of its headline, with its 95 % interval.

    `point` is the index of the figure, `best` marks the best MPI where it is surely the best.
    """

    mpi: str
    value: float
    low: float | None = None
    high: float | None = None
    best: bool = False
    point: int


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """What a headline is compared with: a bound, a rate of the hardware, or a faster way.

    `value` is in the unit of the headline, `reached` the part of it that the best MPI reaches (1:
    all of it, more where caches are faster), and `text` says what it is, as in "the link".
    """

    text: str
    value: float
    reached: float


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
    known: a bound, a rate of the hardware, a faster way, or another MPI that surely is faster,
    which `ahead` names. 1 where nothing is faster, None where there is nothing to compare with.
    `usual` is there without a comparison and a faster MPI, where the machine's class is known.
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
    """Whether the run's first MPI is good: how near its figures are to the best known.

    Of `compared` headlines `near` reach 80 % of the best known. `largest` is the largest gap. None
    where there is nothing to compare with.
    """

    grade: Literal["good", "fair", "poor", "unknown"]
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

    grade: Literal["good", "fair", "poor", "unknown"]
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
