"""Two runs side by side: each figure that both have, and what is to be thought of it."""

from typing import Literal

import msgspec

from leadline.model.summary import PointSummary

Verdict = Literal["faster", "slower", "same", "cannot tell"]


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of `base` and `other`, named by `name` in words.

    `ratio` is how many times as long `other` takes, with its 95 % interval where there is one.
    `p_value` is corrected for the number of figures that are compared, None where it is not known.
    `launches_needed` is how many launches of each would tell, where the verdict is `cannot tell`.
    """

    name: str
    base: PointSummary
    other: PointSummary
    ratio: float
    low: float | None
    high: float | None
    method: str
    p_value: float | None
    verdict: Verdict
    launches_needed: int | None = None


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
