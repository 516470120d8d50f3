"""Two runs side by side: their common figures, with a verdict on each."""

import math
from typing import Literal

import msgspec

from leadline.model.summary import PointSummary

Verdict = Literal["faster", "slower", "same", "cannot tell"]


class ComparedStates(msgspec.Struct, frozen=True, kw_only=True):
    """Which launches were compared, where those of the two sides met several states of the machine.

    `state` is 0 for the one whose cores are closest together; `times` is how many times as far
    apart they are as there. `base_launches` and `other_launches` met it. With `apart` they are too
    few on one side: then all launches are compared, and only what is beyond `span` can be told, by
    how many times the machine differed over all of them. `state` is None where no launch met a
    known one.
    """

    state: int | None
    times: float | None
    base_launches: int
    other_launches: int
    apart: bool = False
    span: float | None = None


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of `base` and `other`, named by `name` in words.

    `ratio` is how many times as long `other` takes, with its 95 % interval where there is one. It
    is that of `other_s` and `base_s`: levels of the launches, or medians where these are few.
    `p_value` is that of no difference, corrected for the number of figures that are compared; None
    where launches are too few.
    `launches_needed` is how many launches of each would tell, where the verdict is `cannot tell`.
    With `states_differ` no number would: the machine is known to be as different at times. All
    launches of one side are as slow as some of the other, or earlier runs differ as much. `states`
    says which launches were compared, where the yardsticks know several states of the machine.
    """

    name: str
    base: PointSummary
    other: PointSummary
    base_s: float
    other_s: float
    ratio: float
    low: float | None
    high: float | None
    method: str
    p_value: float | None
    verdict: Verdict
    launches_needed: int | None = None
    states_differ: bool = False
    states: ComparedStates | None = None


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """`other` against `base`, both named as the user named them.

    Ratios from 1 / (1 + `same_within`) to 1 + `same_within` are of no use to anyone: the same.
    Figures that only one of them has are named in `only_base` and `only_other`, and those whose
    time is not above zero in `without_ratio`.
    """

    base: str
    other: str
    same_within: float
    figures: tuple[Compared, ...]
    only_base: tuple[str, ...] = ()
    only_other: tuple[str, ...] = ()
    without_ratio: tuple[str, ...] = ()

    @property
    def geometric_mean(self) -> float | None:
        """The geometric mean of all ratios; None without figures."""
        ratios = [math.log(each.ratio) for each in self.figures]
        return math.exp(sum(ratios) / len(ratios)) if ratios else None


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Something beside figures in which two runs differ, such as the kernel, in words."""

    name: str
    base: str
    other: str


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """What makes a comparison fail: figures that are `kind` by more than the fraction `beyond`.

    `changed` is faster or slower; `unverified` is one whose data were wrong, `missing` one that
    only the base has.
    """

    kind: Literal["slower", "faster", "changed", "unverified", "missing"]
    beyond: float = 0.0


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A gate that holds, as the user wrote it, and the names of the figures for which it does."""

    gate: str
    figures: tuple[str, ...]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A figure, by name, that went to `ratio` times its level with the run `run`, and stayed.

    `run` is empty for the newest one.
    """

    figure: str
    run: str
    ratio: float
