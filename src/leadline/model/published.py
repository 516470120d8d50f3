"""What somebody published, as claims that the figures of a run are held against."""

from typing import Literal

import msgspec

from leadline.model.value import Value


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was published for one place of a sweep: `at` are choices added to those of the claim.

    They stand for `against` too where it does not choose there itself. `low` and `high` are the
    ends of what was published, alike where it was one number.
    """

    at: dict[str, Value]
    low: float
    high: float


class Claim(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One published result, and from which figures of a run the same is computed.

    `of` and `against` choose figures by `benchmark`, `series`, `bytes`, `processes`, `nodes`,
    `mpi`, and by the names of axes, settings and knobs. `quantity` is

    - `saving`: 1 - time of `of` / time of `against`
    - `slowdown`: time of `of` / time of `against`
    - `bandwidth_MBps`: of the figure, in 10^6 bytes/s
    - `seconds`: its time
    - `maximum_over_average`: its MAX/AVG over tasks

    `why` explains, where it is known, what keeps the figures from what was published.
    """

    text: str
    source: str
    quantity: Literal["saving", "slowdown", "bandwidth_MBps", "seconds", "maximum_over_average"]
    of: dict[str, Value]
    against: dict[str, Value] = {}
    rows: tuple[Row, ...]
    why: str = ""


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a claim held against a run: `found` in the claim's unit.

    `deviation` is how far `found` lies outside what was published, in the same unit: 0 within it,
    negative below. `points` are the indices of the figures that `found` is computed from. `found`
    and `deviation` are None where the run has no such figures, or several.
    """

    claim: int
    text: str
    source: str
    quantity: str
    at: dict[str, Value]
    low: float
    high: float
    found: float | None
    deviation: float | None
    points: tuple[int, ...] = ()
    why: str = ""
